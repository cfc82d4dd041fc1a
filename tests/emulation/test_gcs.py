"""Scripts that use ``/gcs/<bucket>`` literally, as they may on the service."""

import io
import time
from collections.abc import Callable
from typing import Any

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import aiplatform_v1, storage
from machine_room import TENSORFLOW_IMAGE, trainer

from vertex_jobs.emulator.launcher import gcs_mounting
from vertex_jobs.endpoints import Endpoint

TERMINAL = (4, 5, 7)
#: What it reads was put there by google-cloud-storage; what it writes is read back by it.
PROGRAM = """
import os, sys
with open("/gcs/mounted-data/input.txt") as file:
    text = file.read()
os.makedirs("/gcs/mounted-data/out", exist_ok=True)
with open("/gcs/mounted-data/out/x", "w") as file:
    file.write(text.upper())
print(sorted(os.listdir("/gcs/mounted-data")), flush=True)
"""


def why_not() -> str:
    try:
        import mfusepy  # noqa: F401
    except (ImportError, OSError, AttributeError) as error:
        return f"mfusepy: {error}"
    return gcs_mounting.missing()


pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "it can")


@pytest.fixture(scope="module")
def client(local_vertex: Endpoint) -> storage.Client:
    health = local_vertex.server.call("GET", "health")
    if not health["gcs_mount"]:
        pytest.skip(health["why_not"])
    return storage.Client(
        project=local_vertex.place.project,
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": local_vertex.connection.storage_endpoint},
    )


def run(local_vertex: Endpoint, package_uri: str, env: list[dict[str, str]]) -> Any:
    jobs = aiplatform_v1.JobServiceClient(
        transport="rest",
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": local_vertex.connection.api_endpoint},
    )
    pool = {
        "machine_spec": {"machine_type": "n1-standard-4"},
        "replica_count": 1,
        "python_package_spec": {
            "executor_image_uri": TENSORFLOW_IMAGE,
            "package_uris": [package_uri],
            "python_module": "trainer.task",
            "env": env,
        },
    }
    parent = f"projects/{local_vertex.place.project}/locations/{local_vertex.place.location}"
    with jobs:
        job = {"display_name": "gcs", "job_spec": {"worker_pool_specs": [pool]}}
        name = jobs.create_custom_job(parent=parent, custom_job=job).name
        deadline = time.monotonic() + 60
        while (created := jobs.get_custom_job(name=name)).state not in TERMINAL:
            assert time.monotonic() < deadline
            time.sleep(0.02)
    return created


@pytest.fixture
def upload(client: storage.Client) -> Callable[[str], str]:
    def put(source: str) -> str:
        bucket = client.bucket("gcs-suite")
        name = f"{abs(hash(source))}/trainer-0.1.tar.gz"
        bucket.blob(name).upload_from_file(io.BytesIO(trainer(source)))
        return f"gs://gcs-suite/{name}"

    return put


def test_a_script_reads_and_writes_the_bucket_as_a_folder(
    local_vertex: Endpoint, client: storage.Client, upload: Callable[[str], str]
) -> None:
    bucket = client.create_bucket("mounted-data")
    bucket.blob("input.txt").upload_from_string("hello")
    job = run(local_vertex, upload(PROGRAM), [])
    assert job.error.message == ""
    assert bucket.blob("out/x").download_as_text() == "HELLO"


def test_a_path_in_a_variable_counts_too(
    local_vertex: Endpoint, client: storage.Client, upload: Callable[[str], str]
) -> None:
    bucket = client.bucket("made-by-a-script")
    source = "import os; open(os.environ['TARGET'], 'w').write('x')"
    client.create_bucket(bucket)
    target = {"name": "TARGET", "value": "/gcs/made-by-a-script/y"}
    job = run(local_vertex, upload(source), [target])
    assert job.error.message == ""
    assert bucket.blob("y").download_as_text() == "x"
