"""Custom jobs as the service answered them in published recordings, sent and compared as they are.

Source: GoogleCloudPlatform/k8s-config-connector, pkg/test/resourcefixture/testdata/basic/vertexai/
v1alpha1/vertexaicustomjob, _http.log of -minimal and -maximal.
"""

import http.client
import json
import re
from typing import Any

import pytest
from job_forms import custom_job, pool, spec

from vertex_jobs.endpoints import Endpoint
from vertex_jobs.errors import JobFailedError

pytestmark = pytest.mark.local_only
POOL = {
    "containerSpec": {"command": ["sh", "-c", "echo hello world"], "imageUri": "alpine:latest"},
    "machineSpec": {"machineType": "n1-standard-4"},
    "replicaCount": "1",
}
FILLED_POOL = {**POOL, "diskSpec": {"bootDiskSizeGb": 100, "bootDiskType": "pd-ssd"}}
MINIMAL = {"displayName": "minimal-job-x", "jobSpec": {"workerPoolSpecs": [POOL]}}
MAXIMAL = {
    "displayName": "maximal-job-x",
    "jobSpec": {
        "enableWebAccess": True,
        "scheduling": {"timeout": "1800s"},
        "workerPoolSpecs": [POOL],
    },
    "labels": {"foo": "bar"},
}
ENUMS_AS_NUMBERS = "?%24alt=json%3Benum-encoding%3Dint"
MICROSECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


@pytest.fixture
def exchange(local_vertex: Endpoint) -> Any:
    """Sends what a program sends that uses no library of Google's, and reads the whole answer."""
    connection = http.client.HTTPConnection("127.0.0.1", local_vertex.server.record.port, 60)

    def send(method: str, path: str, body: Any = None) -> tuple[int, list[Any], Any]:
        sent = json.dumps(body) if body is not None else None
        headers = {"Content-Type": "application/json"}
        connection.request(method, f"/v1beta1/{path}{ENUMS_AS_NUMBERS}", sent, headers)
        answer = connection.getresponse()
        return answer.status, answer.getheaders(), json.loads(answer.read())

    yield send
    connection.close()


@pytest.mark.parametrize("job", [MINIMAL, MAXIMAL], ids=["minimal", "maximal"])
def test_a_created_job(exchange: Any, parent: str, job: dict[str, Any]) -> None:
    status, _, answer = exchange("POST", f"{parent}/customJobs", job)
    times = [answer.pop(name) for name in ("createTime", "updateTime")]
    name = answer.pop("name")
    filled = {**job["jobSpec"], "workerPoolSpecs": [FILLED_POOL]}
    assert (status, answer) == (200, {**job, "jobSpec": filled, "state": 2})
    assert re.fullmatch(r"projects/\d+/locations/us-central1/customJobs/\d{18,19}", name)
    assert all(MICROSECONDS.fullmatch(time) for time in times)


def test_a_name_whose_id_is_no_number(exchange: Any, parent: str) -> None:
    status, _, answer = exchange("GET", f"{parent}/customJobs/customjob-x")
    text = "List of found errors:\t1.Field: name; Message: Invalid CustomJob resource name.\t"
    error = {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}
    assert (status, answer) == (400, {"error": error})


@pytest.mark.parametrize("job_id", ["customjob-x", ""], ids=["refused", "listed"])
def test_headers(exchange: Any, parent: str, job_id: str) -> None:
    _, headers, _ = exchange("GET", f"{parent}/customJobs/{job_id}".rstrip("/"))
    ours = {"content-length", "date"}
    assert sorted((name.lower(), value) for name, value in headers if name.lower() not in ours) == [
        ("content-type", "application/json; charset=UTF-8"),
        ("server", "ESF"),
        ("vary", "Origin"),
        ("vary", "Referer"),
        ("vary", "X-Origin"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "SAMEORIGIN"),
        ("x-xss-protection", "0"),
    ]


def test_the_same_job_fails_here_when_it_starts(
    local_vertex: Endpoint, exchange: Any, parent: str
) -> None:
    """Nothing stands for its image on this machine: it says so, and what can."""
    _, _, created = exchange("POST", f"{parent}/customJobs", MINIMAL)
    with pytest.raises(JobFailedError, match="nothing on this machine stands for the image alpine"):
        local_vertex.job(created["name"]).result(timeout=60)


def test_web_shells(local_vertex: Endpoint, jobs: Any, parent: str, package_uri: str) -> None:
    """Source: GoogleCloudPlatform/vertex-ai-samples, history of
    sdk_pytorch_torchrun_custom_container_training_imagenet.ipynb, outputs of its job.
    """
    pools = [pool(package_uri), pool(package_uri), pool(package_uri)]
    job = {"display_name": "shells", "job_spec": spec(*pools, enable_web_access=True)}
    created = jobs.create_custom_job(parent=parent, custom_job=job)
    local_vertex.job(created.name).result(timeout=120)
    uris = dict(jobs.get_custom_job(name=created.name).web_access_uris)
    host = r"[0-9a-f]{16}-dot-us-central1\.aiplatform-training\.googleusercontent\.com"
    assert sorted(uris) == ["workerpool0-0", "workerpool1-0", "workerpool2-0"]
    assert all(re.fullmatch(host, uri) for uri in uris.values())


def test_times_of_a_finished_job(
    local_vertex: Endpoint, jobs: Any, parent: str, package_uri: str, exchange: Any
) -> None:
    """Source: GoogleCloudPlatform/training-data-analyst, mobile_gaming_feature_store.ipynb."""
    created = jobs.create_custom_job(parent=parent, custom_job=custom_job(package_uri))
    local_vertex.job(created.name).result(timeout=60)
    _, _, job = exchange("GET", created.name)
    whole = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
    assert [bool(whole.fullmatch(job[name])) for name in ("startTime", "endTime")] == [True, True]
    moments = [job[name].removesuffix("Z") for name in ("createTime", "startTime", "endTime")]
    assert [*moments, job["updateTime"].removesuffix("Z")] == sorted(
        [*moments, job["updateTime"].removesuffix("Z")]
    )


@pytest.mark.parametrize("path", ["endpoints", "customJobs/7:explain", "featurestores/x"])
def test_methods_that_are_not_emulated_are_refused_by_name(
    exchange: Any, parent: str, path: str
) -> None:
    """Without a proxy the host does not say which API is meant, and none of it is a bucket's."""
    status, _, answer = exchange("PUT", f"{parent}/{path}", {})
    text = f"PUT /v1beta1/{parent}/{path} is not emulated by Local Vertex."
    assert (status, answer["error"]["message"]) == (501, text)
