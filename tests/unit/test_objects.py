"""The object store: generations, preconditions, listing, durability, several processes."""

import os
import subprocess
import sys
import threading
from base64 import b64encode
from hashlib import md5
from pathlib import Path

import pytest

from vertex_jobs.emulator.storage.objects import (
    AlreadyExistsError,
    BucketNotFoundError,
    ChecksumMismatchError,
    Checksums,
    ComposeSource,
    InvalidObjectRequestError,
    ListQuery,
    NotEmptyError,
    ObjectNotFoundError,
    ObjectStore,
    PreconditionFailedError,
    Preconditions,
    UploadNotFoundError,
)

ABSENT = Preconditions(generation_match=0)


@pytest.fixture
def store(tmp_path):
    opened = ObjectStore(tmp_path / "store")
    opened.buckets.create("bucket")
    yield opened
    opened.close()


def content(store, name, bucket="bucket"):
    _, file = store.open(bucket, name)
    with file:
        return file.read()


def names(store, **query):
    page = store.list_objects("bucket", ListQuery(**query))
    return [stored.name for stored in page.objects], list(page.prefixes)


def payload_files(store_directory: Path):
    return sorted(path.name for path in (store_directory / "payloads").iterdir())


def test_an_object_comes_back_as_it_was_written(store):
    store.write("bucket", "a", b"bytes")
    assert content(store, "a") == b"bytes"


def test_checksums_are_those_of_the_bytes(store):
    stored = store.write("bucket", "a", b"123456789")
    # 0xE3069283 is the check value of CRC-32C. Source: RFC 3720, appendix B.4 and the catalogues.
    assert (stored.crc32c, stored.md5) == (
        b64encode(bytes.fromhex("e3069283")).decode(),
        b64encode(md5(b"123456789").digest()).decode(),
    )


def test_generations_increase_even_when_the_clock_stands_still(tmp_path):
    store = ObjectStore(tmp_path, clock=lambda: 1.0)
    store.buckets.create("bucket")
    first = store.write("bucket", "a", b"1")
    assert store.write("bucket", "a", b"2").generation > first.generation
    store.close()


def test_an_overwritten_payload_leaves_the_disk(tmp_path):
    store = ObjectStore(tmp_path, create_buckets=True)
    store.write("bucket", "a", b"1")
    last = store.write("bucket", "a", b"2")
    assert payload_files(tmp_path) == [str(last.payload)]
    store.close()


def test_a_copy_shares_the_payload_and_outlives_its_source(store):
    source = store.write("bucket", "a", b"bytes")
    copied = store.copy(source, "bucket", "b")
    store.delete("bucket", "a")
    assert (copied.payload, content(store, "b")) == (source.payload, b"bytes")


def test_a_move_removes_the_source(store):
    store.copy(store.write("bucket", "a", b"1"), "bucket", "b", move=True)
    assert names(store)[0] == ["b"]


def test_a_move_onto_itself_keeps_the_object(store):
    store.copy(store.write("bucket", "a", b"1"), "bucket", "a", move=True)
    assert content(store, "a") == b"1"


def test_an_open_file_stays_readable_when_the_object_is_replaced(store):
    store.write("bucket", "a", b"old")
    _, file = store.open("bucket", "a")
    store.write("bucket", "a", b"new")
    with file:
        assert file.read() == b"old"


def test_compose_concatenates_and_counts_components(store):
    for name in "abc":
        store.write("bucket", name, name.encode())
    store.compose("bucket", "ab", [ComposeSource("a"), ComposeSource("b")])
    composed = store.compose("bucket", "abc", [ComposeSource("ab"), ComposeSource("c")])
    assert (content(store, "abc"), composed.component_count, composed.md5) == (b"abc", 3, None)


def test_compose_into_one_of_its_sources(store):
    store.write("bucket", "a", b"1")
    store.compose("bucket", "a", [ComposeSource("a"), ComposeSource("a")])
    assert content(store, "a") == b"11"


def test_compose_takes_32_components_at_most(store):
    with pytest.raises(InvalidObjectRequestError, match="33 objects: 1 to 32 are allowed"):
        store.compose("bucket", "a", [ComposeSource("a")] * 33)


