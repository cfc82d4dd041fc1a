"""Trials that the noise does not tell from the best one."""

import pytest

from vertex_jobs.study import Trial
from vertex_jobs.study.confidence import Confidence


def confidence(values: list[float], noise: float = 0.01) -> Confidence:
    ids = [str(place) for place in range(1, len(values) + 1)]
    chances = dict.fromkeys(ids, 1 / len(ids))
    return Confidence(
        chances, {"loss": noise}, {key: key for key in ids}, dict(zip(ids, values, strict=True))
    )


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([0.5, 0.51, 0.9], "about 0.01, and within that trial 2 is its equal."),
        ([0.5, 0.52, 0.51], "about 0.01, and within that trial 3 and trial 2 are its equals."),
        ([0.5, 0.6, 0.9], "about 0.01, and no other trial is so near."),
        (
            [0.5, 0.501, 0.502, 0.503, 0.504, 0.505, 0.506],
            "within that trial 2, trial 3, trial 4, trial 5 and 2 more are its equals.",
        ),
    ],
)
def test_the_equals_of_the_best_trial_are_named(values: list[float], said: str) -> None:
    assert confidence(values).sentence(Trial("1", "SUCCEEDED", {})).endswith(said)


def test_several_metrics_have_no_one_order() -> None:
    several = Confidence({"1": 1.0}, {"loss": 0.1, "latency": 0.1}, {"1": "1"}, {})
    assert several.equals(Trial("1", "SUCCEEDED", {})) == []
