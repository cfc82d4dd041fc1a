"""States that take their time, on a clock that only the tests move."""

from collections.abc import Callable
from typing import Any

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import aiplatform_v1
from waits import wait_for

from vertex_jobs.client import JobHandle
from vertex_jobs.emulator.joining import LocalServer
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.errors import EndpointLostError, JobFailedError
from vertex_jobs.spec import CustomJob, CustomTrainingJob, HyperparameterTuningJob

MakeJob = Callable[..., CustomJob]
WEEK = 7 * 86400.0


@pytest.fixture
def machine(virtual: Endpoint) -> LocalServer:
    return virtual.server


@pytest.fixture
def view(virtual: Endpoint) -> Any:
    """The unmodified generated client's view of a job."""
    client = aiplatform_v1.JobServiceClient(
        transport="rest",
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": virtual.connection.api_endpoint},
    )
    yield lambda handle: client.get_custom_job(name=handle.name)
    client.transport.close()


def reaches(handle: JobHandle, state: str) -> bool:
    return bool(wait_for(lambda: handle.state == state))


def test_a_stepped_job_waits_for_each_step(
    virtual: Endpoint, machine: LocalServer, make_job: MakeJob, view: Any
) -> None:
    handle = virtual.submit(make_job("wait", local={"pace": "stepped"}))
    seen = [handle.state]
    seen += [machine.step(handle.name) for _ in range(2)]
    handle.cancel()
    assert (seen, view(handle).create_time < view(handle).start_time) == (
        ["JOB_STATE_QUEUED", "JOB_STATE_PENDING", "JOB_STATE_RUNNING"],
        True,
    )


def test_a_job_that_waits_for_nothing_is_not_stepped(
    virtual: Endpoint, machine: LocalServer, make_job: MakeJob
) -> None:
    handle = virtual.submit(make_job())
    handle.result(timeout=60)
    with pytest.raises(EndpointLostError, match="is JOB_STATE_SUCCEEDED and waits for no step"):
        machine.step(handle.name)


def test_a_timed_job_waits_in_each_state(
    virtual: Endpoint, machine: LocalServer, make_job: MakeJob
) -> None:
    handle = virtual.submit(make_job("wait", local={"pace": {"queued": "5s", "pending": "30s"}}))
    seen = [handle.state]
    machine.advance(6)
    seen.append(wait_for(lambda: handle.state != "JOB_STATE_QUEUED" and handle.state))
    machine.advance(30)
    assert (seen, reaches(handle, "JOB_STATE_RUNNING")) == (
        ["JOB_STATE_QUEUED", "JOB_STATE_PENDING"],
        True,
    )
    handle.cancel()


def test_a_queued_job_is_cancelled(virtual: Endpoint, make_job: MakeJob) -> None:
    handle = virtual.submit(make_job(local={"pace": "stepped"}))
    handle.cancel()
    assert reaches(handle, "JOB_STATE_CANCELLED")


def test_a_study_and_a_pipeline_keep_the_pace(
    virtual: Endpoint, machine: LocalServer, script: Any
) -> None:
    common: dict[str, Any] = {
        "display_name": "paced",
        "script_path": str(script),
        "container_uri": "docker.io/tensorflow/tensorflow:2.21.0",
        "machine_type": "n1-standard-4",
        "local": {"pace": "stepped"},
    }
    study = HyperparameterTuningJob(
        **common,
        metric_spec={"score": "maximize"},
        parameter_spec={"x": {"type": "double", "min": 0, "max": 1}},
        max_trial_count=1,
        parallel_trial_count=1,
    )
    handles = [virtual.submit(study, check=False), virtual.submit(CustomTrainingJob(**common))]
    seen = [[handle.state, machine.step(handle.name)] for handle in handles]
    for handle in handles:
        handle.cancel()
    assert seen == [
        ["JOB_STATE_QUEUED", "JOB_STATE_PENDING"],
        ["PIPELINE_STATE_QUEUED", "JOB_STATE_PENDING"],
    ]


def test_a_weeks_timeout_passes_in_no_time(
    virtual: Endpoint, machine: LocalServer, make_job: MakeJob
) -> None:
    handle = virtual.submit(make_job("wait"))
    reaches(handle, "JOB_STATE_RUNNING")
    machine.advance(WEEK + 1)
    with pytest.raises(JobFailedError, match="ran longer than its timeout of 604800 s"):
        handle.result(timeout=60)


def test_no_timeout_passes_by_itself(
    virtual: Endpoint, machine: LocalServer, make_job: MakeJob, view: Any
) -> None:
    handle = virtual.submit(make_job("wait", timeout=1))
    reaches(handle, "JOB_STATE_RUNNING")
    machine.advance(0.5)
    before = handle.state
    machine.advance(0.6)
    with pytest.raises(JobFailedError, match="cancelled at its time limit"):
        handle.result(timeout=60)
    ended = view(handle)
    assert (before, ended.state.name, ended.error.code) == (
        "JOB_STATE_RUNNING",
        "JOB_STATE_CANCELLED",
        1,
    )


