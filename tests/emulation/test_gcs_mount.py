"""What a mount of ``/gcs`` alone does: others see a file while it is written, and its own life."""

import errno
import os
import shutil
import signal
import subprocess

import pytest
from gcs_folders import COMMAND, content, mounted, names, why_not

from vertex_jobs.emulator.storage.objects import ListQuery, ObjectStore

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "it can")


@pytest.fixture(scope="module")
def mount(tmp_path_factory):
    directory = tmp_path_factory.mktemp("mount")
    store = ObjectStore(directory / "store")
    with mounted(directory) as (mountpoint, _):
        yield mountpoint, store
    store.close()


@pytest.fixture
def store(mount):
    _, opened = mount
    opened.buckets.create("bucket")
    yield opened
    while found := opened.list_objects("bucket", ListQuery()).objects:
        for stored in found:
            opened.delete("bucket", stored.name)
    opened.buckets.delete("bucket")


@pytest.fixture
def root(mount, store):
    return mount[0] / "bucket"


class TestWhatTheMountAloneDoes:
    def test_what_is_being_written_is_seen_by_others_here(self, root, store):
        with (root / "a").open("wb") as file:
            file.write(b"half")
            file.flush()
            assert ((root / "a").read_bytes(), os.listdir(root)) == (b"half", ["a"])
            assert names(store) == []
        assert names(store) == ["a"]

    def test_fsync_publishes(self, root, store):
        with (root / "a").open("wb") as file:
            file.write(b"one")
            file.flush()
            os.fsync(file.fileno())
            assert content(store, "a") == b"one"
            file.write(b"two")
        assert content(store, "a") == b"onetwo"

    def test_a_writer_whose_object_was_changed_by_others_is_told(self, root, store):
        store.write("bucket", "a", b"1")
        file = (root / "a").open("r+b")
        file.write(b"mine")
        file.flush()
        store.write("bucket", "a", b"theirs")
        with pytest.raises(OSError, match="Stale file handle") as caught:
            file.close()
        assert (caught.value.errno, content(store, "a")) == (errno.ESTALE, b"theirs")

    def test_modes_and_owners_are_ignored_silently(self, root):
        (root / "a").touch()
        (root / "a").chmod(0o600)
        assert (root / "a").stat().st_mode & 0o777 == 0o644

    def test_a_name_that_no_object_may_have(self, root):
        with pytest.raises(OSError, match="Invalid argument"):
            (root / "a\nb").touch()

    def test_only_empty_directories_can_be_renamed(self, root, store):
        store.write("bucket", "full/a", b"")
        with pytest.raises(OSError, match="Too many open files"):  # as Cloud Storage FUSE answers
            (root / "full").rename(root / "other")
        assert names(store) == ["full/a"]

    def test_one_cannot_be_made_here(self, mount):
        with pytest.raises(PermissionError):
            (mount[0] / "nobody-made-it").mkdir()

    def test_files_do_not_move_between_them_by_rename(self, mount, root, store):
        store.buckets.create("other-bucket")
        (root / "a").touch()
        with pytest.raises(OSError, match="Invalid cross-device link"):
            (root / "a").rename(mount[0] / "other-bucket" / "a")
        shutil.move(root / "a", mount[0] / "other-bucket" / "a")
        store.delete("other-bucket", "a")
        store.buckets.delete("other-bucket")

    def test_the_first_write_makes_one_where_that_is_wanted(self, tmp_path):
        with mounted(tmp_path, "--create-buckets") as (mountpoint, _):
            (mountpoint / "my-real-bucket" / "out").mkdir(parents=True)
            (mountpoint / "my-real-bucket" / "out" / "a").write_bytes(b"1")
            assert os.listdir(mountpoint / "another-one") == []
        store = ObjectStore(tmp_path / "store")
        assert [bucket.name for bucket in store.buckets.list()] == ["my-real-bucket"]
        store.close()


class TestLife:
    def test_sigterm_unmounts(self, tmp_path):
        with mounted(tmp_path) as (mountpoint, process):
            assert os.path.ismount(mountpoint)
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=60) == 0
            assert not os.path.ismount(mountpoint)

    def test_a_mount_point_that_is_not_there(self, tmp_path):
        done = subprocess.run(
            [*COMMAND, "--store", tmp_path / "store", "--mountpoint", tmp_path / "nowhere"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 1
        assert "nowhere could not be mounted" in done.stderr

    def test_a_missing_library_is_named_with_its_remedy(self, tmp_path):
        done = subprocess.run(
            [*COMMAND, "--store", tmp_path / "store", "--mountpoint", tmp_path],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env={**os.environ, "FUSE_LIBRARY_PATH": "/nowhere/libfuse3.so"},
        )
        assert done.returncode == 1
        assert "apt-get install libfuse3-3 fuse3" in done.stderr
