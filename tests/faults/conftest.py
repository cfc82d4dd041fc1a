"""What the fault tests share: a server, faults that are taken back, and both views of it.

``sdk`` is the unmodified generated client, over REST and over gRPC; ``ours`` is the library's.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import aiplatform_v1

from vertex_jobs.client import Client
from vertex_jobs.client.timing import Timing
from vertex_jobs.emulator.joining import LocalServer, join
from vertex_jobs.endpoints import Endpoint, local
from vertex_jobs.spec import CustomJob

#: Runs until it is told to end, or does one thing and ends.
SCRIPT = """
import os, signal, sys, time, urllib.request

def checkpoint(verb, body=None):
    bucket, _, path = os.environ["AIP_CHECKPOINT_DIR"][5:].partition("/")
    url = f"{os.environ['STORAGE_EMULATOR_HOST']}/{bucket}/{path}last"
    request = urllib.request.Request(url, data=body, method=verb)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.read()
    except urllib.error.HTTPError:
        return None

import argparse

parser = argparse.ArgumentParser()
parser.add_argument("task", nargs="?", default="")
task = parser.parse_args().task
print(f"started {task}", flush=True)
if task == "resume":
    if checkpoint("GET") is None:
        checkpoint("PUT", b"7")
        print("saved", flush=True)
        time.sleep(600)
elif task == "notice":
    def leave(number, frame):
        print("noticed", flush=True)
        checkpoint("PUT", b"7")
        os._exit(143)
    signal.signal(signal.SIGTERM, leave)
    if checkpoint("GET") is None:
        print("ready", flush=True)
        time.sleep(600)
elif task == "disk":
    open("scratch", "w").close()
    print("written", flush=True)
    while os.path.exists("scratch"):
        time.sleep(0.01)
    print("gone", flush=True)
elif task in ("wait", "deaf"):
    if task == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("ready", flush=True)
    time.sleep(600)
"""


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("script") / "train.py"
    path.write_text(SCRIPT)
    return path


@pytest.fixture
def make_job(script: Path) -> Callable[..., CustomJob]:
    def make(*args: str, **fields: Any) -> CustomJob:
        return CustomJob(
            display_name="faults",
            container_uri="docker.io/tensorflow/tensorflow:2.21.0",
            args=list(args),
            **{"script_path": str(script), "machine_type": "n1-standard-4", **fields},
        )

    return make


@pytest.fixture
def server(local_vertex: Endpoint) -> Iterator[LocalServer]:
    """The session's server; what a test injects is taken back."""
    yield local_vertex.server
    local_vertex.server.clear_faults()


@pytest.fixture
def inject(server: LocalServer) -> Callable[..., None]:
    """Injects faults of calls: pattern, fault, options."""

    def one(call: str, fault: int | str, **options: Any) -> None:
        server.inject([{"call": call, "fault": fault, **options}])

    return one


@pytest.fixture(params=["rest", "grpc"])
def sdk(
    request: pytest.FixtureRequest, local_vertex: Endpoint, google_clients: dict[str, str]
) -> Iterator[aiplatform_v1.JobServiceClient]:
    """The generated client over the transport under test, as unmodified programs make it."""
    if request.param == "rest":
        client = aiplatform_v1.JobServiceClient(
            transport="rest",
            credentials=AnonymousCredentials(),
            client_options={"api_endpoint": local_vertex.connection.api_endpoint},
        )
    else:
        host = f"{local_vertex.place.location}-aiplatform.googleapis.com"
        client = aiplatform_v1.JobServiceClient(client_options={"api_endpoint": host})
    yield client
    client.transport.close()


class FastTime:
    """A clock that only sleeping moves, so that a minute of looking takes no time."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        time.sleep(min(seconds, 0.01))

    def timing(self) -> Timing:
        return Timing(clock=lambda: self.now, sleep=self.sleep)


@pytest.fixture
def ours(local_vertex: Endpoint, tmp_path: Path) -> Iterator[Client]:
    """Our client, with a time of its own and a short patience for one call."""
    connection = replace(
        local_vertex.connection, state_directory=tmp_path / "state", timeout_seconds=1.0
    )
    client = Client(connection, timing=FastTime().timing())
    yield client
    client.close()


@pytest.fixture(scope="session")
def parent(local_vertex: Endpoint) -> str:
    return f"projects/{local_vertex.place.project}/locations/{local_vertex.place.location}"


@pytest.fixture(scope="session")
def virtual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """A Local Vertex whose clock only the tests move."""
    import os

    path = tmp_path_factory.mktemp("virtual")
    server = join(path, clock="virtual")
    server.hold(os.getpid())
    endpoint = local(state_dir=path)
    yield endpoint
    endpoint.close()
    server.stop()
