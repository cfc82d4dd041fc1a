"""Runs that alternate on one machine, and their ratios; for every benchmark here.

Seconds on a shared machine mean little, but two programs that take turns see the same machine, so
the ratio of a round is meaningful. No benchmark claims an absolute time.
"""

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

__all__ = [
    "Claim",
    "Comparison",
    "alternate",
    "as_measured",
    "at_least",
    "at_most",
    "seconds_of",
    "surroundings",
]

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Comparison:
    """The time of each contender, round by round.

    Attributes:
        seconds: By contender, one number per round, in order; all of equal length.
    """

    seconds: Mapping[str, Sequence[float]]

    def ratios(self, ours: str, theirs: str) -> list[float]:
        """Return the time of one as a fraction of the other's, round by round."""
        pairs = zip(self.seconds[ours], self.seconds[theirs], strict=True)
        return [mine / other for mine, other in pairs]


@dataclass(frozen=True)
class Claim:
    """One line of the table.

    Attributes:
        subject: The measured thing, and its peer.
        ratios: One per round.
        limit: The target of the median; None for a figure without a target.
        upper: Whether ``limit`` is a ceiling; else it is a floor.
    """

    subject: str
    ratios: Sequence[float]
    limit: float | None
    upper: bool

    @property
    def median(self) -> float:
        """The median over the rounds."""
        return statistics.median(self.ratios)

    @property
    def holds(self) -> bool:
        """True when the median keeps the limit."""
        if self.limit is None:
            return True
        return self.median <= self.limit if self.upper else self.median >= self.limit

    def cells(self) -> tuple[str, ...]:
        """Return subject, median, spread, rounds, target and verdict, as texts."""
        target, verdict = "none", ""
        if self.limit is not None:
            target = f"{'≤' if self.upper else '≥'} {self.limit:g}"
            verdict = "yes" if self.holds else "**no**"
        return (
            self.subject,
            f"{self.median:.3g}",
            f"{min(self.ratios):.3g} to {max(self.ratios):.3g}",
            str(len(self.ratios)),
            target,
            verdict,
        )


def at_most(subject: str, ratios: Sequence[float], limit: float) -> Claim:
    """Return a claim with a ceiling."""
    return Claim(subject, ratios, limit, upper=True)


def at_least(subject: str, ratios: Sequence[float], limit: float) -> Claim:
    """Return a claim with a floor."""
    return Claim(subject, ratios, limit, upper=False)


def as_measured(subject: str, ratios: Sequence[float]) -> Claim:
    """Return a figure without a target."""
    return Claim(subject, ratios, None, upper=False)


def alternate(contenders: Mapping[str, Callable[[], float]], rounds: int) -> Comparison:
    """Run the contenders in turns.

    The order rotates from round to round, so that none always follows the same other one.

    Args:
        contenders: By name; each runs once and returns its seconds.
        rounds: Runs of each.
    """
    names = list(contenders)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            taken = contenders[name]()
            seconds[name].append(taken)
            print(f"  round {number + 1}/{rounds}  {name}: {taken:.3f} s", file=sys.stderr)
    return Comparison(seconds)


def seconds_of(command: Sequence[str], **environment: str) -> float:
    """Return the seconds that a command takes from its start to its end.

    Raises:
        subprocess.CalledProcessError: If it fails; its output is shown.
    """
    started = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    taken = time.perf_counter() - started
    if done.returncode:
        sys.stderr.write(done.stdout.decode(errors="replace"))
        done.check_returncode()
    return taken


def surroundings() -> list[str]:
    """Return the machine and the versions that the figures belong to."""
    cpu = next(
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    names = ("tensorflow", "keras", "google-cloud-aiplatform", "numpy", "scipy")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in names)
    return [
        f"{os.cpu_count()} x {cpu}, {memory:.0f} GiB, {platform.system()} {platform.release()}",
        f"Python {platform.python_version()}, {versions}",
    ]
