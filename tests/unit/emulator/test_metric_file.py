import json
import os
import subprocess
import sys
from pathlib import Path

import hypertune
import pytest

from vertex_jobs.emulator.controllers.metric_file import MetricFile
from vertex_jobs.runtime.metric_reports import journal_of


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


FAST = """
import sys
from vertex_jobs.runtime import metrics

for step in range(int(sys.argv[1]), int(sys.argv[2])):
    metrics.report("loss", step / 2, step)
"""
BARE = """
import sys, hypertune

tune = hypertune.HyperTune()
for step in range(int(sys.argv[1]), int(sys.argv[2])):
    tune.report_hyperparameter_tuning_metric("loss", step / 2, step)
"""


def started(script: str, first: int, last: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", script, str(first), str(last)])


def test_a_thousand_reports_of_the_runtime_are_a_thousand_measurements(path: Path) -> None:
    metrics = MetricFile(path, frozenset({"loss"}))
    metrics.prepare()
    assert started(FAST, 0, 1000).wait() == 0
    metrics.poll()
    assert [(one.step, one.metrics["loss"]) for one in metrics.reports()] == [
        (step, step / 2) for step in range(1000)
    ]


def test_what_is_read_while_it_is_written_is_the_same(path: Path) -> None:
    metrics = MetricFile(path, frozenset({"loss"}))
    metrics.prepare()
    with started(FAST, 0, 500) as one, started(FAST, 500, 1000) as other:
        while one.poll() is None or other.poll() is None:
            metrics.poll()
    metrics.poll()
    assert [one.metrics["loss"] for one in metrics.reports()] == [step / 2 for step in range(1000)]
    assert metrics.warnings == []


def test_of_bare_hypertune_the_last_hundred_are_read_at_the_end(path: Path) -> None:
    metrics = MetricFile(path, frozenset({"loss"}))
    metrics.prepare()
    assert started(BARE, 0, 1000).wait() == 0
    metrics.poll()
    assert [one.step for one in metrics.reports()] == list(range(900, 1000))


def test_bare_hypertune_read_while_it_writes_gives_nothing_wrong(path: Path) -> None:
    metrics = MetricFile(path, frozenset({"loss"}))
    metrics.prepare()
    with started(BARE, 1, 1000) as writer:
        while writer.poll() is None:
            metrics.poll()
    metrics.poll()
    assert metrics.reports()
    assert all(one.metrics == {"loss": one.step / 2} for one in metrics.reports())


def test_two_bare_hypertunes_tear_each_others_lines_and_stop_nothing(path: Path) -> None:
    metrics = MetricFile(path, frozenset({"loss"}))
    metrics.prepare()
    with started(BARE, 1, 500) as one, started(BARE, 500, 1000) as other:
        while one.poll() is None or other.poll() is None:
            metrics.poll()
    metrics.poll()
    assert metrics.reports()


def test_outside_local_vertex_the_runtime_writes_no_journal(path: Path) -> None:
    assert started(FAST, 0, 2).wait() == 0
    assert (path.exists(), journal_of(path).exists()) == (True, False)


def test_a_second_start_of_a_trial_reads_nothing_of_the_first(path: Path) -> None:
    MetricFile(path, frozenset({"loss"})).prepare()
    assert started(FAST, 0, 2).wait() == 0
    metrics = MetricFile(path, frozenset({"loss"}))
    metrics.prepare()
    assert (metrics.poll(), metrics.reports()) == (False, [])


@pytest.mark.parametrize(
    ("given", "step"), [({}, 0), ({"global_step": None}, 0), ({"global_step": "3.0"}, 3)]
)
def test_a_step_may_be_missing_or_a_float(path: Path, given: dict[str, object], step: int) -> None:
    path.write_text(json.dumps({"loss": "1.0", **given}))
    metrics = MetricFile(path, frozenset({"loss"}))
    metrics.poll()
    assert [one.step for one in metrics.reports()] == [step]


@pytest.mark.parametrize("given", ["-1", "inf", "nan", "many", 1e300])
def test_what_is_no_step_is_left_out_with_a_warning(path: Path, given: object) -> None:
    path.write_text(json.dumps({"loss": "1.0", "global_step": given}))
    metrics = MetricFile(path, frozenset({"loss"}))
    metrics.poll()
    assert (metrics.reports(), metrics.warnings) == (
        [],
        [f"A metric was reported at step {given!r}, which is none; it is left out."],
    )


@pytest.mark.parametrize("given", ["NaN", "Infinity", "-5", "1e300", '"today"', "null"])
def test_a_time_that_is_none_does_not_cost_the_value(path: Path, given: str) -> None:
    path.write_text(f'{{"loss": "1.0", "timestamp": {given}}}')
    metrics = MetricFile(path, frozenset({"loss"}))
    metrics.poll()
    assert [(one.metrics, one.time) for one in metrics.reports()] == [({"loss": 1.0}, 0.0)]


@pytest.mark.parametrize("text", ["[]", "3", "null", '"loss"', "\x00\x00{", "\ufffd"])
def test_what_is_no_report_is_passed_over(path: Path, text: str) -> None:
    path.write_text(text)
    metrics = MetricFile(path, frozenset({"loss"}))
    assert (metrics.poll(), metrics.warnings) == (False, [])


def test_a_rewrite_of_equal_size_and_time_is_seen(path: Path) -> None:
    metrics = MetricFile(path, frozenset({"loss"}))
    path.write_text('{"loss": "1.0"}')
    status = path.stat()
    metrics.poll()
    path.write_text('{"loss": "2.0"}')
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (metrics.poll(), metrics.reports()[0].metrics) == (True, {"loss": 2.0})


def test_every_tag_is_remembered_with_what_is_wrong_with_all_of_it(path: Path) -> None:
    tune, metrics = hypertune.HyperTune(), MetricFile(path, frozenset({"loss"}))
    report(tune, "acc", 0.5, 1)
    report(tune, "loss", float("nan"), 1)
    report(tune, "auc", 0.5, -1)
    for step in (-1, 1, -1):
        report(tune, "recall", 0.5, step)
    metrics.poll()
    assert metrics.tags == {
        "acc": "",
        "loss": "not a number (NaN), first at step 1",
        "auc": "never at a step",
        "recall": "",
    }


def test_a_folder_in_place_of_the_file_is_no_report(path: Path) -> None:
    metrics = MetricFile(path, frozenset({"loss"}))
    path.mkdir()
    assert [metrics.poll() for _ in range(2)] == [False, False]
    assert metrics.warnings == [
        "No metrics are read from output.metrics: Is a directory. Write a plain file there."
    ]
    metrics.prepare()
    assert not path.exists()


def test_a_line_too_deep_to_read_costs_no_other(path: Path) -> None:
    path.write_text("[" * 200_000 + '\n{"loss": "1.0"}\n')
    metrics = MetricFile(path, frozenset({"loss"}))
    assert (metrics.poll(), metrics.reports()[0].metrics) == (True, {"loss": 1.0})
