"""Reading outputs: what is settled before any request is sent."""

import subprocess
import sys

import pytest

from vertex_jobs.errors import EndpointLostError, InvalidJobError
from vertex_jobs.outputs import Outputs, StorageConnection

GOOGLE = StorageConnection(endpoint_url=None, project="project", token="anon")


@pytest.mark.parametrize("uri", ["out/model", "s3://bucket/a", "gs://", "gs://ab/x"])
@pytest.mark.parametrize(
    "call",
    [
        lambda outputs, uri: outputs.list_files(uri),
        lambda outputs, uri: outputs.read_bytes(uri),
        lambda outputs, uri: outputs.exists(uri),
        lambda outputs, uri: outputs.write_bytes(uri, b""),
        lambda outputs, uri: outputs.download(uri, "."),
    ],
)
def test_what_is_no_uri_is_refused_at_once(uri, call):
    with pytest.raises(InvalidJobError, match=f"uri = '{uri}': is not a Cloud Storage URI"):
        call(Outputs(GOOGLE), uri)


def test_google_is_google_whatever_the_environment_says(monkeypatch):
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", "http://127.0.0.1:1")
    assert Outputs(GOOGLE).file_system.base == "https://storage.googleapis.com/storage/v1/"


def test_the_file_system_is_the_one_that_does_not_ask_for_a_buckets_type():
    assert type(Outputs(GOOGLE).file_system).__module__ == "gcsfs.core"


def test_a_lost_endpoint_is_named(monkeypatch):
    import aiohttp

    outputs = Outputs(GOOGLE)

    def fail(*_arguments, **_options):
        raise aiohttp.ClientConnectionError("connection refused")

    monkeypatch.setattr(outputs.file_system, "cat_file", fail)
    with pytest.raises(EndpointLostError, match="could not be reached for gs://bucket/a: conn"):
        outputs.read_bytes("gs://bucket/a")


def test_importing_it_imports_no_client_library():
    script = (
        "import sys, vertex_jobs.outputs\n"
        "print([name for name in ('gcsfs', 'fsspec', 'aiohttp', 'grpc') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
