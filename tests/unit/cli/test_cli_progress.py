"""Plain progress: one line per event, none per measurement."""

from vertex_jobs.cli.progress import events


def test_first_look_says_state_and_running_trials(study):
    assert list(events(None, study(("ACTIVE",)))) == ["running", "trial 1 started: x=0.1"]


def test_measurement_is_no_event(study):
    assert list(events(study(("ACTIVE",)), study(("ACTIVE", 0.5)))) == []


def test_end_of_a_trial_says_its_metric_and_the_lead(study):
    before, now = study(("ACTIVE",), ("ACTIVE",)), study(("SUCCEEDED", 0.5), ("SUCCEEDED", 0.4))
    assert list(events(before, now)) == [
        "trial 1 succeeded: score 0.5 (best so far)",
        "trial 2 succeeded: score 0.4",
    ]


def test_trial_that_failed_says_why(study):
    assert list(events(study(("ACTIVE",)), study(("INFEASIBLE",)))) == [
        "trial 1 infeasible: it crashed"
    ]


def test_trial_seen_only_at_its_end_has_started_too(study):
    lines = list(events(study(), study(("SUCCEEDED", 0.5))))
    assert lines[0] == "trial 1 started: x=0.1"


def test_end_of_the_job_is_left_to_the_summary(study):
    assert list(events(study(), study(state="SUCCEEDED"))) == []
