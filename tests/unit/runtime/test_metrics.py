"""The values that reach the metric file of cloudml-hypertune, and those that do not."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vertex_jobs.runtime import metric_reports, metrics
from vertex_jobs.runtime.cluster import Cluster
from vertex_jobs.runtime.environment import Environment


@pytest.fixture
def metric_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a trial's metric file, in a process that has reported nothing yet."""
    path = tmp_path / "hypertune" / "output.metrics"
    for name, value in Environment(trial_id="7", metric_file=str(path)).to_variables().items():
        monkeypatch.setenv(name, value)
    metric_reports._hypertune.cache_clear()
    yield path
    metric_reports._hypertune.cache_clear()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_report_is_one_line_of_the_trial(metric_file: Path) -> None:
    metrics.report("accuracy", 0.5, step=3)
    (line,) = lines(metric_file)
    assert {key: line[key] for key in ("accuracy", "global_step", "trial")} == {
        "accuracy": "0.5",
        "global_step": "3",
        "trial": "7",
    }


def test_later_reports_keep_the_earlier_ones(metric_file: Path) -> None:
    for step in range(3):
        metrics.report("loss", 1.0 - step, step)
    assert [line["loss"] for line in lines(metric_file)] == ["1.0", "0.0", "-1.0"]


@pytest.mark.parametrize(
    "value",
    [2, 2.0, np.float32(2), np.array(2.0), np.array([2.0]), np.array([[2]])],
    ids=repr,
)
def test_anything_that_is_one_number_is_reported(metric_file: Path, value: Any) -> None:
    metrics.report("loss", value, step=1)
    assert lines(metric_file)[0]["loss"] == "2.0"


@pytest.mark.parametrize("value", [np.array([1.0, 2.0]), "0.5", None, [1.0], {"a": 1}])
def test_what_is_not_one_number_is_refused(metric_file: Path, value: Any) -> None:
    with pytest.raises(TypeError, match=r"metric loss got .*, which is not one number; reduce it"):
        metrics.report("loss", value, step=1)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float32("-inf")])
def test_what_is_not_finite_is_logged_instead(
    metric_file: Path, value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    reported = metrics.report("loss", value, step=4)
    assert (reported, metric_file.exists(), caplog.messages) == (
        False,
        False,
        [f"loss is {float(value)} at step 4: not reported"],
    )


def test_local_vertex_is_told_what_was_not_finite(metric_file: Path) -> None:
    journal = metric_reports.journal_of(metric_file)
    journal.parent.mkdir(parents=True, exist_ok=True)
    journal.touch()
    metrics.report("loss", float("nan"), step=4)
    written = json.loads(journal.read_text())
    assert (written["loss"], written["global_step"]) == ("nan", "4")


@pytest.mark.parametrize("tag", ["trial", "timestamp", "global_step", "checkpoint_path"])
def test_fields_of_the_file_are_no_tags(tag: str) -> None:
    with pytest.raises(ValueError, match=f"metric tag '{tag}' is a field of the metric file"):
        metrics.report(tag, 1.0, step=1)


@pytest.mark.parametrize("tag", ["", "val accuracy", "a\n"])
def test_a_tag_is_a_metric_id(tag: str) -> None:
    with pytest.raises(ValueError, match="is empty or holds white space; use the id in the metric"):
        metrics.report(tag, 1.0, step=1)


@pytest.mark.parametrize("step", [2.9, -1])
def test_a_step_is_a_whole_number(step: Any) -> None:
    with pytest.raises(ValueError, match=f"step {step} is not a whole number from 0"):
        metrics.report("loss", 1.0, step)


def test_only_the_chief_reports(metric_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Cluster({"chief": ("h0:1",), "worker": ("h1:1",)}, "worker")
    for name, value in Environment(cluster=worker).to_variables().items():
        monkeypatch.setenv(name, value)
    metrics.report("loss", 1.0, step=1)
    assert not metric_file.exists()


def test_outside_tuning_the_value_is_only_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("CLOUD_ML_TRIAL_ID", raising=False)
    monkeypatch.delenv("CLOUD_ML_HP_METRIC_FILE", raising=False)
    metric_reports._hypertune.cache_clear()
    with caplog.at_level(logging.INFO):
        metrics.report("loss", 1.0, step=2)
    assert (caplog.messages, metric_reports._hypertune.cache_info().currsize) == (
        ["loss = 1.0 at step 2"],
        0,
    )


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"'vertex_jobs\.runtime\.metrics' has no attribute"):
        metrics.Reporter  # noqa: B018
