import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources import study_rules


def test_parameters_are_in_alphabetical_order() -> None:
    messages = study_rules.parameter_messages(
        {"units": 8, "learning_rate": 0.1, "optimizer": "adam"}
    )
    assert [one.parameter_id for one in messages] == ["learning_rate", "optimizer", "units"]


def study_spec(*, best: bool, goals: dict[str, int]) -> protos.Message:
    spec = protos.HyperparameterTuningJob().study_spec
    spec.measurement_selection_type = 2 if best else 1
    for name, goal in goals.items():
        spec.metrics.add(metric_id=name, goal=goal)
    return spec


CURVE = [
    study_rules.measurement(step, {"loss": loss}, step) for step, loss in enumerate((3.0, 1.0, 2.0))
]


def test_last_measurement_is_final_unless_best_is_asked_for() -> None:
    final = study_rules.final_measurement(study_spec(best=False, goals={"loss": 2}), CURVE)
    assert final.metrics[0].value == 2.0


@pytest.mark.parametrize(("goal", "value"), [(2, 1.0), (1, 3.0), (0, 3.0)])
def test_best_measurement_honours_the_goal(goal: int, value: float) -> None:
    final = study_rules.final_measurement(study_spec(best=True, goals={"loss": goal}), CURVE)
    assert final.metrics[0].value == value


def test_a_measurement_without_every_metric_is_never_final() -> None:
    spec = study_spec(best=False, goals={"loss": 2, "accuracy": 1})
    both = study_rules.measurement(0, {"loss": 1.0, "accuracy": 0.5}, 0)
    assert study_rules.final_measurement(spec, [both, *CURVE[1:]]) == both


def test_no_complete_measurement_no_final_one() -> None:
    spec = study_spec(best=True, goals={"loss": 2, "accuracy": 1})
    assert study_rules.final_measurement(spec, CURVE) is None


@pytest.mark.parametrize("best", [False, True])
@pytest.mark.parametrize("endless", [float("nan"), float("-inf")])
def test_a_value_that_is_not_finite_is_never_final(best: bool, endless: float) -> None:
    spec = study_spec(best=best, goals={"loss": 2})
    diverged = study_rules.measurement(3, {"loss": endless}, 3)
    assert study_rules.final_measurement(spec, [CURVE[1], diverged]) == CURVE[1]
    assert study_rules.final_measurement(spec, [diverged]) is None


@pytest.mark.parametrize("metrics", [{"loss": float("inf")}, {}])
def test_a_trial_without_a_finite_value_has_no_objectives(metrics: dict[str, float]) -> None:
    trial = protos.Trial(state=protos.TrialState.SUCCEEDED)
    trial.final_measurement.CopyFrom(study_rules.measurement(1, metrics, 0))
    assert study_rules.objectives_of(study_spec(best=False, goals={"loss": 2}), trial) is None


@pytest.mark.parametrize(
    ("limit", "outcomes", "ends"),
    [
        (0, [], False),
        (0, [False], True),
        (0, [True, False, False], False),
        (0, [True, False, False, False, False, True], True),
        (2, [False], False),
        (2, [False, True, False], True),
    ],
)
def test_when_failures_end_the_job(limit: int, outcomes: list[bool], ends: bool) -> None:
    assert study_rules.failures_end_job(limit, outcomes) is ends