def test_update_counts_metagenerations_and_keeps_the_generation(store):
    stored = store.write("bucket", "a", b"", attributes={"contentType": "text/plain"})
    changed = store.update("bucket", "a", lambda old: {**old, "metadata": {"k": "v"}})
    assert (changed.generation, changed.metageneration) == (stored.generation, 2)


@pytest.mark.parametrize(
    ("preconditions", "condition"),
    [
        (Preconditions(generation_match=0), "ifGenerationMatch"),
        (Preconditions(generation_match=1), "ifGenerationMatch"),
        (Preconditions(metageneration_match=2), "ifMetagenerationMatch"),
        (Preconditions(metageneration_not_match=1), "ifMetagenerationNotMatch"),
    ],
)
def test_every_verb_checks_preconditions(store, preconditions, condition):
    stored = store.write("bucket", "a", b"1")
    attempts = [
        lambda: store.write("bucket", "a", b"2", preconditions=preconditions),
        lambda: store.get("bucket", "a", preconditions=preconditions),
        lambda: store.open("bucket", "a", preconditions=preconditions),
        lambda: store.update("bucket", "a", dict, preconditions=preconditions),
        lambda: store.delete("bucket", "a", preconditions=preconditions),
        lambda: store.copy(stored, "bucket", "a", preconditions=preconditions),
        lambda: store.compose("bucket", "a", [ComposeSource("a")], preconditions=preconditions),
        lambda: store.resumable.start("bucket", "a", preconditions=preconditions),
    ]
    refused = []
    for attempt in attempts:
        with pytest.raises(PreconditionFailedError) as caught:
            attempt()
        refused.append(caught.value.condition)
    assert refused == [condition] * len(attempts)
    assert store.get("bucket", "a") == stored


def test_generation_not_match_of_the_live_generation_fails(store):
    stored = store.write("bucket", "a", b"1")
    with pytest.raises(PreconditionFailedError, match=f"ifGenerationNotMatch={stored.generation}"):
        store.get(
            "bucket", "a", preconditions=Preconditions(generation_not_match=stored.generation)
        )


def test_generation_match_zero_lets_the_first_write_pass(store):
    assert store.write("bucket", "a", b"1", preconditions=ABSENT).size == 1


def test_of_concurrent_creators_exactly_one_wins(store):
    won = []

    def create(number):
        try:
            store.write("bucket", "a", b"%d" % number, preconditions=ABSENT)
        except PreconditionFailedError:
            return
        won.append(b"%d" % number)

    threads = [threading.Thread(target=create, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert won == [content(store, "a")]


def test_an_older_generation_is_not_found(store):
    old = store.write("bucket", "a", b"1")
    store.write("bucket", "a", b"2")
    with pytest.raises(ObjectNotFoundError, match="No such object: bucket/a"):
        store.get("bucket", "a", Preconditions(generation=old.generation))


@pytest.mark.parametrize(
    ("announced", "message"),
    [
        (Checksums(crc32c="AAAAAA=="), 'Provided CRC32C hash "AAAAAA==" doesn\'t match'),
        (Checksums(md5="1B2M2Y8AsgTpgAmY7PhCfg=="), "Provided MD5 hash"),
    ],
)
def test_wrong_checksums_keep_the_object_out(store, announced, message):
    with pytest.raises(ChecksumMismatchError, match=message):
        store.write("bucket", "a", b"1", expected=announced)
    assert names(store) == ([], [])


def test_a_checksum_that_is_no_base64_is_refused(store):
    with pytest.raises(InvalidObjectRequestError, match="'%%' is not base64"):
        store.write("bucket", "a", b"1", expected=Checksums(md5="%%"))


@pytest.mark.parametrize(
    "name",
    [
        "with space",
        "ünï😀",
        "..\\..",
        "../../etc/passwd",
        "/leading",
        "a//b",
        "trailing/",
        "x" * 1024,
        "%2F",
        "a?b#c",
        "tab\there",
    ],
)
def test_any_name_is_an_object_and_no_path(tmp_path, name):
    store = ObjectStore(tmp_path / "deep" / "store", create_buckets=True)
    store.write("bucket", name, b"1")
    found = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert names(store)[0] == [name]
    assert all(path.is_relative_to(tmp_path / "deep" / "store") for path in found)
    store.close()


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("", "has 0 bytes in UTF-8; 1 to 1024 are allowed"),
        ("ü" * 513, "has 1026 bytes"),
        (".", "may not be . or .."),
        ("..", "may not be . or .."),
        ("a\nb", "holds a carriage return, line feed or NUL"),
        ("\ud800", "surrogates not allowed"),
        (".well-known/acme-challenge/x", "acme-challenge"),
    ],
)
def test_names_that_the_service_refuses(store, name, rule):
    with pytest.raises(InvalidObjectRequestError, match=rule):
        store.write("bucket", name, b"")


