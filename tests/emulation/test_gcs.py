"""Scripts that use ``/gcs/<bucket>`` literally, as they may on the service."""

import io
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import aiplatform_v1, storage
from machine_room import TENSORFLOW_IMAGE, trainer

from vertex_jobs import testing
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


#: Loaded by Python itself at its start: the machine of a person who has not installed mfusepy.
WITHOUT_MFUSEPY = "import sys; sys.modules['mfusepy'] = None"


@pytest.fixture(scope="module", params=["mount", "copy"])
def local_vertex(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Endpoint]:
    folder = tmp_path_factory.mktemp(request.param)
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "copy":
            (folder / "sitecustomize.py").write_text(WITHOUT_MFUSEPY)
            patch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
        with testing.local_vertex(folder / "state") as endpoint:
            health = endpoint.server.call("GET", "health")
            if health["gcs"] != request.param:
                pytest.skip(health["why_not"])
            yield endpoint


@pytest.fixture(scope="module")
def client(local_vertex: Endpoint) -> storage.Client:
    return storage.Client(
        project=local_vertex.place.project,
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": local_vertex.connection.storage_endpoint},
    )


def run(
    local_vertex: Endpoint,
    package_uri: str,
    env: list[dict[str, str]],
    args: Sequence[str] = (),
) -> Any:
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
            "args": list(args),
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


LAST_WORDS = """
import os, signal, sys
with open("/gcs/last-words/" + sys.argv[1], "w") as file:
    file.write("x")
print(os.listdir("/gcs/last-words"))
if sys.argv[1] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
raise SystemExit("failed")
"""


@pytest.mark.parametrize("end", ["killed", "failed"])
def test_what_a_replica_wrote_before_it_failed_is_there(
    local_vertex: Endpoint, client: storage.Client, upload: Callable[[str], str], end: str
) -> None:
    bucket = client.bucket("last-words")
    job = run(local_vertex, upload(LAST_WORDS), [], [end])
    assert job.state == aiplatform_v1.JobState.JOB_STATE_FAILED
    assert bucket.blob(end).download_as_text() == "x"


def test_a_copy_is_announced(
    local_vertex: Endpoint, client: storage.Client, upload: Callable[[str], str]
) -> None:
    client.bucket("announced").blob("a").upload_from_string("x")
    job = run(local_vertex, upload("print(open('/gcs/announced/a').read())"), [])
    said = [line.text for line in local_vertex.job(job.name).logs()]
    found = [text for text in said if text.startswith("/gcs is a copy of gs://announced here")]
    is_copied = local_vertex.server.call("GET", "health")["gcs"] == "copy"
    assert (len(found), "x" in said) == (int(is_copied), True)


def test_a_path_made_of_an_output_directory(
    local_vertex: Endpoint, client: storage.Client, upload: Callable[[str], str]
) -> None:
    """The bucket is made by the first write to it, as that to gs:// would."""
    source = (
        "import os\n"
        "folder = os.environ['OUT'].replace('gs://', '/gcs/')\n"
        "os.makedirs(folder)\n"
        "open(folder + '/a', 'w').write('x')\n"
    )
    run(local_vertex, upload(source), [{"name": "OUT", "value": "gs://made-of-a-uri/out"}])
    assert client.bucket("made-of-a-uri").blob("out/a").download_as_text() == "x"