def test_a_flex_start_job_expires_when_it_has_waited_enough(
    virtual: Endpoint, machine: LocalServer, make_job: MakeJob, view: Any
) -> None:
    job = make_job(
        scheduling_strategy="flex_start",
        max_wait_duration=60,
        machine_type="a2-highgpu-1g",
        accelerator_type="NVIDIA_TESLA_A100",
        accelerator_count=1,
        local={"pace": "stepped"},
    )
    handle = virtual.submit(job)
    machine.advance(61)
    failure = handle.exception(timeout=60)
    assert failure is not None
    assert (failure.state, view(handle).state.name) == ("JOB_STATE_EXPIRED", "JOB_STATE_EXPIRED")


def test_a_paused_job_goes_on(virtual: Endpoint, machine: LocalServer, make_job: MakeJob) -> None:
    handle = virtual.submit(make_job("wait"))
    reaches(handle, "JOB_STATE_RUNNING")
    seen = [machine.end(handle.name, "JOB_STATE_PAUSED"), machine.step(handle.name)]
    handle.cancel()
    assert seen == ["JOB_STATE_PAUSED", "JOB_STATE_RUNNING"]


def test_a_paused_job_is_an_end_of_waiting_for_ours(
    virtual: Endpoint, machine: LocalServer, make_job: MakeJob
) -> None:
    handle = virtual.submit(make_job("wait"))
    reaches(handle, "JOB_STATE_RUNNING")
    machine.end(handle.name, "JOB_STATE_PAUSED")
    with pytest.raises(JobFailedError, match="JOB_STATE_PAUSED"):
        handle.result(timeout=60)


def test_a_paused_job_can_be_cancelled(
    virtual: Endpoint, machine: LocalServer, make_job: MakeJob
) -> None:
    handle = virtual.submit(make_job("wait"))
    reaches(handle, "JOB_STATE_RUNNING")
    machine.end(handle.name, "JOB_STATE_PAUSED")
    virtual.job(handle.name)._jobs.cancel(handle.name)
    assert reaches(handle, "JOB_STATE_CANCELLED")


def test_a_resume_leaves_a_paused_job_paused(
    virtual: Endpoint, machine: LocalServer, make_job: MakeJob
) -> None:
    handle = virtual.submit(make_job("wait"))
    reaches(handle, "JOB_STATE_RUNNING")
    machine.end(handle.name, "JOB_STATE_PAUSED")
    assert machine.resume() == []


def test_a_part_of_a_job_succeeds(
    virtual: Endpoint, machine: LocalServer, make_job: MakeJob, view: Any
) -> None:
    handle = virtual.submit(make_job("wait"))
    reaches(handle, "JOB_STATE_RUNNING")
    machine.end(handle.name, "JOB_STATE_PARTIALLY_SUCCEEDED")
    assert (handle.exception(timeout=60), view(handle).state.name) == (
        None,
        "JOB_STATE_PARTIALLY_SUCCEEDED",
    )


def test_a_state_that_cannot_follow_is_refused(
    virtual: Endpoint, machine: LocalServer, make_job: MakeJob
) -> None:
    handle = virtual.submit(make_job(local={"pace": "stepped"}))
    with pytest.raises(EndpointLostError, match="is JOB_STATE_QUEUED and cannot become"):
        machine.end(handle.name, "JOB_STATE_PAUSED")
    handle.cancel()


def test_a_silent_replica_is_noticed_by_the_timeout_alone(
    virtual: Endpoint, machine: LocalServer, make_job: MakeJob, view: Any
) -> None:
    fault = {"replica": "*", "fault": "silence", "log": "ready"}
    handle = virtual.submit(make_job("wait", timeout=60, local={"faults": [fault]}))
    wait_for(lambda: any(one["kind"] == "fault" for one in machine.incidents(handle.name)))
    before = handle.state
    machine.advance(61)
    with pytest.raises(JobFailedError, match="cancelled at its time limit"):
        handle.result(timeout=60)
    ended = view(handle)
    assert (before, ended.state.name, ended.error.code) == (
        "JOB_STATE_RUNNING",
        "JOB_STATE_CANCELLED",
        1,
    )


def test_a_replica_is_killed_when_its_time_has_come(
    virtual: Endpoint, machine: LocalServer, make_job: MakeJob
) -> None:
    fault = {"replica": "*", "fault": "out_of_memory", "after": "1h"}
    handle = virtual.submit(make_job("wait", local={"faults": [fault]}))
    reaches(handle, "JOB_STATE_RUNNING")
    machine.advance(3601)
    with pytest.raises(JobFailedError, match="ran out of memory"):
        handle.result(timeout=60)


def test_the_machines_clock_is_not_moved(local_vertex: Endpoint) -> None:
    with pytest.raises(EndpointLostError, match="start one with --clock virtual"):
        local_vertex.server.advance(1)
