"""The calibration of the chance that ``best`` states: its mean, and how often it holds.

    python benchmarks/confidence.py

It runs studies of 16 random trials of functions of three parameters, a smooth one and one with
waves, with noise of several sizes, and looks at the trial with the best value of each.
"""

import numpy as np

from vertex_jobs.search import Completed, Parameter, Space
from vertex_jobs.search.uncertainty import Beliefs

STUDIES, TRIALS = 200, 16
#: Other seeds than those that chose the model's priors.
FIRST_SEED = 20_000
SPACE = Space(tuple(Parameter(name, "double", 0, 1) for name in "abc"))


def one_study(seed: int, noise: float, waves: float = 0.0) -> tuple[float, bool]:
    """Return the chance stated for the trial with the best value, and whether it is the best.

    Args:
        seed: The study's.
        noise: Standard deviation, in spreads of the true values.
        waves: Height of waves over the bowl, each a third of the space long.
    """
    random = np.random.default_rng(seed)
    centre, points = random.random(3), random.random((TRIALS, 3))
    truth = -((points - centre) ** 2) @ np.array([1, 0.5, 0.1])
    truth += waves * np.cos(6 * np.pi * (points - centre)).sum(axis=1)
    values = truth + random.normal(0, noise * truth.std(), TRIALS)
    trials = [
        Completed(number, dict(zip("abc", point, strict=True)), (value,))
        for number, (point, value) in enumerate(
            zip(points.tolist(), values.tolist(), strict=True), start=1
        )
    ]
    winner = int(values.argmax())
    chances = Beliefs.of(SPACE, (True,), trials).chances()
    return chances[winner + 1], bool(truth.argmax() == winner)


def main() -> None:
    print("| function | noise, of the spread | stated | true |")
    print("|---|---|---|---|")
    for name, waves in (("smooth", 0.0), ("with waves", 0.1)):
        for noise in (0.0, 0.05, 0.3, 1.0):
            seeds = range(FIRST_SEED, FIRST_SEED + STUDIES)
            pairs = [one_study(seed, noise, waves) for seed in seeds]
            stated, held = np.mean(pairs, axis=0)
            print(f"| {name} | {noise:.0%} | {stated:.0%} | {held:.0%} |", flush=True)


if __name__ == "__main__":
    main()
