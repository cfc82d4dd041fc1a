"""The folder that replicas see as ``/gcs``: a real mount, and the copy that stands for one."""

import functools
import json
import mmap
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from gcs_folders import content, mounted, names, why_not

from vertex_jobs.emulator.storage.gcs_copy import Buckets, GcsCopy
from vertex_jobs.emulator.storage.objects import ListQuery, ObjectStore

IDENTITY = ("-c", "user.name=n", "-c", "user.email=e@example.com")


def run(*command):
    subprocess.run(command, check=True, capture_output=True)


class Settled:
    """An object store before a copy of its buckets: each call sees what the files have become."""

    def __init__(self, store, copy):
        self._store = store
        self._copy = copy

    def __getattr__(self, name):
        found = getattr(self._store, name)
        return self._settled(found) if callable(found) else Settled(found, self._copy)

    def _settled(self, method):
        @functools.wraps(method)
        def call(*arguments, **options):
            assert self._copy.copy_out(Path("/nowhere/needed")) == []
            try:
                return method(*arguments, **options)
            finally:
                self._copy.copy_in()

        return call


@pytest.fixture(scope="module", params=["mount", "copy"])
def way(request, tmp_path_factory):
    """The folder that a replica sees as /gcs, and the store behind it."""
    directory = tmp_path_factory.mktemp(request.param)
    store = ObjectStore(directory / "store")
    if request.param == "copy":
        tree = GcsCopy.plan(directory / "copy", Buckets(everything=True))
        copy = GcsCopy.of(store, tree)
        copy.copy_in()
        yield tree, Settled(store, copy), store
    elif why_not():
        pytest.skip(why_not())
    else:
        with mounted(directory) as (mountpoint, _):
            yield mountpoint, store, store
    store.close()


@pytest.fixture
def store(way):
    _, settled, opened = way
    settled.buckets.create("bucket")
    yield settled
    settled.list_objects("bucket", ListQuery())
    while found := opened.list_objects("bucket", ListQuery()).objects:
        for stored in found:
            opened.delete("bucket", stored.name)
    settled.buckets.delete("bucket")


@pytest.fixture
def root(way, store):
    return way[0] / "bucket"


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

    def test_more_files_than_a_page(self, root, store):
        (root / "dir").mkdir()
        for number in range(1005):
            (root / "dir" / f"{number:04}").touch()
        assert store.get("bucket", "dir/1004").size == 0
        assert len(os.listdir(root / "dir")) == 1005

    def test_an_empty_one_can_be_renamed(self, root, store):
        (root / "empty").mkdir()
        (root / "empty").rename(root / "moved")
        assert names(store) == ["moved/"]

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
    def test_the_root_lists_them(self, way, store):
        assert os.listdir(way[0]) == ["bucket"]

    def test_an_unknown_one_is_not_there(self, way):
        assert not (way[0] / "nobody-made-it").exists()

    def test_the_room_is_that_of_the_disk(self, root, tmp_path):
        assert shutil.disk_usage(root).total == shutil.disk_usage(tmp_path).total


class TestPrograms:
    def test_keras_like_formats_that_seek(self, root, store):
        import zipfile

        with zipfile.ZipFile(root / "a.zip", "w") as archive:
            archive.writestr("config.json", json.dumps({"k": 1}))
        with zipfile.ZipFile(root / "a.zip") as archive:
            assert json.loads(archive.read("config.json")) == {"k": 1}

    def test_tar(self, root, store, tmp_path):
        (tmp_path / "a").write_bytes(b"1" * 100_000)
        run("tar", "-C", tmp_path, "-czf", root / "a.tgz", "a")
        (root / "out").mkdir()
        run("tar", "-C", root / "out", "-xzf", root / "a.tgz")
        assert content(store, "out/a") == b"1" * 100_000

    def test_git(self, root, store, tmp_path):
        repository = root / "repository"
        run("git", "init", "-q", repository)
        (repository / "a").write_text("1")
        run("git", "-C", repository, "add", "a")
        run("git", "-C", repository, *IDENTITY, "commit", "-qm", "message")
        assert store.get("bucket", "repository/.git/HEAD").size
        run("git", "clone", "-q", repository, tmp_path / "clone")
        assert (tmp_path / "clone" / "a").read_text() == "1"

    def test_sqlite(self, root, store):
        database = sqlite3.connect(root / "a.sqlite")
        with database:
            database.execute("CREATE TABLE t (x)")
            database.executemany("INSERT INTO t VALUES (?)", [(n,) for n in range(1000)])
        database.close()
        assert content(store, "a.sqlite").startswith(b"SQLite format 3")
        database = sqlite3.connect(root / "a.sqlite")
        assert database.execute("SELECT sum(x) FROM t").fetchall() == [(499500,)]
        database.close()

    def test_a_numpy_array_that_is_mapped(self, root, store):
        np.save(root / "a.npy", np.arange(100_000))
        store.get("bucket", "a.npy")
        array = np.load(root / "a.npy", mmap_mode="r+")
        array[-1] = 7
        array.flush()
        del array
        assert np.frombuffer(content(store, "a.npy")[-8:], dtype=np.int64) == [7]

    def test_hdf5(self, root, store):
        with h5py.File(root / "a.h5", "w") as file:
            file["x"] = np.arange(10_000)
        store.get("bucket", "a.h5")
        with h5py.File(root / "a.h5", "r+") as file:
            file["x"][0] = 5
        store.get("bucket", "a.h5")
        with h5py.File(root / "a.h5") as file:
            assert int(file["x"][:].sum()) == 49_995_000 + 5

    def test_several_processes(self, root, store):
        script = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(sys.argv[2] * 100000)"
        processes = [
            subprocess.Popen([sys.executable, "-c", script, str(root / f"{number}"), f"{number}"])
            for number in range(4)
        ]
        assert [process.wait(timeout=60) for process in processes] == [0] * 4
        assert [content(store, f"{n}") for n in range(4)] == [b"%d" % n * 100000 for n in range(4)]
