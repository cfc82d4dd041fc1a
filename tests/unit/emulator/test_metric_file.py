import json
from pathlib import Path

import hypertune
import pytest

from vertex_jobs.emulator.controllers.metric_file import MetricFile


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "output.metrics"
    monkeypatch.setenv("CLOUD_ML_HP_METRIC_FILE", str(file))
    monkeypatch.setenv("CLOUD_ML_TRIAL_ID", "3")
    return file


def report(tune: hypertune.HyperTune, name: str, value: float, step: int | None) -> None:
    tune.report_hyperparameter_tuning_metric(name, value, step)


def test_what_hypertune_writes_is_read(path: Path) -> None:
    tune, metrics = hypertune.HyperTune(), MetricFile(path, frozenset({"accuracy"}))
    report(tune, "accuracy", 0.5, 1)
    report(tune, "accuracy", 0.75, 2)
    metrics.poll()
    assert [(one.step, one.metrics) for one in metrics.reports()] == [
        (1, {"accuracy": 0.5}),
        (2, {"accuracy": 0.75}),
    ]


def test_a_second_writer_that_wipes_the_file_loses_nothing_already_read(path: Path) -> None:
    metrics = MetricFile(path, frozenset({"accuracy"}))
    report(hypertune.HyperTune(), "accuracy", 0.5, 1)
    metrics.poll()
    report(hypertune.HyperTune(), "accuracy", 0.6, 2)
    metrics.poll()
    assert [one.step for one in metrics.reports()] == [1, 2]


def test_metrics_of_one_step_are_one_measurement(path: Path) -> None:
    tune, metrics = hypertune.HyperTune(), MetricFile(path, frozenset({"accuracy", "loss"}))
    report(tune, "accuracy", 0.5, 1)
    report(tune, "loss", 2.0, 1)
    metrics.poll()
    assert metrics.reports()[0].metrics == {"accuracy": 0.5, "loss": 2.0}


def test_the_last_line_for_a_step_counts(path: Path) -> None:
    tune, metrics = hypertune.HyperTune(), MetricFile(path, frozenset({"loss"}))
    report(tune, "loss", 2.0, None)
    report(tune, "loss", 1.0, None)
    metrics.poll()
    assert [one.metrics for one in metrics.reports()] == [{"loss": 1.0}]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_finite_is_left_out_with_a_warning(path: Path, value: float) -> None:
    metrics = MetricFile(path, frozenset({"loss"}))
    report(hypertune.HyperTune(), "loss", value, 4)
    metrics.poll()
    assert (metrics.reports(), metrics.warnings) == (
        [],
        [f"The metric 'loss' was '{value}' at step 4; it is left out."],
    )


def test_a_metric_that_the_study_does_not_know_is_named_once(path: Path) -> None:
    tune, metrics = hypertune.HyperTune(), MetricFile(path, frozenset({"accuracy"}))
    for step in range(3):
        report(tune, "acc", 0.1, step)
        metrics.poll()
    assert metrics.warnings == [
        "The metric 'acc' was reported but is not one of the study's (accuracy); it is ignored."
    ]


def test_a_torn_line_is_left_for_the_next_read(path: Path) -> None:
    line = json.dumps({"accuracy": "0.5", "global_step": "1", "timestamp": 1.0, "trial": "3"})
    metrics = MetricFile(path, frozenset({"accuracy"}))
    path.write_text(line[:20])
    torn = metrics.poll()
    path.write_text(line + "\n")
    assert (torn, metrics.poll(), metrics.reports()[0].metrics) == (False, True, {"accuracy": 0.5})


def test_no_file_is_no_measurement(path: Path) -> None:
    metrics = MetricFile(path, frozenset({"accuracy"}))
    assert (metrics.poll(), metrics.reports()) == (False, [])
