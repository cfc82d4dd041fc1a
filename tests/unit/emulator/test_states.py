import pytest
from google.protobuf import timestamp_pb2

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.status import ApiError


def stamp(seconds: int) -> timestamp_pb2.Timestamp:
    return timestamp_pb2.Timestamp(seconds=seconds)


def job_in(state: int) -> protos.Message:
    return protos.CustomJob(name="projects/1/locations/us-central1/customJobs/7", state=state)


def test_start_time_is_the_first_time_running() -> None:
    job = job_in(states.PENDING)
    states.advance(job, states.RUNNING, stamp(1))
    states.advance(job, states.PENDING, stamp(2))
    states.advance(job, states.RUNNING, stamp(3))
    assert job.start_time.seconds == 1


def test_success_sets_end_time_and_no_error() -> None:
    job = job_in(states.RUNNING)
    states.advance(job, states.SUCCEEDED, stamp(5))
    assert (job.end_time.seconds, job.HasField("error")) == (5, False)


def test_a_cancelled_job_has_error_code_1() -> None:
    job = job_in(states.CANCELLING)
    states.advance(job, states.CANCELLED, stamp(5), code="CANCELLED", message="CANCELED")
    assert (job.error.code, job.error.message) == (1, "CANCELED")


def test_an_ended_job_does_not_run_again() -> None:
    with pytest.raises(ApiError) as refusal:
        states.advance(job_in(states.SUCCEEDED), states.RUNNING, stamp(1))
    assert refusal.value.message == (
        "projects/1/locations/us-central1/customJobs/7 is JOB_STATE_SUCCEEDED and cannot become "
        "JOB_STATE_RUNNING."
    )


@pytest.mark.parametrize("end", [states.SUCCEEDED, states.FAILED, states.CANCELLED])
def test_cancelling_may_still_end_in_any_of_the_three(end: int) -> None:
    job = job_in(states.CANCELLING)
    states.advance(job, end, stamp(1), message="x")
    assert job.state == end
