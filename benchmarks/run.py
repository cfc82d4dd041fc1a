"""Every claim about speed, measured side by side with its alternatives.

    python benchmarks/run.py                      # all of them, an hour or so
    python benchmarks/run.py starting packing     # some
    python benchmarks/run.py --write docs/benchmarks.md

It prints a table of ratios and exits 1 if a target is missed. ``search.py`` measures the search
engine's regret, ``soak.py`` endurance.
"""

import argparse
import compileall
import importlib
import sys
from pathlib import Path

from measuring import ROOT, Claim, surroundings

#: The benchmarks in the order of the table, with the number of rounds for each.
BENCHMARKS = {
    "starting": 11,
    "packing": 11,
    "noop_study": 5,
    "sdk_study": 9,
    "watching": 3,
    "storage": 7,
    "digits_study": 3,
}

_HEADER = ("Claim", "Median ratio", "Spread", "Rounds", "Target", "Kept")


def table(claims: list[Claim]) -> str:
    """Return the claims as Markdown."""
    rows = [_HEADER, ("---",) * len(_HEADER), *(claim.cells() for claim in claims)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def page(claims: list[Claim]) -> str:
    """Return the page for the documentation."""
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "Written by `make bench`. Each row is a ratio of runs that took turns on one machine; "
            "the spread is",
            "the smallest and the largest round. Both sides' modules were compiled to bytecode "
            "before.",
            "",
            *(f"- {line}" for line in surroundings()),
            "",
            table(claims),
            "",
        ]
    )


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(BENCHMARKS)}")
    parser.add_argument("--rounds", type=int, help="rounds of each instead of its own number")
    parser.add_argument("--write", type=Path, help="write the page here, too")
    options = parser.parse_args()
    if unknown := set(options.names) - set(BENCHMARKS):
        parser.error(
            f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}"
        )
    for folder in ("vertex_jobs", "trial_scripts"):
        compileall.compile_dir(ROOT / folder, quiet=1)
    claims: list[Claim] = []
    for name in options.names or BENCHMARKS:
        print(f"{name}:", file=sys.stderr)
        claims += importlib.import_module(name).measure(options.rounds or BENCHMARKS[name])
    print(table(claims))
    if options.write:
        options.write.write_text(page(claims))
    return 0 if all(claim.holds for claim in claims) else 1


if __name__ == "__main__":
    sys.exit(main())
