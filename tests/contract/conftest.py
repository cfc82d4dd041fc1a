"""What the conformance suite speaks through: the generated clients, over REST and over gRPC."""

import io
import tarfile
from collections.abc import Iterator
from typing import Any

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import aiplatform_v1, storage

from vertex_jobs.endpoints import Endpoint

#: Does what its arguments say: the one program of all contract jobs.
PROGRAM = """
import argparse, json, os, signal, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("--exit", type=int, default=0)
parser.add_argument("--signal", type=int)
parser.add_argument("--sleep", type=float, default=0)
parser.add_argument("--environment", action="store_true")
parser.add_argument("--metric", default="score")
parser.add_argument("--x", type=float)
parser.add_argument("--n", type=int)
options = parser.parse_args()
if options.environment:
    names = ("AIP_", "CLOUD_ML_", "TF_CONFIG", "CLUSTER_SPEC", "MY_")
    print(json.dumps({k: v for k, v in os.environ.items() if k.startswith(names)}), flush=True)
if options.x is not None:
    import hypertune
    tune = hypertune.HyperTune()
    for step in (1, 2):
        tune.report_hyperparameter_tuning_metric(options.metric, step * options.x, step)
print("a line", flush=True)
print("an error line", file=sys.stderr, flush=True)
time.sleep(options.sleep)
if options.signal:
    os.kill(os.getpid(), options.signal)
sys.exit(options.exit)
"""


def source_distribution(**files: str) -> bytes:
    """A minimal sdist, ``trainer-0.1``, with the given modules."""
    content = {"PKG-INFO": "Metadata-Version: 2.1\nName: trainer\nVersion: 0.1\n"}
    content |= {"trainer/__init__.py": ""}
    content |= {f"trainer/{name}.py": text for name, text in files.items()}
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        for name, text in content.items():
            member = tarfile.TarInfo(f"trainer-0.1/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return archive.getvalue()


@pytest.fixture(scope="session")
def parent(local_vertex: Endpoint) -> str:
    return f"projects/{local_vertex.place.project}/locations/{local_vertex.place.location}"


@pytest.fixture(scope="session")
def bucket(local_vertex: Endpoint) -> storage.Bucket:
    client = storage.Client(
        project=local_vertex.place.project,
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": local_vertex.connection.storage_endpoint},
    )
    return client.create_bucket("contract-suite")


@pytest.fixture(scope="session")
def package_uri(bucket: storage.Bucket) -> str:
    blob = bucket.blob("packages/trainer-0.1.tar.gz")
    blob.upload_from_string(source_distribution(task=PROGRAM))
    return f"gs://{bucket.name}/{blob.name}"


@pytest.fixture(params=["rest", "grpc"])
def clients(
    request: pytest.FixtureRequest, local_vertex: Endpoint, google_clients: dict[str, str]
) -> Iterator[Any]:
    """Makes a generated client of the given class over the transport under test."""
    made = []

    def make(name: str) -> Any:
        if request.param == "rest":
            client = getattr(aiplatform_v1, name)(
                transport="rest",
                credentials=AnonymousCredentials(),
                client_options={"api_endpoint": local_vertex.connection.api_endpoint},
            )
        else:
            host = f"{local_vertex.place.location}-aiplatform.googleapis.com"
            client = getattr(aiplatform_v1, name)(client_options={"api_endpoint": host})
        made.append(client)
        return client

    yield make
    for client in made:
        client.transport.close()
