"""The meaning of a replica's end for its job: a table of rules, without processes.

The primary's exit 0 ends the job well. A common error (the program's own exit, out of memory) ends
it at once. An abort or a segmentation fault starts the job again, a lost machine the replica.
Source: "Understand the custom training service"; Scheduling proto; errors of real jobs, in
GoogleCloudPlatform/vertex-ai-samples pull request 1504 and issue 1898, and with the address of the
log in a log of February 2026, public text, source not named. What these leave open is a constant
here, so that one look at the real service can correct it.
"""

import enum
import signal
from dataclasses import dataclass

from vertex_jobs.emulator.resources import states

#: Source: "Understand the custom training service": a worker is restarted up to 5 times; a job that
#: aborts is restarted up to 3 times, one that the service itself fails twice.
MAX_WORKER_RESTARTS = 5
MAX_RESTARTS_AFTER_ABORT = 3
MAX_RESTARTS_AFTER_LOSS = 2
#: All that is said of it. Source: as above.
INTERNAL_ERROR = "Internal error occurred for the current attempt"
#: The end of a container that could not be started. Source: as above, issue 1898.
START_ERROR_STATUS = 128

#: A container's shell reports a signal as 128 and its number.
_SHELL_OFFSET = 128
_ABORTS = (signal.SIGABRT, signal.SIGSEGV)
_SIGNALS = frozenset(int(one) for one in signal.valid_signals())


@dataclass(frozen=True)
class Ending:
    """The end of a job.

    Attributes:
        code: Name of the error's code, empty on success.
        summary: The message without traceback and address; empty where the message has neither.
    """

    state: int
    code: str = ""
    message: str = ""
    summary: str = ""

    @property
    def reason(self) -> str:
        """The end in one line; empty on success."""
        return self.summary or self.message


#: Source: logs of cancelled jobs, which spell it so.
CANCELLED = Ending(states.CANCELLED, "CANCELLED", "CANCELED")


class Action(enum.Enum):
    """What follows the end of one replica."""

    GO_ON = "go on"
    END = "end"
    RESTART_WORKER = "restart the worker"
    RESTART_ALL = "restart every worker"
    RETRY_JOB = "retry the job"


@dataclass(frozen=True)
class ReplicaEnd:
    """The end of one replica.

    Attributes:
        replica_id: E.g. ``workerpool0-0``.
        status: As a container's shell reports it: 0 to 255, a signal as 128 and its number.
        primary: Whether its exit decides.
        machine_lost: Whether its machine is known to be gone, whatever the status says.
        traceback: What its error stream ended with; empty without one.
        start_failure: Why its program could not be started; empty if it was.
        log: Address of the job's log in the console.
    """

    replica_id: str
    status: int
    primary: bool = False
    out_of_memory: bool = False
    machine_lost: bool = False
    traceback: str = ""
    start_failure: str = ""
    log: str = ""

    @property
    def signal(self) -> int:
        """The signal that ended it; 0 if it ended by itself."""
        number = self.status - _SHELL_OFFSET
        return number if number in _SIGNALS else 0

    @property
    def lost(self) -> bool:
        """Whether this counts as the loss of a machine rather than an error of the program.

        SIGKILL without signs of memory trouble is one, and so is every failure that is neither
        the program's own exit nor an abort.
        """
        if self.status == 0 or self.out_of_memory:
            return False
        return self.machine_lost or self.signal not in (0, *_ABORTS)


@dataclass(frozen=True)
class Retries:
    """The further attempts that the job's scheduling allows. Source: Scheduling proto."""

    restart_job_on_worker_restart: bool = False
    disable_retries: bool = False


@dataclass(frozen=True)
class History:
    """The restarts so far: of this replica in this attempt, and attempts of the job before it."""

    worker_restarts: int = 0
    job_restarts: int = 0


@dataclass(frozen=True)
class Decision:
    """An action, why in words for the log, and how the job ends if it does."""

    action: Action
    reason: str = ""
    ending: Ending | None = None


def decide(end: ReplicaEnd, retries: Retries, history: History) -> Decision:
    """Return what one replica's end means for its job."""
    if end.status == 0:
        if end.primary:
            return Decision(Action.END, ending=Ending(states.SUCCEEDED))
        return Decision(Action.GO_ON)
    if end.out_of_memory:
        text = (
            f"The replica {end.replica_id} ran out of memory and exited with a non-zero status of "
            f"{end.status}."
        )
        return _failed("RESOURCE_EXHAUSTED", f"{text} {_pointer(end)}", text)
    if end.lost:
        return _after_loss(end, retries, history)
    if end.signal in _ABORTS and _may_retry(retries, history, MAX_RESTARTS_AFTER_ABORT):
        return Decision(Action.RETRY_JOB, _count(_exited(end), history, MAX_RESTARTS_AFTER_ABORT))
    return _failed("INVALID_ARGUMENT", _error_text(end), _exited(end))


def _exited(end: ReplicaEnd) -> str:
    return f"The replica {end.replica_id} exited with a non-zero status of {end.status}."


def _error_text(end: ReplicaEnd) -> str:
    """Return the error of a program that failed: with its traceback, where it left one."""
    text, pointer = _exited(end), _pointer(end)
    if end.start_failure:
        reason = f"StartError. \n Termination log message: {end.start_failure}"
        return f"{text} Termination reason: {reason}\n{pointer}"
    if end.traceback:
        return f"{text} Termination reason: Error. \n{end.traceback}\n\n{pointer}"
    return f"{text} {pointer}"


def _pointer(end: ReplicaEnd) -> str:
    return f"To find out more about why your job exited please check the logs: {end.log}"


def _after_loss(end: ReplicaEnd, retries: Retries, history: History) -> Decision:
    reason = f"The machine of replica {end.replica_id} was lost (status {end.status})."
    if not retries.disable_retries and history.worker_restarts < MAX_WORKER_RESTARTS:
        number = f"Restart {history.worker_restarts + 1} of {MAX_WORKER_RESTARTS}"
        if retries.restart_job_on_worker_restart:
            return Decision(Action.RESTART_ALL, f"{reason} {number}, of every replica.")
        return Decision(Action.RESTART_WORKER, f"{reason} {number}, of this replica.")
    if _may_retry(retries, history, MAX_RESTARTS_AFTER_LOSS):
        return Decision(Action.RETRY_JOB, _count(reason, history, MAX_RESTARTS_AFTER_LOSS))
    return Decision(Action.END, reason, Ending(states.FAILED, "INTERNAL", INTERNAL_ERROR))


def _may_retry(retries: Retries, history: History, most: int) -> bool:
    return not retries.disable_retries and history.job_restarts < most


def _count(reason: str, history: History, most: int) -> str:
    return f"{reason} Restart {history.job_restarts + 1} of {most} of the job."


def _failed(code: str, text: str, summary: str) -> Decision:
    return Decision(Action.END, ending=Ending(states.FAILED, code, text, summary))
