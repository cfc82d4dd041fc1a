"""Writes ``docs/reference/check-rules.md``: ``python tests/docs/check_rules.py``."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from vertex_jobs.preflight import RULES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "check-rules.md"

INTRODUCTION = """\
# The rules of `check`

*This page is generated (`python tests/docs/check_rules.py`); a test fails when it is out of date.*

`vertex-jobs check CONFIG` tells every fault at once: those of the config itself, each key of which
has its own rules, and those of the rules below. An *error* makes `check` and `run` end with 2 and
nothing is sent; a *warning* is told. Where *cloud only* is marked, Local Vertex does not mind:
with `--on local` the error is a warning, and the warning is not given.

Nothing is contacted. Of your code only the way to its argument parser runs, in a child process
that may neither reach the network, nor start programs, nor write outside a scratch folder, and that
ends at the parser. Libraries are inert stand-ins there; a script that decides something by one of
them is asked again with the real ones.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *_tables()]).rstrip() + "\n"


def _tables() -> Iterator[str]:
    for module, rules in groupby(RULES, key=lambda rule: rule.find.__module__):
        yield f"## {module.rpartition('.')[2].replace('_', ' ').capitalize()}\n"
        yield "| rule | severity | what must hold | source |\n|---|---|---|---|"
        for rule in rules:
            severity = f"{rule.severity}, cloud only" if rule.cloud_only else rule.severity
            yield f"| `{rule.name}` | {severity} | {rule.what} | {rule.source} |"
        yield ""


if __name__ == "__main__":
    PAGE.write_text(page())
