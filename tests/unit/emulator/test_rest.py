"""A study's answer is the same whether its trials were made into JSON before or not."""

import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.fronts.rest import JsonForms

TRIALS = "projects/1/locations/l/studies/7/trials"


def study(*states: str) -> protos.Message:
    job = protos.HyperparameterTuningJob(name="job", display_name="study")
    for number, state in enumerate(states, 1):
        job.trials.add(id=str(number), name=f"{TRIALS}/{number}", state=protos.TrialState[state])
    return job


@pytest.mark.parametrize("integers", [False, True])
def test_the_form_is_the_whole_answers(integers: bool) -> None:
    job, forms = study("SUCCEEDED", "ACTIVE"), JsonForms()
    expected = protos.to_json(job, integers_for_enums=integers)
    assert [forms.form(job, integers), forms.form(job, integers)] == [expected, expected]


def test_a_trial_that_runs_is_read_again() -> None:
    forms = JsonForms()
    forms.form(study("ACTIVE"), False)
    found = forms.form(study("SUCCEEDED"), False)
    assert found["trials"][0]["state"] == "SUCCEEDED"


def test_enums_as_numbers_and_as_names_are_kept_apart() -> None:
    job, forms = study("SUCCEEDED"), JsonForms()
    states = [forms.form(job, integers)["trials"][0]["state"] for integers in (True, False)]
    assert states == [int(protos.TrialState.SUCCEEDED), "SUCCEEDED"]
