"""What a copy of buckets does with the changes of others, with failures and after kills."""

import os
import subprocess
import sys
import threading

import pytest
from gcs_folders import content, names

from vertex_jobs.emulator.controllers.gcs_copies import keep_what_is_left
from vertex_jobs.emulator.storage.gcs_copy import Buckets, GcsCopy, copy_in
from vertex_jobs.emulator.storage.objects import ObjectStore
from vertex_jobs.emulator.store.logbook import Logbook
from vertex_jobs.errors import UnsupportedHereError


@pytest.fixture
def store(tmp_path):
    opened = ObjectStore(tmp_path / "store")
    opened.buckets.create("bucket")
    yield opened
    opened.close()


@pytest.fixture
def copy(tmp_path, store):
    """Makes a copy of these buckets in a place, and answers it with the folder of ``bucket``."""

    def make(*buckets, place="copy"):
        wanted = Buckets(set(buckets), everything=not buckets)
        tree = GcsCopy.plan(tmp_path / place, wanted)
        made = GcsCopy.of(store, tree)
        made.copy_in()
        return made, tree / "bucket"

    return make


@pytest.fixture
def refuge(tmp_path):
    return tmp_path / "gcs-left" / "7-workerpool0-0"


def test_a_program_cannot_change_an_object_before_the_end(store, copy, refuge):
    store.write("bucket", "a", b"object")
    made, root = copy()
    with (root / "a").open("r+b") as file:
        file.write(b"OBJ")
    before = content(store, "a")
    assert (before, made.copy_out(refuge), content(store, "a")) == (b"object", [], b"OBJect")


def test_what_was_not_touched_keeps_its_generation(store, copy, refuge):
    generation = store.write("bucket", "dir/a", b"1").generation
    made, root = copy()
    (root / "dir" / "b").write_bytes(b"2")
    os.chmod(root / "dir" / "a", 0o600)
    made.copy_out(refuge)
    assert (store.get("bucket", "dir/a").generation, names(store)) == (
        generation,
        ["dir/a", "dir/b"],
    )


def test_bytes_that_change_under_a_kept_time_are_noticed(store, copy, refuge):
    store.write("bucket", "a", b"old")
    made, root = copy()
    before = (root / "a").stat()
    (root / "a").write_bytes(b"new")
    os.utime(root / "a", ns=(before.st_atime_ns, before.st_mtime_ns))
    made.copy_out(refuge)
    assert content(store, "a") == b"new"


def test_the_replicas_version_takes_the_place_of_anothers_and_it_says_so(store, copy, refuge):
    store.write("bucket", "a", b"old")
    made, root = copy()
    (root / "a").write_bytes(b"mine")
    store.write("bucket", "a", b"theirs")
    said = made.copy_out(refuge)
    assert (content(store, "a"), said) == (
        b"mine",
        [
            "gs://bucket/a was changed by others while the replica ran; what the replica left in "
            "/gcs/bucket/a has taken its place."
        ],
    )


def test_what_others_replaced_is_not_removed(store, copy, refuge):
    store.write("bucket", "a", b"old")
    made, root = copy()
    (root / "a").unlink()
    store.write("bucket", "a", b"theirs")
    made.copy_out(refuge)
    assert content(store, "a") == b"theirs"


def test_two_replicas_that_write_the_same_say_nothing(store, copy, refuge):
    first, here = copy(place="first")
    second, there = copy(place="second")
    (here / "a").write_bytes(b"same")
    (there / "a").write_bytes(b"same")
    assert first.copy_out(refuge) + second.copy_out(refuge) == []


def test_a_file_in_place_of_a_folder(store, copy, refuge):
    store.write("bucket", "a/b", b"1")
    made, root = copy()
    (root / "a" / "b").unlink()
    (root / "a").rmdir()
    (root / "a").write_bytes(b"2")
    made.copy_out(refuge)
    assert names(store) == ["a"]


def test_a_renamed_folder_takes_all_along(store, copy, refuge):
    store.write("bucket", "full/a", b"1")
    made, root = copy()
    (root / "full").rename(root / "other")
    made.copy_out(refuge)
    assert names(store) == ["other/", "other/a"]


