"""The states of a job, a pipeline and a trial, and which may follow which.

JobState and PipelineState share their numbers, so one table serves custom jobs, tuning jobs and
training pipelines. Source: JobState, PipelineState and Trial.State protos; the transitions of
CANCELLING and UPDATING are documented there, the others are the usual order.
"""

from google.protobuf import timestamp_pb2

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.status import ApiError

State = protos.JobState

QUEUED, PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLING, CANCELLED = range(1, 8)
PAUSED, EXPIRED, UPDATING, PARTIALLY_SUCCEEDED = range(8, 12)

#: States that a job never leaves.
TERMINAL = frozenset({SUCCEEDED, FAILED, CANCELLED, EXPIRED, PARTIALLY_SUCCEEDED})
#: States in which a job still has something to do.
ACTIVE = frozenset({QUEUED, PENDING, RUNNING, CANCELLING, UPDATING})

_NEXT = {
    0: {QUEUED, PENDING},
    QUEUED: {PENDING, RUNNING, FAILED, CANCELLING, EXPIRED},
    PENDING: {RUNNING, FAILED, CANCELLING, EXPIRED, QUEUED},
    RUNNING: {*TERMINAL, CANCELLING, UPDATING, PAUSED, PENDING},
    CANCELLING: {SUCCEEDED, FAILED, CANCELLED},
    UPDATING: {RUNNING},
    PAUSED: {RUNNING, CANCELLING, EXPIRED},
}

#: google.rpc.Code numbers that jobs end with.
CODES = {
    "CANCELLED": 1,
    "INVALID_ARGUMENT": 3,
    "DEADLINE_EXCEEDED": 4,
    "RESOURCE_EXHAUSTED": 8,
    "INTERNAL": 13,
}


def is_terminal(job: protos.Message) -> bool:
    """Return whether the job, tuning job or pipeline has ended."""
    return job.state in TERMINAL


def request_cancel(job: protos.Message, now: timestamp_pb2.Timestamp) -> bool:
    """Make a job CANCELLING unless it already is or has ended; return whether it became so.

    Cancelling is a state, not a message to a process, so that it is never lost.
    Source: JobService.CancelCustomJob, best effort and asynchronous.
    """
    if job.state not in ACTIVE | {PAUSED} or job.state == CANCELLING:
        return False
    advance(job, CANCELLING, now)
    return True


def advance(
    job: protos.Message,
    state: int,
    now: timestamp_pb2.Timestamp,
    *,
    code: str = "",
    message: str = "",
) -> None:
    """Move a job to its next state and set the times and the error that go with it.

    ``startTime`` is the first time RUNNING, ``endTime`` the end, ``error`` only for FAILED and
    CANCELLED, its code by name, e.g. ``INTERNAL``. The job, a CustomJob, HyperparameterTuningJob or
    TrainingPipeline, is changed in place. Both times are whole seconds, and no update time is
    before an end. Source: CustomJob proto; GoogleCloudPlatform/training-data-analyst,
    mobile_gaming_feature_store.ipynb, description of a finished job.

    Raises:
        ApiError: If that state cannot follow the present one.
    """
    if state not in _NEXT.get(job.state, set()):
        raise ApiError(
            "FAILED_PRECONDITION",
            f"{job.name} is {State(job.state).name} and cannot become {State(state).name}.",
        )
    job.state = state
    job.update_time.CopyFrom(now)
    if state == RUNNING and not job.HasField("start_time"):
        job.start_time.CopyFrom(_whole_second(now))
    if state in TERMINAL:
        job.end_time.CopyFrom(_whole_second(now))
        job.update_time.CopyFrom(max(now, job.end_time, key=_nanoseconds))
    if state in (FAILED, CANCELLED):
        job.error.code = CODES[code or "CANCELLED"]
        job.error.message = message


def _whole_second(moment: timestamp_pb2.Timestamp) -> timestamp_pb2.Timestamp:
    """Return the moment in whole seconds, rounded up: it is after what happened before it."""
    return timestamp_pb2.Timestamp(seconds=moment.seconds + (moment.nanos > 0))


def _nanoseconds(moment: timestamp_pb2.Timestamp) -> int:
    return moment.ToNanoseconds()
