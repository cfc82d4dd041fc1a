"""Outputs of a job, read from the storage service."""

import pytest
from storage_server import serving

from vertex_jobs.errors import RequestRefusedError, UnsupportedHereError
from vertex_jobs.outputs import Outputs, StorageConnection


@pytest.fixture
def store_and_outputs(tmp_path):
    with serving(tmp_path / "store") as (url, store):
        store.buckets.create("bucket")
        yield store, Outputs(StorageConnection(url, "project", "anon"))


@pytest.fixture
def store(store_and_outputs):
    return store_and_outputs[0]


@pytest.fixture
def outputs(store_and_outputs):
    return store_and_outputs[1]


def uris(files):
    return [str(file.uri) for file in files]


def fill(store, *names):
    for name in names:
        store.write("bucket", name, name.encode())


@pytest.mark.parametrize("uri", ["gs://bucket/out", "gs://bucket/out/"])
def test_files_below_a_directory_without_markers_and_neighbours(store, outputs, uri):
    fill(store, "out/", "out/a", "out/b/", "out/b/c", "outer")
    assert uris(outputs.list_files(uri)) == ["gs://bucket/out/a", "gs://bucket/out/b/c"]


def test_a_single_object_is_listed_with_its_size(store, outputs):
    fill(store, "out/model.keras")
    (file,) = outputs.list_files("gs://bucket/out/model.keras")
    assert (str(file.uri), file.size) == ("gs://bucket/out/model.keras", 15)


def test_nothing_there(outputs):
    assert outputs.list_files("gs://bucket/out") == ()
    assert not outputs.exists("gs://bucket/out")


def test_existence_and_size_of_objects_and_directories(store, outputs):
    fill(store, "out/a", "out/bb")
    assert outputs.exists("gs://bucket/out")
    assert outputs.exists("gs://bucket/out/a")
    assert outputs.size("gs://bucket/out/") == 11


def test_what_a_job_writes_later_is_seen(store, outputs):
    fill(store, "out/a")
    outputs.list_files("gs://bucket/out")
    fill(store, "out/b")
    assert len(outputs.list_files("gs://bucket/out")) == 2


@pytest.mark.parametrize("name", ["out/a b", "out/ü#1?x=*", "a"])
def test_reading_and_writing(outputs, name):
    outputs.write_bytes(f"gs://bucket/{name}", "täxt".encode())
    assert outputs.read_text(f"gs://bucket/{name}") == "täxt"


@pytest.mark.parametrize("uri", ["gs://bucket/nowhere", "gs://nobody/nowhere"])
def test_a_missing_object_is_named(outputs, uri):
    with pytest.raises(RequestRefusedError, match=f"There is no object '{uri}'") as caught:
        outputs.read_bytes(uri)
    assert (caught.value.code, caught.value.status) == (404, "NOT_FOUND")


def test_a_download_keeps_the_names_below_the_directory(store, outputs, tmp_path):
    fill(store, "out/a", "out/b/c")
    calls = []
    paths = outputs.download("gs://bucket/out/", tmp_path / "x", lambda *done: calls.append(done))
    assert [str(path.relative_to(tmp_path)) for path in paths] == ["x/a", "x/b/c"]
    assert (tmp_path / "x/b/c").read_text() == "out/b/c"
    assert calls == [(5, 12), (12, 12)]
    assert sorted(path.name for path in tmp_path.joinpath("x").rglob("*")) == ["a", "b", "c"]


def test_a_download_of_one_object(store, outputs, tmp_path):
    fill(store, "out/a")
    assert outputs.download("gs://bucket/out/a", tmp_path) == (tmp_path / "a",)


def test_a_download_of_nothing(outputs, tmp_path):
    with pytest.raises(RequestRefusedError, match="and nothing below it"):
        outputs.download("gs://bucket/out", tmp_path)


@pytest.mark.parametrize("name", ["out/../../escaped", "out/./a", "out//a"])
def test_names_that_would_leave_the_directory(store, outputs, tmp_path, name):
    fill(store, "out/aa", name)
    with pytest.raises(UnsupportedHereError, match=r"empty, \. or \.\. component"):
        outputs.download("gs://bucket/out", tmp_path / "x" / "y")
    assert not (tmp_path / "x").exists()


def test_an_object_beside_a_directory_of_that_name(store, outputs, tmp_path):
    fill(store, "out/a", "out/a/b")
    with pytest.raises(UnsupportedHereError, match="a file and a directory at once"):
        outputs.download("gs://bucket/out", tmp_path / "x")
    assert not (tmp_path / "x").exists()
