"""A job of a Python program is checked before it is submitted, as the command line checks it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vertex_jobs import DoubleParameterSpec, InvalidJobError, VertexJobsWarning, jobs, spec
from vertex_jobs.endpoints import Endpoint

SCRIPT = """
import argparse
from vertex_jobs.runtime import metrics

parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float)
options = parser.parse_args()
metrics.report("accuracy", options.rate, 1)
"""

Study = Callable[..., jobs.HyperparameterTuningJob]


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Makes a study, sound but for the fields that are given."""
    (tmp_path / "train.py").write_text(SCRIPT)

    def study(
        made: type[Any] = jobs.HyperparameterTuningJob, **fields: Any
    ) -> jobs.HyperparameterTuningJob:
        sound = {
            "display_name": tmp_path.name,
            "script_path": tmp_path / "train.py",
            "metric_spec": {"accuracy": "maximize"},
            "parameter_spec": {"rate": DoubleParameterSpec(min=0.1, max=0.2)},
            "max_trial_count": 1,
            "parallel_trial_count": 1,
        }
        job: jobs.HyperparameterTuningJob = made(**sound | fields)
        return job

    return study


def submitted(endpoint: Endpoint, job: spec.JobSpec) -> int:
    return len(endpoint.jobs(f'display_name="{job.display_name}"'))


def wrong(study: Study, **fields: Any) -> jobs.HyperparameterTuningJob:
    """A study with two mistakes."""
    return study(metric_spec={"acuracy": "maximize"}, args={"epochs": 3}, **fields)


def test_one_error_lists_every_mistake(local_vertex: Endpoint, study: Study) -> None:
    job = wrong(study)
    with pytest.raises(InvalidJobError) as refused:
        local_vertex.submit(job)
    found = {fault.path: fault.remedy for fault in refused.value.faults}
    assert found == {
        "args.epochs": "it knows --rate",
        "metric_spec.acuracy": "did you mean 'accuracy'?",
    }
    assert (refused.value.source, submitted(local_vertex, job)) == (job.display_name, 0)


def test_unchecked_it_is_submitted(local_vertex: Endpoint, study: Study) -> None:
    job = wrong(study)
    handle = local_vertex.submit(job, check=False)
    assert (handle.exception(timeout=60) is None, submitted(local_vertex, job)) == (False, 1)


def test_a_plain_spec_is_checked_too(local_vertex: Endpoint, study: Study) -> None:
    with pytest.raises(InvalidJobError, match="the script has no --epochs"):
        local_vertex.submit(study(spec.HyperparameterTuningJob, args={"epochs": 3}))


def test_a_copy_with_other_fields_is_checked_as_a_whole(
    local_vertex: Endpoint, study: Study
) -> None:
    job = study().model_copy(update={"max_trial_count": 0, "args": {"epochs": 3}})
    with pytest.raises(InvalidJobError) as refused:
        local_vertex.submit(job)
    assert [fault.path for fault in refused.value.faults] == ["max_trial_count", "args.epochs"]


def test_a_warning_is_a_python_warning_of_the_callers_line(
    local_vertex: Endpoint, study: Study
) -> None:
    job = study(max_cost_usd=0.01)  # Local Vertex costs nothing
    with pytest.warns(VertexJobsWarning) as warned:
        local_vertex.submit(job).result(timeout=60)
    (told,) = warned
    assert str(told.message).startswith("max_cost_usd = 0.01: the worst case costs ")
    assert told.filename == __file__


def test_a_warning_that_is_an_error_submits_nothing(local_vertex: Endpoint, study: Study) -> None:
    job = study(max_cost_usd=0.01)
    with pytest.raises(VertexJobsWarning, match="max_cost_usd"):
        local_vertex.submit(job)  # pytest makes errors of warnings here
    assert submitted(local_vertex, job) == 0


def test_an_endpoint_answers_what_submit_would_say(local_vertex: Endpoint, study: Study) -> None:
    assert local_vertex.check(study()).faults == ()
    assert [fault.path for fault in local_vertex.check(wrong(study)).errors] == [
        "args.epochs",
        "metric_spec.acuracy",
    ]
