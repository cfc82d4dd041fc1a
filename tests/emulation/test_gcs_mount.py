"""``/gcs`` as a real mount, in a process of its own."""

import errno
import json
import mmap
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from vertex_jobs.emulator.storage.objects import ListQuery, ObjectStore

COMMAND = [sys.executable, "-m", "vertex_jobs.emulator.storage.gcs_mount"]


def why_not() -> str:
    """Why this machine cannot mount, in words; empty when it can."""
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "no /dev/fuse"
    try:
        import mfusepy  # noqa: F401
    except (ImportError, OSError, AttributeError) as error:
        return str(error)
    return "" if os.geteuid() == 0 or shutil.which("fusermount3") else "not root, no fusermount3"


pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "it can")


@contextmanager
def mounted(directory: Path, *options: str) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    mountpoint = directory / "gcs"
    mountpoint.mkdir()
    process = subprocess.Popen(
        [*COMMAND, "--store", directory / "store", "--mountpoint", mountpoint, *options],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield mountpoint, process
    finally:
        process.terminate()
        process.wait(timeout=60)
        process.stdout.close()


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


def names(store):
    return [stored.name for stored in store.list_objects("bucket", ListQuery()).objects]


def content(store, name):
    _, file = store.open("bucket", name)
    with file:
        return file.read()


class TestFiles:
    def test_a_closed_file_is_an_object(self, root, store):
        (root / "a.txt").write_bytes(b"bytes")
        assert content(store, "a.txt") == b"bytes"
        assert store.get("bucket", "a.txt").attributes == {"contentType": "text/plain"}

    def test_an_object_is_a_file(self, root, store):
        store.write("bucket", "a", b"bytes")
        assert (root / "a").read_bytes() == b"bytes"

    def test_a_large_file(self, root, store):
        data = os.urandom(9 << 20)
        (root / "a").write_bytes(data)
        assert content(store, "a") == data
        assert (root / "a").read_bytes() == data

    def test_a_replaced_object_is_seen_at_once(self, root, store):
        store.write("bucket", "a", b"old")
        assert (root / "a").read_bytes() == b"old"
        store.write("bucket", "a", b"newer")
        assert (root / "a").read_bytes() == b"newer"

    def test_append(self, root, store):
        store.write("bucket", "a", b"one")
        with (root / "a").open("ab") as file:
            file.write(b"two")
        assert content(store, "a") == b"onetwo"

    def test_writes_anywhere(self, root, store):
        store.write("bucket", "a", b"0123456789")
        with (root / "a").open("r+b") as file:
            file.seek(3)
            file.write(b"abc")
            file.truncate(8)
        assert content(store, "a") == b"012abc67"

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

    def test_an_empty_file(self, root, store):
        (root / "a").touch()
        assert content(store, "a") == b""

    def test_truncation_by_name(self, root, store):
        store.write("bucket", "a", b"0123")
        os.truncate(root / "a", 6)
        assert content(store, "a") == b"0123\0\0"

    def test_removal(self, root, store):
        store.write("bucket", "a", b"1")
        (root / "a").unlink()
        assert names(store) == []

    def test_a_file_removed_while_open(self, root, store):
        with (root / "a").open("w+b") as file:
            file.write(b"1")
            (root / "a").unlink()
            file.seek(0)
            assert file.read() == b"1"
        assert names(store) == []

    def test_rename_over_another(self, root, store):
        store.write("bucket", "a", b"new")
        store.write("bucket", "b", b"old")
        (root / "a").rename(root / "b")
        assert (names(store), content(store, "b")) == (["b"], b"new")

    def test_rename_while_open(self, root, store):
        with (root / "a").open("wb") as file:
            file.write(b"one")
            file.flush()
            (root / "a").rename(root / "b")
            file.write(b"two")
        assert (names(store), content(store, "b")) == (["b"], b"onetwo")

    def test_a_writer_whose_object_was_changed_by_others_is_told(self, root, store):
        store.write("bucket", "a", b"1")
        file = (root / "a").open("r+b")
        file.write(b"mine")
        file.flush()
        store.write("bucket", "a", b"theirs")
        with pytest.raises(OSError, match="Stale file handle") as caught:
            file.close()
        assert (caught.value.errno, content(store, "a")) == (errno.ESTALE, b"theirs")

    def test_modification_times_are_kept(self, root, tmp_path):
        (tmp_path / "a").write_bytes(b"1")
        os.utime(tmp_path / "a", ns=(0, 1_234_567_890_123_456_789))
        shutil.copy2(tmp_path / "a", root / "a")
        assert (root / "a").stat().st_mtime_ns == 1_234_567_890_123_456_789

    def test_memory_mapping(self, root):
        (root / "a").write_bytes(b"0123456789")
        with (root / "a").open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as m:
            assert m[3:5] == b"34"

    def test_symbolic_links(self, root):
        (root / "a").write_bytes(b"1")
        (root / "link").symlink_to("a")
        assert (os.readlink(root / "link"), (root / "link").read_bytes()) == ("a", b"1")

    def test_modes_and_owners_are_ignored_silently(self, root):
        (root / "a").touch()
        (root / "a").chmod(0o600)
        assert (root / "a").stat().st_mode & 0o777 == 0o644

    def test_a_name_that_no_object_may_have(self, root):
        with pytest.raises(OSError, match="Invalid argument"):
            (root / "a\nb").touch()


class TestDirectories:
    def test_a_prefix_is_a_directory(self, root, store):
        store.write("bucket", "dir/sub/a", b"1")
        assert (root / "dir").is_dir()
        assert list(os.walk(root)) == [
            (str(root), ["dir"], []),
            (str(root / "dir"), ["sub"], []),
            (str(root / "dir" / "sub"), [], ["a"]),
        ]

    def test_mkdir_makes_a_marker_and_rmdir_removes_it(self, root, store):
        (root / "dir" / "sub").mkdir(parents=True)
        assert names(store) == ["dir/", "dir/sub/"]
        (root / "dir" / "sub").rmdir()
        assert names(store) == ["dir/"]

    def test_what_exists_cannot_be_made(self, root, store):
        store.write("bucket", "dir/a", b"")
        with pytest.raises(FileExistsError):
            (root / "dir").mkdir()

    def test_only_empty_ones_can_be_removed(self, root, store):
        store.write("bucket", "dir/a", b"")
        with pytest.raises(OSError, match="Directory not empty"):
            (root / "dir").rmdir()

    def test_a_tree_can_be_removed(self, root, store):
        (root / "dir" / "sub").mkdir(parents=True)
        (root / "dir" / "sub" / "a").touch()
        shutil.rmtree(root / "dir")
        assert names(store) == []

    def test_renaming_works_for_empty_ones_only(self, root, store):
        (root / "empty").mkdir()
        (root / "empty").rename(root / "moved")
        store.write("bucket", "full/a", b"")
        with pytest.raises(OSError, match="Too many open files"):  # as Cloud Storage FUSE answers
            (root / "full").rename(root / "other")
        assert names(store) == ["full/a", "moved/"]

    def test_more_files_than_a_page(self, root, store):
        first = store.write("bucket", "dir/0000", b"")
        for number in range(1, 1005):
            store.copy(first, "bucket", f"dir/{number:04}")
        assert len(os.listdir(root / "dir")) == 1005

    def test_names_without_a_path_are_not_shown(self, root, store):
        for name in ("a//b", "/c", "d/../e", "ok"):
            store.write("bucket", name, b"")
        assert sorted(os.listdir(root)) == ["a", "d", "ok"]
        assert os.listdir(root / "a") == []

    def test_an_object_beside_a_directory_of_that_name(self, root, store):
        store.write("bucket", "a", b"object")
        store.write("bucket", "a/b", b"below")
        assert sorted(os.listdir(root)) == ["a", "a\n"]
        assert (root / "a" / "b").read_bytes() == b"below"
        assert (root / "a\n").read_bytes() == b"object"
        (root / "a\n").write_bytes(b"changed")
        assert content(store, "a") == b"changed"

    def test_the_line_feed_means_nothing_without_such_a_pair(self, root, store):
        store.write("bucket", "a", b"object")
        assert not (root / "a\n").exists()


class TestBuckets:
    def test_the_root_lists_them(self, mount, store):
        assert os.listdir(mount[0]) == ["bucket"]

    def test_an_unknown_one_is_not_there(self, mount):
        assert not (mount[0] / "nobody-made-it").exists()

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

    def test_the_room_is_that_of_the_disk(self, root, tmp_path):
        assert shutil.disk_usage(root).total == shutil.disk_usage(tmp_path).total

    def test_the_first_write_makes_one_where_that_is_wanted(self, tmp_path):
        with mounted(tmp_path, "--create-buckets") as (mountpoint, _):
            (mountpoint / "my-real-bucket" / "out").mkdir(parents=True)
            (mountpoint / "my-real-bucket" / "out" / "a").write_bytes(b"1")
            assert os.listdir(mountpoint / "another-one") == []
        store = ObjectStore(tmp_path / "store")
        assert [bucket.name for bucket in store.buckets.list()] == ["my-real-bucket"]
        store.close()


class TestPrograms:
    def test_keras_like_formats_that_seek(self, root, store):
        import zipfile

        with zipfile.ZipFile(root / "a.zip", "w") as archive:
            archive.writestr("config.json", json.dumps({"k": 1}))
        with zipfile.ZipFile(root / "a.zip") as archive:
            assert json.loads(archive.read("config.json")) == {"k": 1}

    def test_several_processes(self, root, store):
        script = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(sys.argv[2] * 100000)"
        processes = [
            subprocess.Popen([sys.executable, "-c", script, str(root / f"{number}"), f"{number}"])
            for number in range(4)
        ]
        assert [process.wait(timeout=60) for process in processes] == [0] * 4
        assert [content(store, f"{n}") for n in range(4)] == [b"%d" % n * 100000 for n in range(4)]


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
