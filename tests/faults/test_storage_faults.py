"""Storage that goes wrong, as google-cloud-storage sees it and as our uploads do."""

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage

from vertex_jobs.client import Client
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.errors import RequestRefusedError
from vertex_jobs.spec import CustomJob

Inject = Callable[..., None]
MakeJob = Callable[..., CustomJob]

INSERT, READ = "storage.objects.insert", "storage.objects.get"


@pytest.fixture
def bucket(local_vertex: Endpoint) -> Iterator[storage.Bucket]:
    client = storage.Client(
        project=local_vertex.place.project,
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": local_vertex.connection.storage_endpoint},
    )
    yield client.bucket("fault-suite")
    client.close()


@pytest.fixture
def blob(bucket: storage.Bucket, request: pytest.FixtureRequest) -> storage.Blob:
    return bucket.blob(request.node.name)


@pytest.fixture
def make_new_job(make_job: MakeJob, tmp_path: Any) -> Callable[..., CustomJob]:
    """Jobs of a content that no other test has uploaded."""

    def make() -> CustomJob:
        path = tmp_path / "train.py"
        path.write_text(f"print({str(tmp_path)!r})\n")
        return make_job(script_path=str(path))

    return make


@pytest.mark.parametrize("fault", [429, 500, 503, 504, "drop_before", "drop_after", "commit_late"])
def test_the_sdk_uploads_again_after_what_passes(
    blob: storage.Blob, inject: Inject, fault: int | str
) -> None:
    inject(INSERT, fault, seconds=0)
    blob.upload_from_string(b"content")
    assert blob.download_as_bytes() == b"content"


@pytest.mark.parametrize(
    ("status", "error"), [(400, exceptions.BadRequest), (403, exceptions.Forbidden)]
)
def test_the_sdk_is_refused_an_upload(
    blob: storage.Blob, inject: Inject, status: int, error: type[Exception]
) -> None:
    inject(INSERT, status)
    with pytest.raises(error):
        blob.upload_from_string(b"content")


def test_an_upload_dropped_before_it_took_effect_leaves_nothing(
    blob: storage.Blob, inject: Inject
) -> None:
    inject(INSERT, "drop_before")
    with pytest.raises(Exception, match="Connection"):
        blob.upload_from_string(b"content", retry=None)
    assert not blob.exists()


def test_an_upload_dropped_after_it_took_effect_is_there(
    blob: storage.Blob, inject: Inject
) -> None:
    inject(INSERT, "drop_after")
    with pytest.raises(Exception, match="Connection"):
        blob.upload_from_string(b"content", retry=None)
    assert blob.download_as_bytes() == b"content"


def test_the_sdk_hangs_for_as_long_as_its_caller_lets_it(
    blob: storage.Blob, inject: Inject
) -> None:
    inject(INSERT, "hang")
    with pytest.raises(Exception, match="timed out"):
        blob.upload_from_string(b"content", retry=None, timeout=0.3)


# The library leaves the answer that it reads no further open, for the collector to find.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("fault", [429, 503, "drop_before", "drop_after"])
def test_the_sdk_reads_again_after_what_passes(
    blob: storage.Blob, inject: Inject, fault: int | str
) -> None:
    blob.upload_from_string(b"content")
    inject(READ, fault)
    content = blob.download_as_bytes()
    gc.collect()
    assert content == b"content"


def test_a_slow_read_is_a_read(blob: storage.Blob, inject: Inject) -> None:
    blob.upload_from_string(b"content")
    inject(READ, "slow", seconds="50ms")
    assert blob.download_as_bytes() == b"content"


def test_the_error_is_one_of_the_json_api(blob: storage.Blob, inject: Inject) -> None:
    inject(INSERT, 403)
    with pytest.raises(exceptions.Forbidden) as refused:
        blob.upload_from_string(b"content")
    assert "The caller does not have permission" in str(refused.value)


@pytest.mark.parametrize("fault", [429, 503, "drop_before", "drop_after"])
def test_ours_uploads_its_package_again_after_what_passes(
    ours: Client, make_new_job: MakeJob, inject: Inject, fault: int | str
) -> None:
    inject(INSERT, fault)
    assert ours.submit(make_new_job()).exception() is None


def test_ours_makes_no_job_when_its_package_is_refused(
    ours: Client, make_new_job: MakeJob, inject: Inject
) -> None:
    inject(INSERT, 403)
    with pytest.raises(RequestRefusedError) as refused:
        ours.submit(make_new_job())
    assert (refused.value.code, ours.settle()) == (403, [])
