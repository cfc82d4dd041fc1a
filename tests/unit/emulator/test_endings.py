"""The ending rules as a table: what happened, what was restarted before, what follows."""

import pytest

from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.endings import (
    Action,
    Decision,
    History,
    ReplicaEnd,
    Retries,
    decide,
)

CHIEF = "workerpool0-0"
WORKER = "workerpool1-0"
PLAIN = Retries()
ALL = Retries(restart_job_on_worker_restart=True)
NONE = Retries(disable_retries=True)
BOTH = Retries(restart_job_on_worker_restart=True, disable_retries=True)


def after(
    status: int,
    retries: Retries = PLAIN,
    *,
    worker_restarts: int = 0,
    job_restarts: int = 0,
    **what: bool,
) -> Decision:
    replica_id = CHIEF if what.get("primary", True) else WORKER
    end = ReplicaEnd(replica_id, status, **{"primary": True, **what})
    return decide(end, retries, History(worker_restarts, job_restarts))


@pytest.mark.parametrize(
    ("status", "action"),
    [
        (0, Action.END),
        (1, Action.END),
        (3, Action.END),
        (127, Action.END),
        (128, Action.END),  # a shell's own, of no signal
        (255, Action.END),
        (128 + 6, Action.RETRY_JOB),  # SIGABRT
        (128 + 11, Action.RETRY_JOB),  # SIGSEGV
        (128 + 9, Action.RESTART_WORKER),  # SIGKILL
        (128 + 15, Action.RESTART_WORKER),  # SIGTERM that the service did not send
        (128 + 7, Action.RESTART_WORKER),  # SIGBUS
    ],
)
def test_what_the_status_of_the_primary_means(status: int, action: Action) -> None:
    assert after(status).action is action


@pytest.mark.parametrize(
    ("status", "action"),
    [(0, Action.GO_ON), (1, Action.END), (134, Action.RETRY_JOB), (137, Action.RESTART_WORKER)],
)
def test_what_the_status_of_another_replica_means(status: int, action: Action) -> None:
    assert after(status, primary=False).action is action


@pytest.mark.parametrize(
    ("status", "retries", "action"),
    [
        (137, ALL, Action.RESTART_ALL),
        (137, NONE, Action.END),
        (137, BOTH, Action.END),
        (134, ALL, Action.RETRY_JOB),
        (134, NONE, Action.END),
        (1, ALL, Action.END),
    ],
)
def test_what_the_scheduling_changes(status: int, retries: Retries, action: Action) -> None:
    assert after(status, retries).action is action


@pytest.mark.parametrize(
    ("worker_restarts", "job_restarts", "action"),
    [
        (0, 0, Action.RESTART_WORKER),
        (4, 0, Action.RESTART_WORKER),
        (5, 0, Action.RETRY_JOB),
        (5, 2, Action.RETRY_JOB),
        (4, 3, Action.RESTART_WORKER),
        (5, 3, Action.END),
    ],
)
def test_how_often_a_lost_machine_is_made_good(
    worker_restarts: int, job_restarts: int, action: Action
) -> None:
    counts = {"worker_restarts": worker_restarts, "job_restarts": job_restarts}
    assert after(137, **counts).action is action


@pytest.mark.parametrize(("job_restarts", "action"), [(2, Action.RETRY_JOB), (3, Action.END)])
def test_how_often_an_abort_is_retried(job_restarts: int, action: Action) -> None:
    assert after(134, job_restarts=job_restarts).action is action


def test_the_primarys_success_is_the_jobs() -> None:
    ending = after(0).ending
    assert ending is not None
    assert ending.state == states.SUCCEEDED


def test_the_programs_own_exit_is_told_in_the_services_words() -> None:
    ending = after(3).ending
    assert ending is not None
    assert (ending.code, ending.message) == (
        "INVALID_ARGUMENT",
        "The replica workerpool0-0 exited with a non-zero status of 3. Termination reason: Error.",
    )


def test_memory_that_ran_out_is_told_in_the_services_words() -> None:
    ending = after(137, out_of_memory=True).ending
    assert ending is not None
    assert (ending.code, ending.message) == (
        "RESOURCE_EXHAUSTED",
        "The replica workerpool0-0 ran out of memory and exited with a non-zero status of 137.",
    )


def test_losses_without_end_are_an_internal_error() -> None:
    ending = after(137, worker_restarts=5, job_restarts=3).ending
    assert ending is not None
    assert (ending.code, ending.message) == (
        "INTERNAL",
        "Internal error occurred for the current attempt. The machine of replica workerpool0-0 "
        "was lost (status 137).",
    )


def test_a_restart_says_which_one_it_is() -> None:
    assert after(137, worker_restarts=1).reason == (
        "The machine of replica workerpool0-0 was lost (status 137). Restart 2 of 5, of this "
        "replica."
    )


@pytest.mark.parametrize(
    ("status", "action"),
    [(1, Action.RESTART_WORKER), (134, Action.RESTART_WORKER), (0, Action.END)],
)
def test_a_machine_known_to_be_lost(status: int, action: Action) -> None:
    """A preempted program may fail as it likes; only its success stands."""
    assert after(status, machine_lost=True).action is action
