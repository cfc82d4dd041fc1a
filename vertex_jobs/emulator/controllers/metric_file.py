"""The files in which a trial reports, followed while it runs.

cloudml-hypertune rewrites its whole file at each report, not atomically, and keeps 100 lines, so
the file is read often and its lines are gathered: the last line for a step and a metric counts.
What a script reports through ``vertex_jobs.runtime`` also stands in a journal beside that file,
which is only ever appended to, so nothing of it is lost however fast it comes; and it is believed
before the file, in which two writers can leave a line that neither wrote. How the service
itself turns the file into measurements is not public.
Source: cloudml-hypertune 0.1.0.dev6.
"""

import json
import math
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vertex_jobs.runtime.metric_reports import RESERVED_TAGS, journal_of

#: Steps are signed 64-bit numbers in the API, durations at most 10,000 years. Source: Measurement.
_MAX_STEP, _MAX_SECONDS = 2**63, 315_576_000_000.0


#: By step and metric: the value, and when it was written.
_Gathered = dict[int, dict[str, tuple[float, float]]]


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
        tags: Every name that was reported, to what is wrong with each value; empty if one is right.
        warnings: What was left out and why, each said once; whoever reads them clears them.
    """

    path: Path
    wanted: frozenset[str]
    tags: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    _file: _Gathered = field(default_factory=dict)
    _journal: _Gathered = field(default_factory=dict)
    _text: str = ""
    _read_bytes: int = 0
    _said: set[str] = field(default_factory=set)
    _marks: set[tuple[float, int]] = field(default_factory=set)
    _new_marks: list[tuple[float, int]] = field(default_factory=list)

    def prepare(self) -> None:
        """Make room for a trial that starts: no file yet, and an empty journal."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.is_dir() and not self.path.is_symlink():
            shutil.rmtree(self.path)
        self.path.unlink(missing_ok=True)
        journal_of(self.path).write_bytes(b"")

    def poll(self) -> bool:
        """Read what is new; return whether a measurement is new or changed."""
        changes = [self._take(line, self._journal) for line in self._journal_lines()]
        changes += [self._take(line, self._file) for line in self._lines()]
        return any(changes)

    def new_marks(self) -> list[tuple[float, int]]:
        """Return when which steps were reported since the last call, also for the second time."""
        new, self._new_marks = self._new_marks, []
        return new

    def reports(self) -> list[Report]:
        """Return everything gathered so far, by step."""
        found = []
        for step in sorted(self._file.keys() | self._journal.keys()):
            values = {**self._file.get(step, {}), **self._journal.get(step, {})}
            metrics = {name: value for name, (value, _) in values.items()}
            found.append(Report(step, metrics, max(time for _, time in values.values())))
        return found

    def _lines(self) -> Iterator[str]:
        """Yield the lines of the file that count: all, if it is not as it was.

        It is read whole each time: two writes within one tick of the file system's clock can leave
        its time and its size as they were.
        """
        try:
            text = self.path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            self._warn_unreadable(error)
            return
        before, self._text = self._text, text
        if self._journal:
            # All that matters is in the journal; beside it a line counts that stood there twice.
            standing = set(before.split("\n"))
            yield from (line for line in text.split("\n") if line in standing)
        elif text != before:
            yield from text.split("\n")

    def _journal_lines(self) -> Iterator[str]:
        """Yield the journal's lines since the last time; one that is being written waits."""
        try:
            with journal_of(self.path).open("rb") as journal:
                journal.seek(self._read_bytes)
                new = journal.read()
        except OSError as error:
            self._warn_unreadable(error)
            return
        whole = new[: new.rfind(b"\n") + 1]
        self._read_bytes += len(whole)
        yield from whole.decode("utf-8", errors="replace").split("\n")

    def warn(self, text: str) -> None:
        """Add a warning, unless it was given before."""
        if text not in self._said:
            self._said.add(text)
            self.warnings.append(text)

    def _warn_unreadable(self, error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):  # nothing is reported yet
            name = Path(error.filename).name
            self.warn(
                f"No metrics are read from {name}: {error.strerror}. Write a plain file there."
            )

    def _take(self, line: str, gathered: _Gathered) -> bool:
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            return False  # empty, or a torn write; the next read has it whole
        if not isinstance(content, dict):
            return False
        reported = {name: one for name, one in content.items() if name not in RESERVED_TAGS}
        step = _step(content.get("global_step"))
        self._note(reported, step)
        if step is None:
            given = content["global_step"]
            self.warn(f"A metric was reported at step {given!r}, which is none; it is left out.")
            return False
        time = _number(content.get("timestamp")) or 0.0
        time = time if 0 <= time <= _MAX_SECONDS else 0.0
        if time and (time, step) not in self._marks:
            self._marks.add((time, step))
            self._new_marks.append((time, step))
        changed = False
        for name, text in reported.items():
            value = self._value(step, name, text)
            if value is None:
                continue
            metrics = gathered.setdefault(step, {})
            if name not in metrics or metrics[name][0] != value:
                metrics[name] = (value, time)
                changed = True
        return changed

    def _note(self, reported: Mapping[str, object], step: int | None) -> None:
        for name, text in reported.items():
            fault = "never at a step" if step is None else ""
            if step is not None and _number(text) is None:
                fault = f"{_fault_of(text)}, first at step {step}"
            self.tags[name] = fault and self.tags.get(name, fault)

    def _value(self, step: int, name: str, text: object) -> float | None:
        value = _number(text)
        if name not in self.wanted:
            self.warn(
                f"The metric {name!r} was reported but is not one of the study's "
                f"({', '.join(sorted(self.wanted))}); it is ignored."
            )
            return None
        if value is None:
            self.warn(f"The metric {name!r} was {text!r} at step {step}; it is left out.")
        return value


def _step(given: object) -> int | None:
    """Return a step; 0 where none was given, None where it is no number that counts steps."""
    if given is None:
        return 0
    number = _number(given)
    return int(number) if number is not None and 0 <= number < _MAX_STEP else None


def _fault_of(text: object) -> str:
    """Return what is wrong with a value that is not finite."""
    try:
        value = float(str(text))
    except ValueError:
        return "not a number"
    return "not a number (NaN)" if math.isnan(value) else "infinite"


def _number(text: object) -> float | None:
    try:
        value = float(str(text))
    except ValueError:
        return None
    return value if math.isfinite(value) else None
