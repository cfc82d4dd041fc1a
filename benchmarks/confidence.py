"""How far the chance that ``best`` states can be trusted: what it claims, and how often it holds.

    python benchmarks/confidence.py

Studies of 16 random trials of a smooth function of three parameters, with noise of three sizes. For
the trial with the best value: its mean stated chance, and how often it is truly the best.
"""

import numpy as np

from vertex_jobs.search import Completed, Parameter, Space
from vertex_jobs.search.uncertainty import Beliefs

STUDIES, TRIALS = 25, 16
SPACE = Space(tuple(Parameter(name, "double", 0, 1) for name in "abc"))


def one_study(seed: int, noise: float) -> tuple[float, bool]:
    """The chance stated for the trial with the best value, and whether it is truly the best."""
    random = np.random.default_rng(seed)
    centre, points = random.random(3), random.random((TRIALS, 3))
    truth = -((points - centre) ** 2) @ np.array([1, 0.5, 0.1])
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
    print("| noise, of the spread | stated | true |")
    print("|---|---|---|")
    for noise in (0.0, 0.05, 0.3):
        stated, held = np.mean([one_study(seed, noise) for seed in range(STUDIES)], axis=0)
        print(f"| {noise:.0%} | {stated:.0%} | {held:.0%} |")


if __name__ == "__main__":
    main()
