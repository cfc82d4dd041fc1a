"""The surfaces that take input from outside, and a campaign over them.

python tests/trust/campaign.py                       # 10,000 inputs a surface, a fresh seed
python tests/trust/campaign.py configs --inputs 500 --seed 7
"""

import argparse
import collections
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import config_surface
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st


@dataclass(frozen=True)
class Surface:
    """One way in.

    Attributes:
        inputs: What is tried.
        judge: Tries one input and returns what is wrong with the answer; None when all is well.
    """

    inputs: st.SearchStrategy[Any]
    judge: Callable[[Any], str | None]


SURFACES = {
    "configs": Surface(config_surface.CONFIG_TEXTS, config_surface.judge),
    "jobs in Python": Surface(config_surface.WRITTEN_JOBS, config_surface.judge_job),
}


@dataclass(frozen=True)
class Tally:
    """What came of a campaign: each fault with the first input that showed it."""

    tried: int
    wrong: int
    first_inputs: dict[str, Any]


def attack(surface: Surface, inputs: int, chosen: int) -> Tally:
    """Try many inputs, and go on after a fault."""
    found: dict[str, Any] = {}
    counted: collections.Counter[str] = collections.Counter()

    @seed(chosen)
    @settings(
        max_examples=inputs,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(surface.inputs)
    def try_one(value: Any) -> None:
        counted["tried"] += 1
        fault = surface.judge(value)
        if fault is not None:
            counted["wrong"] += 1
            found.setdefault(fault, value)

    try_one()
    return Tally(counted["tried"], counted["wrong"], found)


def main() -> int:
    """Attack the surfaces named, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("surfaces", nargs="*", choices=[*SURFACES, []], default=[])
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    wrong = 0
    for name in options.surfaces or SURFACES:
        began = time.monotonic()
        tally = attack(SURFACES[name], options.inputs, options.seed)
        wrong += tally.wrong
        print(f"{name}: {tally.tried} tried, {tally.wrong} wrong, {time.monotonic() - began:.0f} s")
        for fault, value in tally.first_inputs.items():
            print(f"  {fault}\n    {str(value)[:2000]!r}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