@pytest.mark.parametrize("attributes", [{"contentType": "a\r\nX: y"}, {"metadata": {"k": 1}}])
def test_attributes_that_no_header_could_carry(store, attributes):
    with pytest.raises(InvalidObjectRequestError, match="must"):
        store.write("bucket", "a", b"", attributes=attributes)


class TestListing:
    @pytest.fixture(autouse=True)
    def tree(self, store):
        for name in ["a", "a/", "a/b", "a/c/d", "a/c/e", "b", "c/", "c/x", "é/z"]:
            store.write("bucket", name, b"")

    def test_all_in_the_order_of_their_bytes(self, store):
        assert names(store)[0] == ["a", "a/", "a/b", "a/c/d", "a/c/e", "b", "c/", "c/x", "é/z"]

    def test_a_delimiter_folds(self, store):
        assert names(store, delimiter="/") == (["a", "b"], ["a/", "c/", "é/"])

    def test_prefix_and_delimiter_list_a_directory(self, store):
        assert names(store, prefix="a/", delimiter="/") == (["a/", "a/b"], ["a/c/"])

    def test_trailing_delimiters_on_request(self, store):
        found = names(store, delimiter="/", include_trailing_delimiter=True)
        assert found == (["a", "a/", "b", "c/"], ["a/", "c/", "é/"])

    def test_offsets_include_the_start_and_exclude_the_end(self, store):
        assert names(store, start_offset="a/b", end_offset="b")[0] == ["a/b", "a/c/d", "a/c/e"]

    def test_a_start_offset_inside_a_prefix(self, store):
        assert names(store, start_offset="a/d", delimiter="/") == (["b"], ["c/", "é/"])

    @pytest.mark.parametrize("delimiter", ["", "/"])
    @pytest.mark.parametrize("size", [1, 2, 3, 100])
    def test_pages_hold_everything_once(self, store, delimiter, size):
        found, token = [], ""
        while True:
            page = store.list_objects(
                "bucket", ListQuery(delimiter=delimiter, max_results=size, page_token=token)
            )
            entries = [stored.name for stored in page.objects] + list(page.prefixes)
            assert 1 <= len(entries) <= size
            found += entries
            if not (token := page.next_page_token):
                break
        whole = names(store, delimiter=delimiter)
        assert sorted(found) == sorted(whole[0] + whole[1])

    def test_a_page_that_is_just_full_has_no_next(self, store):
        page = store.list_objects("bucket", ListQuery(max_results=9))
        assert page.next_page_token == ""

    def test_a_delimiter_of_several_characters(self, store):
        assert names(store, prefix="a", delimiter="/c/")[1] == ["a/c/"]

    def test_prefixes_at_the_end_of_unicode(self, store):
        last = "\U0010ffff"
        store.write("bucket", last + last, b"")
        assert names(store, prefix=last, delimiter=last)[1] == [last + last]

    def test_a_foreign_page_token_is_refused(self, store):
        with pytest.raises(InvalidObjectRequestError, match="Invalid page token '!'"):
            store.list_objects("bucket", ListQuery(page_token="!"))


