"""The ending rules as a table: what happened, what was restarted before, what follows."""

import pytest

from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.endings import (
    Action,
    Decision,
    Ending,
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
        (5, 1, Action.RETRY_JOB),
        (4, 2, Action.RESTART_WORKER),
        (5, 2, Action.END),  # three attempts in all
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


#: Source: production text of August 2026 in a public test, repository not named.
LOG = (
    "https://console.cloud.google.com/logs/viewer?project=401977096985&resource=ml_job%2Fjob_id%2F"
    "4569671626135699456&advancedFilter=resource.type%3D%22ml_job%22%0Aresource.labels.job_id%3D"
    "%224569671626135699456%22"
)
POINTER = f"To find out more about why your job exited please check the logs: {LOG}"


def told(end: ReplicaEnd) -> tuple[str, str, str]:
    ending = decide(end, NONE, History()).ending
    assert ending is not None
    return ending.code, ending.message, ending.reason


def test_the_programs_own_exit_is_told_in_the_services_words() -> None:
    text = "The replica workerpool0-0 exited with a non-zero status of 1."
    assert told(ReplicaEnd(CHIEF, 1, log=LOG)) == ("INVALID_ARGUMENT", f"{text} {POINTER}", text)


def test_a_traceback_stands_between_the_reason_and_the_log() -> None:
    """Source: log of a real job, February 2026, public text, source not named."""
    trace = (
        'Traceback (most recent call last):\n  File "task.py", line 1, in <module>\n    main()\n'
        "ModuleNotFoundError: No module named 'ultralytics'"
    )
    text = "The replica workerpool0-0 exited with a non-zero status of 1."
    assert told(ReplicaEnd(CHIEF, 1, traceback=trace, log=LOG)) == (
        "INVALID_ARGUMENT",
        f"{text} Termination reason: Error. \n{trace}\n\n{POINTER}",
        text,
    )


def test_a_program_that_cannot_be_started() -> None:
    """Source: GoogleCloudPlatform/vertex-ai-samples issue 1898."""
    text = "The replica workerpool0-0 exited with a non-zero status of 128."
    reason = "cannot start 'trainer.task': No such file or directory"
    assert told(ReplicaEnd(CHIEF, 128, start_failure=reason, log=LOG)) == (
        "INVALID_ARGUMENT",
        f"{text} Termination reason: StartError. \n Termination log message: {reason}\n{POINTER}",
        text,
    )


def test_memory_that_ran_out_is_told_in_the_services_words() -> None:
    text = "The replica workerpool0-0 ran out of memory and exited with a non-zero status of 137."
    end = ReplicaEnd(CHIEF, 137, out_of_memory=True, log=LOG)
    assert told(end) == ("RESOURCE_EXHAUSTED", f"{text} {POINTER}", text)


def test_losses_without_end_are_an_internal_error() -> None:
    decision = after(137, worker_restarts=5, job_restarts=2)
    assert (decision.ending, decision.reason) == (
        Ending(states.FAILED, "INTERNAL", "Internal error occurred for the current attempt"),
        "The machine of replica workerpool0-0 was lost (status 137).",
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
