"""The rules that stop a study before its last trial."""

import math
from typing import Any

import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.study_stopping import reason_to_stop, trial_limit


def study(
    values: list[float | None], seconds: int = 100, metrics: int = 1, **config: Any
) -> tuple[Any, list[Any], Any, Any]:
    """A study that began at 0 and ended a trial every ten seconds; None is infeasible."""
    spec = protos.from_json(
        {
            "metrics": [{"metricId": f"m{number}"} for number in range(metrics)],
            "studyStoppingConfig": config,
        },
        protos.StudySpec(),
    )
    trials = [
        protos.from_json(
            {
                "state": "INFEASIBLE" if value is None else "SUCCEEDED",
                "endTime": f"1970-01-01T00:{10 * number // 60:02}:{10 * number % 60:02}Z",
                "finalMeasurement": {"metrics": [{"metricId": "m0", "value": value or 0}]},
            },
            protos.Trial(),
        )
        for number, value in enumerate(values, start=1)
    ]
    start, now = protos.Trial().start_time, protos.Trial().start_time
    now.FromSeconds(seconds)
    return spec, trials, start, now


def limit(seconds: int) -> dict[str, str]:
    return {"maxDuration": f"{seconds}s"}


@pytest.mark.parametrize(
    ("values", "config", "expected"),
    [
        ([1], {}, ""),
        ([1], {"maximumRuntimeConstraint": limit(100)}, "maximum_runtime_constraint has passed"),
        ([1], {"maximumRuntimeConstraint": limit(101)}, ""),
        (
            [1],
            {"maximumRuntimeConstraint": {"endTime": "1970-01-01T00:01:00Z"}},
            "maximum_runtime_constraint has passed",
        ),
        ([1, 2], {"maxNumTrials": 2}, "max_num_trials is 2"),
        ([1, 2], {"maxNumTrials": 2, "minNumTrials": 3}, ""),
        ([1, 2], {"maxNumTrials": 2, "minimumRuntimeConstraint": limit(101)}, ""),
        ([1, 3, 2, None], {"maxNumTrialsNoProgress": 2}, "no progress in 2 trials"),
        ([1, 3, 2, 4], {"maxNumTrialsNoProgress": 1}, ""),
        ([None, None], {"maxNumTrialsNoProgress": 2}, "no progress in 2 trials"),
        ([1, 0], {"maxDurationNoProgress": "90s"}, "no progress in 90 s"),
        ([1, 0], {"maxDurationNoProgress": "91s"}, ""),
        ([], {"maxNumTrialsNoProgress": 1, "maxDurationNoProgress": "1s"}, ""),
    ],
)
def test_rules(values: list[float | None], config: dict[str, Any], expected: str) -> None:
    assert reason_to_stop(*study(values, **config)) == expected


def test_progress_has_no_meaning_with_two_metrics() -> None:
    assert reason_to_stop(*study([1, 0, 0], metrics=2, maxNumTrialsNoProgress=1)) == ""


@pytest.mark.parametrize(
    ("config", "most"),
    [
        ({}, math.inf),
        ({"maxNumTrials": 4}, 4),
        ({"maxNumTrials": 4, "minNumTrials": 2}, 4),
        ({"maxNumTrials": 4, "minNumTrials": 3}, math.inf),
        ({"maxNumTrials": 4, "minimumRuntimeConstraint": limit(101)}, math.inf),
    ],
)
def test_no_trial_starts_above_the_limit(config: dict[str, Any], most: float) -> None:
    assert trial_limit(*study([1, 2], **config)) == most
