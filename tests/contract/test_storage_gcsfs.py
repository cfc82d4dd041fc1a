"""The storage service through gcsfs, as pandas, Keras and TensorBoard use it."""

import os

import pytest
from fsspec.asyn import sync
from gcsfs.core import GCSFileSystem
from storage_server import serving

# aiohttp warns about bodies above 1 MiB, which is gcsfs's doing.
pytestmark = pytest.mark.filterwarnings("ignore:Sending a large body:ResourceWarning")
MEBIBYTE = 1 << 20


@pytest.fixture
def served(tmp_path):
    with serving(tmp_path) as (url, store):
        store.buckets.create("bucket")
        yield url, store


@pytest.fixture
def store(served):
    return served[1]


@pytest.fixture
def files(served):
    return GCSFileSystem(
        project="project",
        token="anon",
        endpoint_url=served[0],
        skip_instance_cache=True,
        use_listings_cache=False,
    )


@pytest.mark.parametrize("size", [0, 10, 6 * MEBIBYTE, 60 * MEBIBYTE])
def test_pipe_and_cat(files, size):
    data = os.urandom(size)
    files.pipe("bucket/a", data)  # multipart up to 50 MiB, then resumable with POST
    assert files.cat("bucket/a") == data


@pytest.mark.parametrize("size", [0, 10, 5 * MEBIBYTE, 12 * MEBIBYTE + 1])
def test_open_and_write(files, size):
    data = os.urandom(size)
    with files.open("bucket/dir/ü x", "wb", block_size=5 * MEBIBYTE) as file:
        file.write(data)
    with files.open("bucket/dir/ü x", "rb") as file:
        assert file.read() == data


def test_data_that_looks_like_a_line_end(files):
    files.pipe("bucket/a", b"\r\n--==0==\r")
    assert files.cat("bucket/a") == b"\r\n--==0==\r"


def test_random_reads(files):
    files.pipe("bucket/a", bytes(range(256)))
    with files.open("bucket/a", "rb", block_size=16) as file:
        file.seek(200)
        assert file.read(3) == bytes([200, 201, 202])
    assert files.cat_file("bucket/a", start=-2) == bytes([254, 255])


@pytest.mark.parametrize("size", [1, 6 * MEBIBYTE])
def test_exclusive_creation(files, size):
    files.pipe("bucket/a", b"first")
    with (
        pytest.raises(FileExistsError),
        files.open("bucket/a", "xb", block_size=5 * MEBIBYTE) as file,
    ):
        file.write(b"2" * size)
    assert files.cat("bucket/a") == b"first"


def test_checksums(files):
    with files.open("bucket/a", "wb", consistency="md5") as file:
        file.write(b"1")
    assert files.cat("bucket/a") == b"1"


def test_directories(files):
    for name in ("a", "a/b", "a/c/d", "e/"):
        files.pipe(f"bucket/{name}", b"" if name.endswith("/") else b"1")
    assert files.ls("bucket") == ["bucket/a", "bucket/a", "bucket/e"]
    assert files.find("bucket/a") == ["bucket/a/b", "bucket/a/c/d"]
    assert files.glob("bucket/a/*") == ["bucket/a/b", "bucket/a/c"]
    assert files.isdir("bucket/e")


def test_more_files_than_a_page(files, store):
    names = [f"many/{number:04}" for number in range(1100)]
    first = store.write("bucket", names[0], b"")
    for name in names[1:]:
        store.copy(first, "bucket", name)
    assert files.find("bucket/many") == [f"bucket/{name}" for name in names]


def test_move_and_copy(files):
    files.pipe("bucket/a", b"1")
    files.cp("bucket/a", "bucket/b")
    files.mv("bucket/a", "bucket/c d")
    assert files.find("bucket") == ["bucket/b", "bucket/c d"]


def test_merge(files):
    files.pipe({"bucket/a": b"1", "bucket/b": b"2"})
    files.merge("bucket/c", ["bucket/a", "bucket/b"])
    assert files.cat("bucket/c") == b"12"


def test_recursive_removal(files):
    files.pipe({"bucket/a/b": b"1", "bucket/a/c": b"2", "bucket/d": b"3"})
    files.rm("bucket/a", recursive=True)
    assert files.find("bucket") == ["bucket/d"]


def test_removal_by_batches_as_against_google(files):
    files.pipe({"bucket/a b": b"1", "bucket/c": b"2"})
    outcome = sync(files.loop, files._rm_files, ["bucket/a b", "bucket/nowhere"])
    assert outcome[0] == "bucket/a b"
    assert "No such object" in str(outcome[1])
    assert files.find("bucket") == ["bucket/c"]


def test_custom_metadata(files):
    files.pipe("bucket/a", b"1")
    files.setxattrs("bucket/a", key="value")
    assert files.getxattr("bucket/a", "key") == "value"


def test_a_missing_object(files):
    with pytest.raises(FileNotFoundError):
        files.cat("bucket/nowhere")
    assert not files.exists("bucket/nowhere")


def test_buckets(files):
    files.mkdir("another-bucket")
    assert files.buckets == ["another-bucket/", "bucket/"]
    files.rmdir("another-bucket")
    assert files.ls("") == ["bucket/"]
