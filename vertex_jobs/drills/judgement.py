"""Whether a job that was restarted went on, judged by what was seen of it.

Pure. A step is printed shortly before or after its checkpoint is written, so that two steps more
than at the last write are right; steps that nobody saw are never assumed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Literal

from vertex_jobs.drills.marks import Mark, chosen_counter
from vertex_jobs.wording import count

Outcome = Literal["went on", "unknown", "began anew", "wrong step"]
#: From good to bad.
_ORDER: tuple[Outcome, ...] = ("went on", "unknown", "began anew", "wrong step")
#: TensorFlow reads this index of a directory when it makes a CheckpointManager, also for nothing.
_INDEX = "checkpoint"
_SLACK = 2


@dataclass(frozen=True)
class Restart:
    """One restart.

    Attributes:
        time: When, in seconds since 1970.
        of_chief: Whether the chief's replica started again.
        written: When the newest checkpoint had been written; 0 without one.
    """

    time: float
    of_chief: bool
    written: float


@dataclass(frozen=True)
class Read:
    """The first read of an object that had been written before the restart."""

    uri: str
    time: float
    written: float


@dataclass(frozen=True)
class Finding:
    """What is known of one restart: the outcome, and a clause that says it."""

    outcome: Outcome
    text: str

    @property
    def severity(self) -> int:
        """How bad it is: of several findings the worst counts."""
        return _ORDER.index(self.outcome)


@dataclass(frozen=True)
class Observation:
    """What was seen of a rehearsed job; the marks are its chief's."""

    restarts: Sequence[Restart]
    reads: Sequence[Read]
    marks: Sequence[Mark]

    def judge(self) -> Finding:
        """Return the worst of the findings about its restarts, of which there is at least one.

        A restart before the first checkpoint could not go on, so it counts only if there is no
        other.
        """
        of_chief = [one for one in self.restarts if one.of_chief]
        if not of_chief:
            return Finding("went on", "the chief ran on, and the lost replica was replaced")
        judged = [one for one in of_chief if one.written] or of_chief
        findings = [self._judge(one) for one in judged]
        return max(findings, key=lambda finding: finding.severity)

    def _judge(self, restart: Restart) -> Finding:
        later = [one.time for one in self.restarts if one.of_chief and one.time > restart.time]
        end = min(later, default=float("inf"))
        read = self._read_between(restart.time, end)
        counter = chosen_counter(self.marks, [one.time for one in self.restarts])
        marks = sorted((one for one in self.marks if one.counter == counter), key=_time)
        before = [one for one in marks if one.time < restart.time]
        after = [one for one in marks if restart.time <= one.time < end]
        if not before or not after:
            return _without_steps(restart, read)
        return _Steps(before, after[0], _stride(marks)).judge(read)

    def _read_between(self, start: float, end: float) -> Read | None:
        """Return the read of the newest checkpoint, if one was read."""
        seen = [one for one in self.reads if start <= one.time < end]
        real = [one for one in seen if one.uri.rpartition("/")[2] != _INDEX]
        return max(real, key=lambda one: one.written, default=None)


@dataclass(frozen=True)
class _Steps:
    """The steps before a restart, the one it went on at, and the usual distance of two."""

    before: Sequence[Mark]
    resumed: Mark
    stride: float

    def judge(self, read: Read | None) -> Finding:
        resumed, first = self.resumed.step, self.before[0].step
        furthest = max(self.before, key=lambda one: one.step)
        again = {one.step for one in self.before if one.step >= resumed}
        slack = _SLACK * self.stride
        held = self._held_by(read) if read is not None else None
        source = f"it read {read.uri}" if read is not None else "it read no checkpoint"
        if held is not None:
            source += f", written at {held},"
        at = f"went on at {self.resumed}"
        if resumed <= first:
            lost = f"{count(len(again), 'step')} {'was' if len(again) == 1 else 'were'} lost"
            if read is None:
                return Finding("began anew", lost)
            return Finding("wrong step", f"{source} but began at {self.resumed} again: {lost}")
        if resumed > furthest.step + slack:
            gap = f"it had come to {furthest}, and what lies between was never done"
            return Finding("wrong step", f"{source} and {at}: {gap}")
        if held is not None and resumed > held.step + slack:
            gap = "what it had learnt in between was lost, and not done again"
            return Finding("wrong step", f"{source} and {at}: {gap}")
        repeated = f"; {count(len(again), 'step')} done again" if again else ""
        return Finding("went on", f"{source} and {at}{repeated}")

    def _held_by(self, read: Read) -> Mark | None:
        """Return the last step that was seen when the checkpoint was written."""
        if "/checkpoints/" not in read.uri:
            return None
        seen = [one for one in self.before if one.time <= read.written]
        return seen[-1] if seen else None


def _without_steps(restart: Restart, read: Read | None) -> Finding:
    unseen = "no step was seen in its output, its metrics or its TensorBoard logs"
    if read is not None:
        return Finding(
            "went on", f"it read {read.uri}; at which step it went on is unknown: {unseen}"
        )
    if restart.written:
        return Finding(
            "began anew", f"it read no checkpoint; how many steps were lost is unknown: {unseen}"
        )
    return Finding("unknown", f"it wrote no checkpoint to AIP_CHECKPOINT_DIR, and {unseen}")


def _stride(marks: Sequence[Mark]) -> float:
    steps = sorted({one.step for one in marks})
    return max(1.0, median(b - a for a, b in pairwise(steps))) if len(steps) > 1 else 1.0


def _time(mark: Mark) -> float:
    return mark.time