class TestBuckets:
    def test_an_unknown_bucket_is_not_found(self, store):
        with pytest.raises(BucketNotFoundError, match="The specified bucket does not exist"):
            store.write("nobody", "a", b"")

    def test_a_second_creation_is_refused(self, store):
        with pytest.raises(AlreadyExistsError, match="already own it: bucket"):
            store.buckets.create("bucket")

    def test_one_with_objects_cannot_be_deleted(self, store):
        store.write("bucket", "a", b"")
        with pytest.raises(NotEmptyError, match="not empty: bucket"):
            store.buckets.delete("bucket")

    @pytest.mark.parametrize("name", ["", "ab", "Upper", "a/b", "..", "-dash"])
    def test_names_that_the_service_refuses(self, store, name):
        with pytest.raises(InvalidObjectRequestError, match="Invalid bucket name"):
            store.buckets.create(name)

    def test_the_first_write_makes_one_where_that_is_wanted(self, tmp_path):
        store = ObjectStore(tmp_path, create_buckets=True)
        store.write("new-bucket", "a", b"")
        store.write("new-bucket", "b", b"")
        assert [bucket.name for bucket in store.buckets.list()] == ["new-bucket"]
        assert store.buckets.get("new-bucket").implicit
        store.close()

    def test_a_failed_write_makes_none(self, tmp_path):
        store = ObjectStore(tmp_path, create_buckets=True)
        with pytest.raises(PreconditionFailedError):
            store.write("new-bucket", "a", b"", preconditions=Preconditions(generation_match=7))
        assert store.buckets.list() == ()
        store.close()


class TestResumableUploads:
    def complete(self, store, upload, data):
        writer = store.resumable.resume(upload)
        writer.write(data)
        return store.resumable.complete(upload, writer)

    def test_bytes_and_session_survive_a_restart(self, tmp_path):
        first = ObjectStore(tmp_path, create_buckets=True)
        upload = first.resumable.start("bucket", "a", attributes={"contentType": "text/x"})
        writer = first.resumable.resume(upload)
        writer.write(b"x" * (256 * 1024 + 5))  # the last five were never acknowledged
        first.resumable.keep(upload, writer)
        first.close()
        second = ObjectStore(tmp_path)
        upload = second.resumable.get(upload.upload_id)
        writer = second.resumable.resume(upload)
        assert writer.size == 256 * 1024
        writer.write(b"y")
        second.resumable.complete(upload, writer)
        assert content(second, "a") == b"x" * 256 * 1024 + b"y"
        assert second.get("bucket", "a").attributes == {"contentType": "text/x"}
        second.close()

    def test_a_completed_session_still_knows_its_object(self, store):
        upload = store.resumable.start("bucket", "a")
        stored = self.complete(store, upload, b"1")
        assert store.resumable.get(upload.upload_id).result == stored

    def test_a_precondition_lost_meanwhile_ends_the_session(self, store):
        upload = store.resumable.start("bucket", "a", preconditions=ABSENT)
        store.write("bucket", "a", b"other")
        with pytest.raises(PreconditionFailedError):
            self.complete(store, upload, b"1")
        with pytest.raises(UploadNotFoundError):
            store.resumable.get(upload.upload_id)
        assert content(store, "a") == b"other"

    def test_more_sessions_than_hash_states(self, store):
        uploads = [store.resumable.start("bucket", f"{number}") for number in range(70)]
        for upload in uploads:
            writer = store.resumable.resume(upload)
            writer.write(b"z" * 256 * 1024)
            store.resumable.keep(upload, writer)
        stored = [self.complete(store, upload, b"end") for upload in uploads]
        assert {each.md5 for each in stored} == {
            b64encode(md5(b"z" * 256 * 1024 + b"end").digest()).decode()
        }

    def test_old_sessions_are_dropped_with_their_bytes(self, tmp_path):
        first = ObjectStore(tmp_path, create_buckets=True, clock=lambda: 0.0)
        upload = first.resumable.start("bucket", "a")
        first.resumable.keep(upload, first.resumable.resume(upload))
        first.close()
        second = ObjectStore(tmp_path, clock=lambda: 8 * 24 * 3600.0)
        with pytest.raises(UploadNotFoundError):
            second.resumable.get(upload.upload_id)
        assert list((tmp_path / "uploads").iterdir()) == []
        second.close()


