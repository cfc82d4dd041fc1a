"""Trials read back from what ``trials --format json`` printed.

For ``run --warm-start FILE.json`` and the search that learns from it. Any other form is refused:
half a history would mislead a search without anybody noticing.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

from vertex_jobs.study.trial_records import Measurement, Trial


def read_exported(text: str) -> tuple[Trial, ...]:
    """Return the trials in the text of an export, in its order.

    Raises:
        ValueError: If it is no such export; the message names the wrong trial and the reason.
    """
    try:
        forms = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is no JSON: {error}") from error
    if not isinstance(forms, list):
        raise ValueError("it is no list of trials")
    trials = []
    for number, form in enumerate(forms, start=1):
        try:
            trials.append(_read(form))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"its trial {number} lacks or garbles {error}") from error
    return tuple(trials)


def _read(form: Mapping[str, Any]) -> Trial:
    parameters = dict(form["parameters"])
    for name, value in parameters.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise TypeError(f"the parameter {name}, which is {value!r}")
    return Trial(
        id=str(form["id"]),
        state=str(form["state"]),
        parameters=parameters,
        metrics=_metrics(form["metrics"]),
        step=form["step"],
        measurements=tuple(
            Measurement(int(one["step"]), _metrics(one["metrics"])) for one in form["measurements"]
        ),
        infeasible_reason=form["infeasible_reason"],
        model_dir=form["model_dir"],
        start_time=form["start_time"],
        end_time=form["end_time"],
    )


def _metrics(form: Mapping[str, Any]) -> dict[str, float]:
    """Return values by metric; null stands for a value that was not finite and becomes NaN."""
    return {name: math.nan if value is None else float(value) for name, value in form.items()}
