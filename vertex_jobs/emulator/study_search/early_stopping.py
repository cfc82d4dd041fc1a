"""Early stopping of a running trial, by its study's rule.

For tuning jobs and for Vizier's studies. The curves are judged in the search process.

Source: StudySpec: median, decay curve and convex automated stopping.
"""

import math
from collections.abc import Sequence
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources import study_rules
from vertex_jobs.emulator.study_search.search_client import SearchClient

_RULES = {
    "median_automated_stopping_spec": "median",
    "decay_curve_stopping_spec": "decay_curve",
    "convex_automated_stopping_spec": "convex",
}
_CONVEX_NUMBERS = ("max_step_count", "min_step_count", "min_measurement_count")


def has_stopping_rule(study_spec: protos.Message) -> bool:
    """Return whether the study stops trials early at all."""
    return study_spec.WhichOneof("automated_stopping_spec") is not None


async def check_stopping(
    search: SearchClient,
    study_spec: protos.Message,
    trial: protos.Message,
    trials: Sequence[protos.Message],
) -> tuple[bool, protos.Message | None]:
    """Return whether the trial should stop, and the last measurement, if it is predicted.

    The study has a stopping rule; ``trials`` are all of its trials.

    Raises:
        SearchFailedError: If the search process has ended.
    """
    field = study_spec.WhichOneof("automated_stopping_spec")
    spec = getattr(study_spec, field)
    ended = [one for one in trials if one.state == protos.TrialState.SUCCEEDED]
    rule: dict[str, Any] = {"name": _RULES[field]}
    if rule["name"] == "convex":
        rule |= {name: getattr(spec, name) or None for name in _CONVEX_NUMBERS}
        rule["learning_rates"] = _learning_rates(spec, [*ended, trial])
    stops, prediction = await search.judge(
        rule,
        _curve(study_spec, trial, spec.use_elapsed_duration),
        [_curve(study_spec, one, spec.use_elapsed_duration) for one in ended],
    )
    if prediction is None or spec.use_elapsed_duration:
        return stops, None
    metric, sign = study_spec.metrics[0].metric_id, _sign(study_spec)
    place, value = prediction
    last = trial.measurements[-1]
    values = {one.metric_id: one.value for one in last.metrics} | {metric: sign * value}
    elapsed = last.elapsed_duration.ToNanoseconds() / 1e9
    return stops, study_rules.measurement(int(place), values, elapsed)


def _curve(study_spec: protos.Message, trial: protos.Message, use_elapsed: bool) -> dict[str, Any]:
    """Return steps (or seconds) and the first metric's finite values, more being better."""
    metric, sign = study_spec.metrics[0].metric_id, _sign(study_spec)
    points = []
    for one in trial.measurements:
        place = one.elapsed_duration.ToNanoseconds() / 1e9 if use_elapsed else one.step_count
        points += [
            (float(place), sign * found.value)
            for found in one.metrics
            if found.metric_id == metric and math.isfinite(found.value)
        ]
    points.sort()
    final = [one.value for one in trial.final_measurement.metrics if one.metric_id == metric]
    return {
        "places": [place for place, _ in points],
        "values": [value for _, value in points],
        "final": sign * final[0] if final else None,
    }


def _sign(study_spec: protos.Message) -> float:
    return 1.0 if study_rules.maximized(study_spec)[0] else -1.0


def _learning_rates(spec: protos.Message, trials: Sequence[protos.Message]) -> list[float] | None:
    """Return the named parameter's value in each trial; None unless all have a positive one."""
    name = spec.learning_rate_parameter_name
    found = [
        parameter.value.number_value
        for trial in trials
        for parameter in trial.parameters
        if parameter.parameter_id == name and parameter.value.number_value > 0
    ]
    return found if len(found) == len(trials) else None