class TestMultipartUploads:
    def part(self, store, upload_id, number, data):
        with store.writer() as payload:
            payload.write(data)
            return store.multipart.put_part(upload_id, number, payload)

    def test_parts_are_joined_in_the_order_of_their_numbers(self, store):
        upload_id = store.multipart.start("bucket", "a")
        second = self.part(store, upload_id, 2, b"two")
        first = self.part(store, upload_id, 1, b"one")
        store.multipart.complete(upload_id, [(1, first.etag), (2, second.etag)])
        assert content(store, "a") == b"onetwo"

    def test_a_part_that_was_not_uploaded(self, store):
        upload_id = store.multipart.start("bucket", "a")
        with pytest.raises(InvalidObjectRequestError, match="was not uploaded"):
            store.multipart.complete(upload_id, [(1, "00")])

    def test_cancel_removes_the_parts(self, tmp_path):
        store = ObjectStore(tmp_path, create_buckets=True)
        upload_id = store.multipart.start("bucket", "a")
        self.part(store, upload_id, 1, b"one")
        store.multipart.cancel(upload_id)
        assert list((tmp_path / "uploads").iterdir()) == []
        store.close()


class TestPayloadWriter:
    def test_writes_anywhere_are_hashed_at_the_end(self, store):
        with store.writer() as payload:
            payload.write_at(b"0123456789", 0)
            payload.write_at(b"abc", 3)
            assert payload.read_at(4, 2) == b"2abc"
            payload.truncate(8)
            payload.write_at(b"!", 10)
            stored = store.put("bucket", "a", payload)
        assert content(store, "a") == b"012abc67\0\0!"
        assert stored.md5 == b64encode(md5(b"012abc67\0\0!").digest()).decode()

    def test_an_abandoned_one_leaves_no_file(self, tmp_path):
        store = ObjectStore(tmp_path)
        with store.writer() as payload:
            payload.write(b"1")
        assert not payload.path.exists()
        store.close()


class TestDurability:
    def test_everything_is_there_after_reopening(self, tmp_path):
        first = ObjectStore(tmp_path, create_buckets=True)
        stored = first.write("bucket", "a", b"1", attributes={"metadata": {"k": "v"}})
        first.close()
        second = ObjectStore(tmp_path)
        assert (second.get("bucket", "a"), content(second, "a")) == (stored, b"1")
        second.close()

    def test_what_a_killed_process_left_goes_and_objects_stay(self, tmp_path):
        script = (
            "import os, pathlib, sys\n"
            "from vertex_jobs.emulator.storage.objects import ObjectStore\n"
            "store = ObjectStore(pathlib.Path(sys.argv[1]), create_buckets=True)\n"
            "store.write('bucket', 'whole', b'1')\n"
            "writer = store.writer()\n"
            "writer.write(b'half')\n"
            "writer.flush()\n"
            "os.kill(os.getpid(), 9)\n"
        )
        subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False, timeout=60)
        (tmp_path / "payloads" / "7").write_bytes(b"renamed, but not committed")
        assert len(list((tmp_path / "incoming").glob("*/*"))) == 1
        store = ObjectStore(tmp_path)
        assert list((tmp_path / "incoming").glob("*/*")) == []
        assert payload_files(tmp_path) == [str(store.get("bucket", "whole").payload)]
        store.close()

    def test_opening_leaves_the_unfinished_work_of_a_living_process_alone(self, tmp_path):
        first = ObjectStore(tmp_path, create_buckets=True)
        with first.writer() as payload:
            payload.write(b"1")
            second = ObjectStore(tmp_path)
            first.put("bucket", "a", payload)
        assert content(second, "a") == b"1"
        second.close()
        first.close()

    def test_two_processes_write_at_once(self, tmp_path):
        script = (
            "import pathlib, sys\n"
            "from vertex_jobs.emulator.storage.objects import ObjectStore\n"
            "store = ObjectStore(pathlib.Path(sys.argv[1]), create_buckets=True)\n"
            "for number in range(50):\n"
            "    store.write('bucket', f'{sys.argv[2]}-{number}', b'1')\n"
            "    store.write('bucket', 'both', sys.argv[2].encode())\n"
        )
        processes = [
            subprocess.Popen([sys.executable, "-c", script, str(tmp_path), name])
            for name in ("left", "right")
        ]
        assert [process.wait(timeout=120) for process in processes] == [0, 0]
        store = ObjectStore(tmp_path)
        found = store.list_objects("bucket", ListQuery()).objects
        assert len(found) == 101
        assert len({stored.generation for stored in found}) == 101
        assert len(os.listdir(tmp_path / "payloads")) == 101
        store.close()
