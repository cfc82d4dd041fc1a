"""The decision of a study with several metrics, and what is offered after a study."""

import contextlib
import io

import pytest
from studies import tuning_job

from vertex_jobs.cli.decisions import print_decision
from vertex_jobs.cli.footers import say_next
from vertex_jobs.cli.shared_options import EndpointOptions
from vertex_jobs.cli.trial_models import model_files
from vertex_jobs.client import Snapshot
from vertex_jobs.errors import RequestRefusedError
from vertex_jobs.study import Study

BOTH = ("accuracy", "latency")


def told(study):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        print_decision(study, lambda trial: True)
    return out.getvalue().splitlines()


def offered(resource):
    with contextlib.redirect_stderr(io.StringIO()) as err:
        say_next(EndpointOptions(), Snapshot(resource), "")
    commands = [line.partition("vertex-jobs ")[2] for line in err.getvalue().splitlines()]
    return [line.partition(" --location")[0] for line in commands]


def test_each_trial_of_the_front_has_its_chance():
    study = Study.from_resource(tuning_job(20, metrics=BOTH))
    lines = told(study)
    table = next(number for number, line in enumerate(lines) if "chance" in line.split())
    rows = {line.split()[0]: line.split()[-2:] for line in lines[table + 1 :]}
    chances = study.confidence.chances
    expected = {one.id: [f"{100 * chances[one.id]:.0f}", "%"] for one in study.best_trials}
    assert rows == expected
    text = "chance, by a model of 19 trials: that no other one truly beats it in every metric"
    assert text in lines


def test_without_a_model_the_front_has_no_chances():
    assert not [
        line for line in told(Study.from_resource(tuning_job(3, metrics=BOTH))) if "chance" in line
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ["best 8 --download best-model"]),
        ({"metrics": BOTH}, ["best 8"]),
        ({"infeasible": range(1, 21)}, []),
        ({"count": 0}, []),
    ],
)
def test_what_is_offered_after_a_study_can_be_done(changes, expected):
    commands = offered(tuning_job(**changes))
    assert [line for line in commands if line.startswith("best")] == expected
    assert {"trials 8", "logs 8"} <= set(commands)


def test_no_model_is_offered_where_none_can_have_been_saved():
    commands = offered(tuning_job() | {"trialJobSpec": {}})
    assert [line for line in commands if line.startswith("best")] == ["best 8"]


def test_a_trial_without_a_model_directory_left_no_model():
    (trial,) = Study.from_resource(tuning_job(1) | {"trialJobSpec": {}}).trials
    with pytest.raises(RequestRefusedError, match="trial 1 has no model directory: the job"):
        model_files(None, trial)


def test_an_empty_model_directory_is_not_offered():
    study = Study.from_resource(tuning_job(20))
    with contextlib.redirect_stdout(io.StringIO()) as out:
        print_decision(study, lambda trial: False)
    (line,) = [line for line in out.getvalue().splitlines() if line.startswith("  model")]
    assert line.endswith("  none: AIP_MODEL_DIR is empty")
