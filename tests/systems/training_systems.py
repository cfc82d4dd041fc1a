"""Runs every training system and prints a table: ``make systems``.

    python tests/systems/training_systems.py              # all of them; exit 1 if one is not right
    python tests/systems/training_systems.py S01 S02      # some of them
    python tests/systems/training_systems.py --page       # write docs/reference/training-systems.md

The page is made of the registry alone and holds no figures: those are this machine's.
"""

import argparse
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence

from finished import ROOT, Finished
from rows import SYSTEMS, System

from vertex_jobs import local
from vertex_jobs.endpoints import Endpoint

PAGE = ROOT / "docs" / "reference" / "training-systems.md"
LINE = "{:4} {:{}} {:{}} {:>6}  {:24} {}"

INTRODUCTION = """\
# The training systems

*This page is generated (`python tests/systems/training_systems.py --page`); a test fails when it is
out of date.*

Each system is one script that reads from top to bottom, and a config that runs it: here, on a
machine without a GPU or a network, and on Vertex AI with `--on vertex`, unchanged.

```bash
make systems                                     # all of them, a line each with time and metric
vertex-jobs run configs/digits_training.yaml     # one of them
python trial_scripts/digits_mlp.py --help        # the script alone: every option, unit and range
make test-image                                  # the runtime with TensorFlow 2.17
```

Here they run on TensorFlow 2.21, as in the configs' images (2.20 on TPUs). The last of Google's own
images had 2.17: `make test-image` installs that beside it, and runs the tests of what a script
imports, and training over two processes, with it.
"""


def page() -> str:
    """The whole page."""
    lines = [
        INTRODUCTION,
        "| | system | script | run | must hold |",
        "|---|---|---|---|---|",
        *(
            f"| {one.number} | {one.title} | {_link('trial_scripts', one.script)} "
            f"| {_link('configs', one.config)} {_words(one)}| {one.assertion} |"
            for one in SYSTEMS
        ),
        "",
        "Where they come from:",
        "",
    ]
    for article in dict.fromkeys(one.article for one in SYSTEMS):
        numbers = ", ".join(one.number for one in SYSTEMS if one.article == article)
        lines.append(f"- *{article}*: {numbers}")
    return "\n".join(lines) + "\n"


def _link(folder: str, name: str) -> str:
    return f"[`{name}`](../../{folder}/{name})"


def _words(system: System) -> str:
    return f"`{' '.join(system.arguments)}` " if system.arguments else ""


def table(systems: Sequence[System], endpoint: Endpoint) -> Iterator[tuple[str, bool]]:
    """A line for each system as it ends, and whether it did as expected."""
    for system in systems:
        if sys.stderr.isatty():
            print(f"  {system.number} {system.command} …", end="\r", file=sys.stderr, flush=True)
        done = system.run(endpoint)
        metric, reason = _judge(system, done)
        verdict = f"NO: {reason}" if reason else "as expected"
        what = (system.number, system.title, TITLES, _what(system), CONFIGS)
        yield LINE.format(*what, f"{done.seconds:.0f} s", metric, verdict), not reason


def _what(system: System) -> str:
    """The config and what is set in it."""
    prepared = ["(prepared)"] if system.prepare else []
    words = [system.config, *system.arguments, *prepared]
    return " ".join(word.removeprefix("args.") for word in words if word != "--set")


def _judge(system: System, done: Finished) -> tuple[str, str]:
    """The final metric, and why the row is not as expected; that is empty if it is."""
    try:
        return system.check(done), ""
    except Exception as error:  # whatever it is, the other rows are still wanted
        whole = traceback.TracebackException.from_exception(error, capture_locals=True)
        where = whole.stack[-1]
        seen = "".join(
            f"\n    {name} = {text[:300]}" for name, text in (where.locals or {}).items()
        )
        return "", f"{type(error).__name__}: {error}\n  {where.line}{seen}\n  {system.assertion}"


TITLES = max(len(system.title) for system in SYSTEMS)
CONFIGS = max(len(_what(system)) for system in SYSTEMS)


def main() -> int:
    """Answer the exit code."""
    parser = argparse.ArgumentParser(description="Run the training systems on Local Vertex.")
    parser.add_argument("numbers", nargs="*", help="e.g. S01; all by default")
    parser.add_argument("--page", action="store_true", help="only write the page")
    options = parser.parse_args()
    if options.page:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    unknown = set(options.numbers) - {one.number for one in SYSTEMS}
    if unknown:
        parser.error(
            f"no system {', '.join(sorted(unknown))}; there are S01 to {SYSTEMS[-1].number}"
        )
    chosen = [one for one in SYSTEMS if not options.numbers or one.number in options.numbers]
    print(LINE.format("", "system", TITLES, "config", CONFIGS, "time", "final metric", ""))
    began = time.monotonic()
    results = []
    with tempfile.TemporaryDirectory() as state, local(state_dir=state) as endpoint:
        endpoint.server.hold(os.getpid())
        for line, is_right in table(chosen, endpoint):
            print(line, flush=True)
            results.append(is_right)
        endpoint.server.stop()
    print(
        f"{sum(results)} of {len(results)} as expected, {time.monotonic() - began:.0f} s "
        f"on {os.cpu_count()} cores"
    )
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
