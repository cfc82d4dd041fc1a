"""The final metric of a rehearsed job against undisturbed runs of the same job."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vertex_jobs.wording import number

#: Two undisturbed runs say how far equal seeds differ. A third such run lies within this many
#: times their distance of their mean in 95 of 100 cases: Student's t with one degree of freedom
#: (12.706), times the square roots of 3/2 and 1/2.
_INTERVAL = 11.0
#: Sums of floating-point numbers in another order differ by less.
_ROUNDING = 1e-6
#: What a person looks at first: measured on held-out data.
_HELD_OUT = ("val", "test", "eval")


@dataclass(frozen=True)
class Comparison:
    """One metric of the rehearsed run and of undisturbed ones, of which there is at least one."""

    metric: str
    rehearsed: float
    undisturbed: Sequence[float]

    @property
    def agrees(self) -> bool:
        """True if the rehearsed run lies within what equal seeds give."""
        mean = math.fsum(self.undisturbed) / len(self.undisturbed)
        spread = max(self.undisturbed) - min(self.undisturbed)
        rounding = _ROUNDING * max(abs(self.rehearsed), abs(mean))
        return abs(self.rehearsed - mean) <= max(_INTERVAL * spread, rounding)

    def __str__(self) -> str:
        others = " and ".join(number(value) for value in self.undisturbed)
        runs = "an undisturbed run" if len(self.undisturbed) == 1 else "two undisturbed runs"
        return f"{self.metric} {number(self.rehearsed)}, in {runs} {others}"


def chosen_metric(*runs: Mapping[str, float]) -> str | None:
    """Return the metric by which the runs are compared, finite in all; None if there is none."""
    common = [
        name for name in runs[0] if all(math.isfinite(run.get(name, math.nan)) for run in runs)
    ]
    held_out = [name for name in common if any(word in name.lower() for word in _HELD_OUT)]
    return next(iter(held_out or common), None)
