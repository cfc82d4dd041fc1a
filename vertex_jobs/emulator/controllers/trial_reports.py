"""The reports of all replicas of one trial, each from the file on that replica's own disk.

The chief's value counts where several replicas report one metric at one step; what another reports
alone counts as well. How the service settles that is not public.
"""

import itertools
from collections.abc import Mapping
from pathlib import Path

from vertex_jobs.emulator.controllers.metric_file import MetricFile, Report


class TrialReports:
    """Gathers what the replicas of a trial report."""

    def __init__(self, paths: Mapping[str, Path], wanted: frozenset[str]) -> None:
        """Follow the file of each replica, the chief's first, for the wanted metrics."""
        self._files = {replica: MetricFile(path, wanted) for replica, path in paths.items()}
        self._said: set[str] = set()
        self._new: list[str] = []

    def prepare(self) -> None:
        """Make room for a trial that starts."""
        for file in self._files.values():
            file.prepare()

    def poll(self) -> bool:
        """Read what is new; return whether a measurement is new or changed."""
        changes = [file.poll() for file in self._files.values()]
        return any(changes)

    def reports(self) -> list[Report]:
        """Return everything gathered so far, by step."""
        found: dict[int, Report] = {}
        for file in self._files.values():
            for new in file.reports():
                first = found.get(new.step, new)
                metrics = {**new.metrics, **first.metrics}
                found[new.step] = Report(new.step, metrics, max(first.time, new.time))
        return [found[step] for step in sorted(found)]

    def new_marks(self) -> list[tuple[float, int]]:
        """Return when which steps were reported since the last call, also for the second time."""
        return list(
            itertools.chain.from_iterable(file.new_marks() for file in self._files.values())
        )

    @property
    def tags(self) -> dict[str, str]:
        """Every name that was reported, to what is wrong with each value; empty if one is right."""
        found: dict[str, str] = {}
        for file in self._files.values():
            found |= {tag: fault and found.get(tag, fault) for tag, fault in file.tags.items()}
        return found

    def warn(self, text: str) -> None:
        """Add a warning, unless it was given before."""
        if text not in self._said:
            self._said.add(text)
            self._new.append(text)

    def new_warnings(self) -> list[str]:
        """Return the warnings since the last call, each said once whichever replica caused it."""
        for file in self._files.values():
            for text in file.warnings:
                self.warn(text)
            file.warnings.clear()
        new, self._new = self._new, []
        return new

    def note_on_others(self) -> str:
        """Return a remark on the replicas that reported and are not the chief; empty for none."""
        tags = {replica: ", ".join(sorted(file.tags)) for replica, file in self._files.items()}
        chief, *others = tags
        by_tags: dict[str, list[str]] = {}
        for replica in others:
            if tags[replica]:
                by_tags.setdefault(tags[replica], []).append(replica)
        if not by_tags:
            return ""
        who = "; ".join(f"{', '.join(names)} reported {tag}" for tag, names in by_tags.items())
        return (
            f"{who}, beside the chief ({chief}). Let the chief alone report, as "
            "vertex_jobs.runtime.metrics does: which of several values for one step counts on "
            "Vertex AI is not documented. Here it is the chief's."
        )
