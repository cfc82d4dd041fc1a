"""Calls that go wrong, as the unmodified generated client sees them and as ours does."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud import aiplatform_v1
from waits import wait_for

from vertex_jobs.client import Client, JobHandle
from vertex_jobs.emulator.joining import LocalServer
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.errors import (
    EndpointLostError,
    JobNotFoundError,
    RequestRefusedError,
    SubmissionUnknownError,
)
from vertex_jobs.spec import CustomJob

Inject = Callable[..., None]
MakeJob = Callable[..., CustomJob]
Sdk = aiplatform_v1.JobServiceClient

GET, LIST, CREATE = (f"JobService.{verb}" for verb in ("GetCustomJob", "List*", "CreateCustomJob"))
ANSWERS = {
    400: exceptions.BadRequest,
    403: exceptions.Forbidden,
    404: exceptions.NotFound,
    409: exceptions.Conflict,
    429: exceptions.TooManyRequests,
    500: exceptions.InternalServerError,
    503: exceptions.ServiceUnavailable,
    504: exceptions.GatewayTimeout,
}


@pytest.fixture(scope="session")
def ended(local_vertex: Endpoint, script: Any) -> JobHandle:
    """A job that has ended, to be asked about."""
    job = CustomJob(
        display_name="ended",
        script_path=str(script),
        container_uri="docker.io/tensorflow/tensorflow:2.21.0",
        machine_type="n1-standard-4",
    )
    handle = local_vertex.submit(job)
    handle.result(timeout=60)
    return handle


def request_of(job: JobHandle, marker: str) -> dict[str, Any]:
    """A create request of the same job under another name."""
    spec = job.last_seen.resource["jobSpec"]
    job_spec = aiplatform_v1.CustomJobSpec.from_json(json.dumps(spec))
    return {"display_name": marker, "job_spec": job_spec}


def named(sdk: Sdk, parent: str, marker: str) -> list[Any]:
    request = {"parent": parent, "filter": f'display_name="{marker}"'}
    return list(sdk.list_custom_jobs(request))


# Errors on a read.


@pytest.mark.parametrize("status", ANSWERS)
def test_the_sdk_raises_an_errors_own_class(
    sdk: Sdk, ended: JobHandle, inject: Inject, status: int
) -> None:
    inject(GET, status)
    with pytest.raises(ANSWERS[status]):
        sdk.get_custom_job(name=ended.name, retry=None)


def test_a_denied_create_names_permission_and_resource(
    sdk: Sdk, ended: JobHandle, parent: str, inject: Inject
) -> None:
    """Source: "Permission 'aiplatform.customJobs.create' denied on resource …", public texts."""
    inject(CREATE, 403)
    with pytest.raises(exceptions.Forbidden) as refused:
        sdk.create_custom_job(parent=parent, custom_job=request_of(ended, "denied"))
    text = (
        "Permission 'aiplatform.customJobs.create' denied on resource "
        f"'//aiplatform.googleapis.com/{parent}' (or it may not exist)."
    )
    assert (refused.value.message.endswith(text), refused.value.reason) == (
        True,
        "IAM_PERMISSION_DENIED",
    )


def test_a_create_without_quota_names_the_metrics(
    sdk: Sdk, ended: JobHandle, parent: str, inject: Inject
) -> None:
    """Source: GoogleCloudPlatform/vertex-ai-samples issue 3479 and other public 429 answers."""
    inject(CREATE, 429)
    request = request_of(ended, "many")
    machine = request["job_spec"].worker_pool_specs[0].machine_spec
    machine.accelerator_type, machine.accelerator_count = 5, 1
    request["job_spec"].scheduling.strategy = 4
    with pytest.raises(exceptions.TooManyRequests) as refused:
        sdk.create_custom_job(parent=parent, custom_job=request, retry=None)
    assert refused.value.message.endswith(
        "The following quota metrics exceed quota limits: "
        "aiplatform.googleapis.com/custom_model_training_preemptible_cpus,"
        "aiplatform.googleapis.com/custom_model_training_preemptible_nvidia_t4_gpus"
    )


@pytest.mark.parametrize("status", [429, 500, 503, 504])
def test_ours_reads_again_after_what_passes(
    ours: Client, ended: JobHandle, inject: Inject, status: int
) -> None:
    inject(GET, status, times=3)
    assert ours.job(ended.name).state == "JOB_STATE_SUCCEEDED"


@pytest.mark.parametrize("status", [400, 403, 409])
def test_ours_is_refused_by_what_does_not_pass(
    ours: Client, ended: JobHandle, inject: Inject, status: int
) -> None:
    inject(GET, status)
    with pytest.raises(RequestRefusedError) as refused:
        ours.job(ended.name)
    assert refused.value.code == status


def test_a_404_is_a_job_that_is_not_there(ours: Client, ended: JobHandle, inject: Inject) -> None:
    handle = ours.job(ended.name)
    inject(GET, 404)
    with pytest.raises(JobNotFoundError, match="does not exist"):
        handle.refresh()


# A connection that breaks, hangs or is slow on a read.


@pytest.mark.parametrize("fault", ["drop_before", "drop_after", "commit_late"])
def test_the_sdk_loses_the_connection(
    sdk: Sdk, ended: JobHandle, inject: Inject, fault: str
) -> None:
    inject(GET, fault)
    with pytest.raises(Exception, match=r"(?i)connection|socket closed|recvmsg|tcp"):
        sdk.get_custom_job(name=ended.name, retry=None)


@pytest.mark.parametrize("sdk", ["grpc"], indirect=True)
def test_a_broken_stream_is_unavailable(sdk: Sdk, ended: JobHandle, inject: Inject) -> None:
    inject(GET, "drop_before")
    with pytest.raises(exceptions.ServiceUnavailable):
        sdk.get_custom_job(name=ended.name, retry=None)


@pytest.mark.parametrize("sdk", ["grpc"], indirect=True)
def test_a_channel_opens_again_after_a_broken_stream(
    sdk: Sdk, ended: JobHandle, inject: Inject
) -> None:
    inject(GET, "drop_before")
    with pytest.raises(exceptions.ServiceUnavailable):
        sdk.get_custom_job(name=ended.name, retry=None)
    assert sdk.get_custom_job(name=ended.name).name == ended.name


@pytest.mark.parametrize("fault", ["drop_before", "drop_after", "commit_late"])
def test_ours_reads_again_after_a_lost_connection(
    ours: Client, ended: JobHandle, inject: Inject, fault: str
) -> None:
    inject(GET, fault, times=2, seconds=0)
    assert ours.job(ended.name).state == "JOB_STATE_SUCCEEDED"


def test_the_sdk_hangs_for_as_long_as_its_caller_lets_it(
    sdk: Sdk, ended: JobHandle, inject: Inject
) -> None:
    inject(GET, "hang")
    with pytest.raises(Exception, match=r"(?i)timed? ?out|deadline"):
        sdk.get_custom_job(name=ended.name, retry=None, timeout=0.3)


def test_ours_gives_up_a_call_that_hangs_and_reads_again(
    ours: Client, ended: JobHandle, inject: Inject
) -> None:
    inject(GET, "hang")
    assert ours.job(ended.name).state == "JOB_STATE_SUCCEEDED"


def test_a_slow_answer_is_an_answer_to_the_sdk(sdk: Sdk, ended: JobHandle, inject: Inject) -> None:
    inject(GET, "slow", seconds="50ms")
    assert sdk.get_custom_job(name=ended.name).name == ended.name


def test_a_slow_answer_is_an_answer_to_ours(ours: Client, ended: JobHandle, inject: Inject) -> None:
    inject(GET, "slow", seconds="50ms")
    assert ours.job(ended.name).name == ended.name


# A create.


@pytest.mark.parametrize("status", [400, 403, 429])
def test_the_sdk_is_refused_a_create(
    sdk: Sdk, ended: JobHandle, parent: str, inject: Inject, status: int
) -> None:
    inject(CREATE, status)
    with pytest.raises(ANSWERS[status]):
        sdk.create_custom_job(parent=parent, custom_job=request_of(ended, f"refused-{status}"))
    assert named(sdk, parent, f"refused-{status}") == []


def test_a_429_on_create_is_a_refusal_to_ours(
    ours: Client, make_job: MakeJob, inject: Inject
) -> None:
    inject(CREATE, 429)
    with pytest.raises(RequestRefusedError, match="quota metrics exceed quota limits"):
        ours.submit(make_job())
    assert ours.settle() == []


def test_an_answer_lost_after_the_commit_makes_the_sdk_raise_though_the_job_runs(
    sdk: Sdk, ended: JobHandle, parent: str, inject: Inject
) -> None:
    marker = f"lost-{type(sdk.transport).__name__}"
    inject(CREATE, "drop_after")
    with pytest.raises(Exception, match=r"(?i)connection|socket closed|recvmsg"):
        sdk.create_custom_job(parent=parent, custom_job=request_of(ended, marker))
    assert len(named(sdk, parent, marker)) == 1


@pytest.mark.parametrize("fault", ["drop_before", 503])
def test_a_create_that_never_took_effect_makes_the_sdk_raise_and_leaves_no_job(
    sdk: Sdk, ended: JobHandle, parent: str, inject: Inject, fault: str | int
) -> None:
    marker = f"never-{fault}-{type(sdk.transport).__name__}".lower().replace("_", "-")
    inject(CREATE, fault)
    with pytest.raises(Exception, match=r"(?i)connection|socket closed|recvmsg|unavailable"):
        sdk.create_custom_job(parent=parent, custom_job=request_of(ended, marker))
    assert named(sdk, parent, marker) == []


def test_a_create_that_hangs_holds_the_sdk_for_as_long_as_its_caller_lets_it(
    sdk: Sdk, ended: JobHandle, parent: str, inject: Inject
) -> None:
    marker = f"hangs-{type(sdk.transport).__name__}".lower()
    inject(CREATE, "hang")
    with pytest.raises(Exception, match=r"(?i)timed out|timeout|deadline"):
        sdk.create_custom_job(parent=parent, custom_job=request_of(ended, marker), timeout=0.3)
    assert named(sdk, parent, marker) == []


def test_ours_finds_the_job_whose_answer_was_lost_and_makes_no_second(
    ours: Client, make_job: MakeJob, inject: Inject
) -> None:
    inject(CREATE, "drop_after")
    handle = ours.submit(make_job(labels={"case": "drop-after"}))
    jobs = ours.jobs('labels.case="drop-after"')
    assert [job.name for job in jobs] == [handle.name]


def test_a_create_that_never_arrived_is_unknown_to_ours_and_made_by_nobody(
    ours: Client, make_job: MakeJob, inject: Inject
) -> None:
    inject(CREATE, "drop_before")
    with pytest.raises(SubmissionUnknownError, match="nothing is sent again by itself"):
        ours.submit(make_job(labels={"case": "drop-before"}))
    assert ours.jobs('labels.case="drop-before"') == []


def test_a_503_on_create_is_ambiguous_to_ours(
    ours: Client, make_job: MakeJob, inject: Inject
) -> None:
    inject(CREATE, 503)
    with pytest.raises(SubmissionUnknownError, match="currently unavailable"):
        ours.submit(make_job(labels={"case": "503"}))


def test_a_create_that_commits_late_surprises_the_sdk(
    sdk: Sdk, ended: JobHandle, parent: str, inject: Inject
) -> None:
    marker = f"late-{type(sdk.transport).__name__}"
    inject(CREATE, "commit_late", seconds="200ms")
    with pytest.raises(Exception, match=r"(?i)connection|socket closed|recvmsg"):
        sdk.create_custom_job(parent=parent, custom_job=request_of(ended, marker))
    assert wait_for(lambda: named(sdk, parent, marker))


def test_ours_waits_for_a_create_that_commits_late(
    ours: Client, make_job: MakeJob, inject: Inject
) -> None:
    inject(CREATE, "commit_late", seconds="20ms")
    handle = ours.submit(make_job(labels={"case": "late"}))
    assert [job.name for job in ours.jobs('labels.case="late"')] == [handle.name]


def test_ours_gives_up_a_create_that_hangs_and_finds_nothing(
    ours: Client, make_job: MakeJob, inject: Inject
) -> None:
    inject(CREATE, "hang")
    with pytest.raises(SubmissionUnknownError):
        ours.submit(make_job(labels={"case": "hang"}))


def test_ours_looks_through_failing_lists_for_a_lost_job(
    ours: Client, make_job: MakeJob, inject: Inject
) -> None:
    inject(CREATE, "drop_after")
    inject(LIST, 503, times=2)
    assert ours.submit(make_job()).name


# Watching.


def test_ours_follows_a_job_through_trouble(
    ours: Client, make_job: MakeJob, inject: Inject
) -> None:
    handle = ours.submit(make_job())
    inject(GET, 503, times=2)
    inject(GET, "drop_before")
    inject(GET, "drop_after")
    inject(GET, 504)
    assert handle.exception() is None


def test_an_endpoint_that_stays_away_is_lost_to_ours(
    ours: Client, ended: JobHandle, inject: Inject
) -> None:
    handle = ours.job(ended.name)
    inject(GET, 503, times=None)
    with pytest.raises(EndpointLostError, match="gave up"):
        handle.refresh()


# Rules.


def test_a_fault_of_a_call_that_does_not_exist_is_refused(server: LocalServer) -> None:
    with pytest.raises(EndpointLostError, match=r"did you mean 'JobService\.GetCustomJob'"):
        server.inject([{"call": "JobService.GetCustomJobs", "fault": 503}])


def test_a_jobs_own_faults_end_with_it(
    local_vertex: Endpoint, ours: Client, make_job: MakeJob
) -> None:
    faults = [{"call": GET, "fault": 400, "skip": 10**6}, {"call": GET, "fault": 503}]
    handle = local_vertex.submit(make_job(local={"faults": faults}))
    assert ours.job(handle.name).exception() is None


def test_a_jobs_own_faults_hold_for_its_create(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    faults = [{"call": CREATE, "fault": 429}]
    with pytest.raises(RequestRefusedError, match="quota metrics exceed quota limits"):
        local_vertex.submit(make_job(local={"faults": faults}))
