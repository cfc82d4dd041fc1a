"""The learning curves of a study: what its trials reported on the way, from their own outputs.

A tuning job of Vertex AI was only seen to tell each trial's final measurement. The runtime keeps
every report in a file among the trial's logs, on both endpoints; see ``runtime.measurement_file``.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from vertex_jobs.names import MEASUREMENT_FILE, GcsUri
from vertex_jobs.study.study import Study
from vertex_jobs.study.trial_records import Measurement, Trial


def curve_uri(trial: Trial) -> str | None:
    """Return the URI of a trial's measurements; None for one whose outputs are not kept."""
    return str(GcsUri.parse(trial.log_dir).join(MEASUREMENT_FILE)) if trial.log_dir else None


def with_curves(study: Study, curves: Mapping[str, tuple[Measurement, ...]]) -> Study:
    """Return the study with the measurements of trials, by id, that it has none of."""
    trials = tuple(
        trial if trial.measurements else replace(trial, measurements=curves.get(trial.id, ()))
        for trial in study.trials
    )
    return replace(study, trials=trials)


def read_curve(text: str) -> tuple[Measurement, ...]:
    """Return the measurements in a file, by step; of two reports of a step the later one counts.

    A line that is none is left out: one that was cut off must not hide the others.
    """
    by_step: dict[int, dict[str, float]] = {}
    for step, metric, value in _reports(text.splitlines()):
        by_step.setdefault(step, {})[metric] = value
    return tuple(Measurement(step, by_step[step]) for step in sorted(by_step))


def _reports(lines: Iterable[str]) -> Iterable[tuple[int, str, float]]:
    for line in lines:
        try:
            report = json.loads(line)
            yield int(report["step"]), str(report["metric"]), float(report["value"])
        except (KeyError, TypeError, ValueError):
            continue
