"""The file that cloudml-hypertune writes, followed while a trial runs.

The library rewrites the whole file at each report, not atomically, and keeps 100 lines, so the
file is read often and its lines are gathered: the last line for a step and a metric counts. How
the service itself turns the file into measurements is not public.
Source: cloudml-hypertune 0.1.0.dev6.
"""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["MetricFile", "Report"]


@dataclass(frozen=True)
class Report:
    """One step's metrics, and when the last of them was written, in seconds since 1970."""

    step: int
    metrics: dict[str, float]
    time: float


@dataclass
class MetricFile:
    """Gathers what a trial reports.

    Attributes:
        path: The trial's own file; it need not exist yet.
        wanted: Names of the study's metrics.
        warnings: What was left out and why, each said once; whoever reads them clears them.
    """

    path: Path
    wanted: frozenset[str]
    warnings: list[str] = field(default_factory=list)
    _steps: dict[int, dict[str, float]] = field(default_factory=dict)
    _times: dict[int, float] = field(default_factory=dict)
    _seen: tuple[int, int] = (0, 0)
    _said: set[str] = field(default_factory=set)

    def poll(self) -> bool:
        """Read the file if it changed; says whether a measurement is new or changed."""
        try:
            status = self.path.stat()
            signature = (status.st_mtime_ns, status.st_size)
            if signature == self._seen:
                return False
            text = self.path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return False
        self._seen = signature
        changes = [self._take(line) for line in text.splitlines() if line.strip()]
        return any(changes)

    def reports(self) -> list[Report]:
        """Everything gathered so far, by step."""
        return [
            Report(step, dict(self._steps[step]), self._times[step]) for step in sorted(self._steps)
        ]

    def _warn(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self.warnings.append(text)

    def _take(self, line: str) -> bool:
        try:
            content = json.loads(line)
            step = int(content.get("global_step", 0))
            time = float(content.get("timestamp", 0.0))
        except (ValueError, AttributeError, TypeError):
            return False  # a torn write; the next read has it whole
        changed = False
        reserved = {"global_step", "timestamp", "trial", "checkpoint_path"}
        for name, text in content.items():
            if name in reserved:
                continue
            if name not in self.wanted:
                self._warn(
                    f"The metric {name!r} was reported but is not one of the study's "
                    f"({', '.join(sorted(self.wanted))}); it is ignored."
                )
                continue
            value = _number(text)
            if value is None:
                self._warn(f"The metric {name!r} was {text!r} at step {step}; it is left out.")
                continue
            metrics = self._steps.setdefault(step, {})
            if metrics.get(name) != value:
                metrics[name] = value
                self._times[step] = time
                changed = True
        return changed


def _number(text: object) -> float | None:
    """A finite number, or None."""
    try:
        value = float(str(text))
    except ValueError:
        return None
    return value if math.isfinite(value) else None
