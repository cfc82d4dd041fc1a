"""What a job on Vertex AI will take, before anybody says yes."""

from vertex_jobs.cli.costs import plan
from vertex_jobs.spec import load


def test_plan_of_a_study_multiplies_trials_machines_and_time(config):
    job = load(
        config,
        (
            "timeout=1800",
            "replica_count=3",
            "accelerator_type=NVIDIA_TESLA_T4",
            "accelerator_count=2",
            "max_trial_count=5",
        ),
    )
    assert plan(job) == [
        "hyperparameter_tuning_job tiny:",
        "  chief: 1 x n1-standard-4 with 2 x NVIDIA_TESLA_T4",
        "  workers: 2 x n1-standard-4 with 2 x NVIDIA_TESLA_T4",
        "  5 trials, 2 at a time, each on these machines",
        "  worst case: 5 x 3 machines x 0.5 h (timeout) = 7.5 machine hours, over within 1.5 h",
    ]


def test_job_without_a_timeout_may_take_seven_days(config):
    assert "168 h (timeout)" in plan(load(config))[-1]