def test_only_the_named_buckets_are_copied(store, copy):
    store.buckets.create("other-bucket")
    _, root = copy("bucket")
    assert os.listdir(root.parent) == ["bucket"]


def test_a_bucket_that_is_not_there_is_no_folder(store, copy):
    _, root = copy("bucket", "nobody-made-it")
    assert os.listdir(root.parent) == ["bucket"]


def test_a_named_bucket_that_a_write_would_make_is_a_folder(tmp_path):
    store = ObjectStore(tmp_path / "store", create_buckets=True)
    tree = GcsCopy.plan(tmp_path / "copy", Buckets({"my-real-bucket"}))
    made = GcsCopy.of(store, tree)
    made.copy_in()
    (tree / "my-real-bucket" / "a").write_bytes(b"1")
    said = made.copy_out(tmp_path / "refuge")
    found = [bucket.name for bucket in store.buckets.list()]
    store.close()
    assert (said, found) == ([], ["my-real-bucket"])


def test_what_cannot_be_an_object_is_kept_elsewhere(store, copy, refuge):
    made, root = copy()
    (root.parent / "nobody-made-it").mkdir()
    (root.parent / "nobody-made-it" / "a").write_bytes(b"1")
    said = made.copy_out(refuge)
    assert (said, (refuge / "nobody-made-it" / "a").read_bytes()) == (
        [
            "/gcs/nobody-made-it/a is not kept: The specified bucket does not exist.",
            f"All that the replica left in /gcs is kept in {refuge}.",
        ],
        b"1",
    )


def test_nothing_is_read_through_a_link_or_a_pipe(store, copy, refuge, tmp_path):
    (tmp_path / "secret").write_text("secret")
    made, root = copy()
    (root / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(root / "pipe")
    said = made.copy_out(refuge)
    assert (content(store, "link"), said) == (
        b"",
        ["/gcs/bucket/pipe is not kept: it is neither a file nor a folder."],
    )


def test_a_disk_without_room_is_said_before_it_is_full(store, copy, monkeypatch):
    store.write("bucket", "a", b"1")
    monkeypatch.setattr(copy_in, "_HEADROOM", 1 << 60)
    monkeypatch.setattr(copy_in, "_clone", lambda source, target: False)
    with pytest.raises(UnsupportedHereError, match=r"gs://bucket/a \(0 MiB\) does not fit"):
        copy()


def test_objects_that_come_and_go_while_they_are_copied(store, copy):
    """A writer replaces and deletes all the time; what is copied is whole."""
    ended = threading.Event()

    def change():
        number = 0
        while not ended.is_set():
            number += 1
            store.write("bucket", "a", b"%d" % (number % 10) * 1000)
            if number % 5 == 0:
                store.delete("bucket", "a")

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for number in range(20):
            _, root = copy(place=f"copy{number}")
            found = (root / "a").read_bytes() if (root / "a").exists() else b"1" * 1000
            assert found == found[:1] * 1000
    finally:
        ended.set()
        changing.join()


def test_what_a_killed_server_left_becomes_objects(store, tmp_path):
    """The process that copied in is killed; the next one copies out."""
    work = tmp_path / "work"
    script = """if True:
        import os, signal, sys
        from pathlib import Path
        from vertex_jobs.emulator.storage.gcs_copy import Buckets, GcsCopy
        from vertex_jobs.emulator.storage.objects import ObjectStore
        tree = GcsCopy.plan(Path(sys.argv[1]), Buckets({"bucket"}))
        GcsCopy.of(ObjectStore(Path(sys.argv[2])), tree).copy_in()
        (tree / "bucket" / "a").write_bytes(b"mine")
        os.kill(os.getpid(), signal.SIGKILL)
    """
    place = work / "7" / "gcs-workerpool0-0"
    command = [sys.executable, "-c", script, place, tmp_path / "store"]
    assert subprocess.run(command, check=False).returncode == -9
    logbook = Logbook(tmp_path / "logs")
    keep_what_is_left(work, store, logbook, 0.0)
    logbook.close()
    assert content(store, "a") == b"mine"
