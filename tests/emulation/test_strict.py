"""``emulate --strict``: nothing is eased; a bucket that nobody made is not there."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from command_line import CommandLine
from google.api_core.exceptions import NotFound
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage

from vertex_jobs import testing
from vertex_jobs.emulator.storage.objects import BucketNotFoundError, ObjectStore
from vertex_jobs.endpoints import Endpoint


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """A strict Local Vertex, in which a first write had made a bucket before."""
    with testing.local_vertex(tmp_path_factory.mktemp("strict")) as endpoint:
        client_of(endpoint).bucket("made-by-a-write").blob("a").upload_from_string("x")
        endpoint.server.hold(os.getpid(), strict=True)
        yield endpoint


def client_of(endpoint: Endpoint) -> storage.Client:
    return storage.Client(
        project=endpoint.place.project,
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": endpoint.connection.storage_endpoint},
    )


@pytest.fixture(params=["nobody-made-it", "made-by-a-write"])
def bucket(request: pytest.FixtureRequest, strict: Endpoint) -> storage.Bucket:
    return client_of(strict).bucket(request.param)


def test_a_bucket_that_nobody_made_is_not_there(bucket: storage.Bucket) -> None:
    assert (bucket.exists(), [one.name for one in bucket.client.list_buckets()]) == (False, [])


def test_reading_is_404(bucket: storage.Bucket) -> None:
    with pytest.raises(NotFound, match="The specified bucket does not exist"):
        bucket.blob("a").download_as_bytes()


def test_listing_is_404(bucket: storage.Bucket) -> None:
    with pytest.raises(NotFound, match="The specified bucket does not exist"):
        list(bucket.list_blobs())


def test_writing_is_404(bucket: storage.Bucket) -> None:
    with pytest.raises(NotFound, match="The specified bucket does not exist"):
        bucket.blob("b").upload_from_string("x")


def test_an_upload_in_chunks_is_404(bucket: storage.Bucket, tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * (1 << 20))
    blob = bucket.blob("b", chunk_size=1 << 18)
    with pytest.raises(NotFound, match="The specified bucket does not exist"):
        blob.upload_from_filename(tmp_path / "large")


def test_deleting_is_404(bucket: storage.Bucket) -> None:
    with pytest.raises(NotFound, match="The specified bucket does not exist"):
        bucket.blob("a").delete()


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "a"), ("PUT", "b"), ("DELETE", "a"), ("GET", ""), ("POST", "b?uploads")],
)
def test_the_xml_api_is_404(
    strict: Endpoint, bucket: storage.Bucket, method: str, path: str
) -> None:
    address = f"{strict.connection.storage_endpoint}/{bucket.name}/{path}"
    answer = requests.request(method, address, data=b"x", timeout=10)
    assert (answer.status_code, "<Code>NoSuchBucket</Code>" in answer.text) == (404, True)


def test_a_bucket_that_is_made_at_last_takes_over_what_is_in_it(tmp_path: Path) -> None:
    store = ObjectStore(tmp_path, create_buckets=True)
    store.write("made-late", "a", b"x")
    store.set_strict(True)
    with pytest.raises(BucketNotFoundError):
        store.get("made-late", "a")
    store.buckets.create("made-late")
    assert store.get("made-late", "a").size == 1
    store.close()


def test_another_process_on_the_same_store_is_strict_too(tmp_path: Path) -> None:
    """The mount of /gcs is one."""
    first, second = (ObjectStore(tmp_path, create_buckets=True) for _ in range(2))
    first.set_strict(True)
    with pytest.raises(BucketNotFoundError):
        second.write("nobody-made-it", "a", b"x")
    first.set_strict(False)
    assert second.write("nobody-made-it", "a", b"x").size == 1
    first.close()
    second.close()


GCSFS = """
import gcsfs
files = gcsfs.GCSFileSystem()
for mode in ("rb", "wb"):
    try:
        with files.open("nobody-made-it/a", mode) as file:
            file.write(b"x") if mode == "wb" else file.read()
    except FileNotFoundError as error:
        print(mode, "FileNotFoundError")
"""
TENSORFLOW = """
import tensorflow as tf
for mode in ("r", "w"):
    try:
        with tf.io.gfile.GFile("gs://nobody-made-it/a", mode) as file:
            file.write("x") if mode == "w" else file.read()
    except tf.errors.NotFoundError:
        print(mode, "NotFoundError")
"""


def test_gcsfs_finds_nothing(fresh_command: CommandLine) -> None:
    done = fresh_command.finish("emulate", "--strict", "--", sys.executable, "-c", GCSFS)
    assert done.out == "rb FileNotFoundError\nwb FileNotFoundError\n", done.err


@pytest.mark.extended
def test_tensorflow_finds_nothing(fresh_command: CommandLine) -> None:
    done = fresh_command.finish("emulate", "--strict", "--", sys.executable, "-c", TENSORFLOW)
    assert done.out == "r NotFoundError\nw NotFoundError\n", done.err
