"""The storage service through google-cloud-storage, unmodified."""

import io
import itertools
import os
import threading

import pytest
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage
from google.cloud.storage import transfer_manager
from storage_server import serving

MEBIBYTE = 1 << 20
_numbers = itertools.count()


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("store")) as (url, _):
        opened = storage.Client(
            project="project",
            credentials=AnonymousCredentials(),
            client_options={"api_endpoint": url},
        )
        yield opened
        opened.close()


@pytest.fixture
def bucket(client):
    return client.create_bucket(f"bucket-{next(_numbers)}")


@pytest.fixture
def names(client, bucket):
    def listed(**query):
        pages = client.list_blobs(bucket, **query)
        return [blob.name for blob in pages], sorted(pages.prefixes)

    return listed


class TestUploadAndDownload:
    @pytest.mark.parametrize("size", [0, 1, MEBIBYTE, 9 * MEBIBYTE])
    def test_bytes_come_back(self, bucket, size):
        data = os.urandom(size)
        bucket.blob("a").upload_from_string(data)  # in one request, or resumable above 8 MiB
        assert bucket.blob("a").download_as_bytes() == data

    @pytest.mark.parametrize("size", [0, 1, MEBIBYTE, MEBIBYTE + 1])
    def test_a_stream_of_unknown_length_in_chunks(self, bucket, size):
        data = os.urandom(size)
        bucket.blob("a", chunk_size=MEBIBYTE // 4).upload_from_file(io.BytesIO(data))
        assert bucket.blob("a").download_as_bytes() == data

    def test_a_file_like_writer(self, bucket):
        with bucket.blob("a").open("w") as file:
            file.write("line\n" * 100_000)
        with bucket.blob("a").open("r") as file:
            assert file.readlines() == ["line\n"] * 100_000

    def test_chunked_download(self, bucket):
        data = os.urandom(MEBIBYTE + 7)
        bucket.blob("a").upload_from_string(data)
        assert bucket.blob("a", chunk_size=MEBIBYTE // 4).download_as_bytes() == data

    def test_a_range(self, bucket):
        bucket.blob("a").upload_from_string(b"0123456789")
        assert bucket.blob("a").download_as_bytes(start=2, end=4) == b"234"

    def test_a_range_behind_the_end(self, bucket):
        bucket.blob("a").upload_from_string(b"01")
        with pytest.raises(exceptions.RequestRangeNotSatisfiable):
            bucket.blob("a").download_as_bytes(start=2)

    def test_attributes(self, bucket):
        blob = bucket.blob("a")
        blob.metadata = {"key": "välue"}
        blob.cache_control = "no-store"
        blob.content_disposition = 'attachment; filename="ü"'
        blob.upload_from_string("text", content_type="text/x")
        found = bucket.get_blob("a")
        assert found.metadata == {"key": "välue"}
        assert found.cache_control == "no-store"
        assert found.content_type == "text/x"
        assert found.download_as_bytes() == b"text"

    def test_gzip_content_is_unpacked_by_the_client(self, bucket):
        import gzip

        blob = bucket.blob("a")
        blob.content_encoding = "gzip"
        blob.upload_from_string(gzip.compress(b"text"))
        assert bucket.blob("a").download_as_bytes() == b"text"

    def test_checksums_are_checked_by_both_sides(self, bucket):
        bucket.blob("a").upload_from_string(b"1" * 9 * MEBIBYTE, checksum="md5")
        assert len(bucket.blob("a").download_as_bytes(checksum="crc32c")) == 9 * MEBIBYTE

    def test_a_wrong_checksum_is_refused(self, bucket):
        blob = bucket.blob("a")
        blob.md5_hash = "1B2M2Y8AsgTpgAmY7PhCfg=="
        with pytest.raises(exceptions.BadRequest, match="MD5 hash"):
            blob.upload_from_string(b"not empty")

    def test_parallel_upload_and_download_of_one_file(self, bucket, tmp_path):
        (tmp_path / "up").write_bytes(data := os.urandom(12 * MEBIBYTE))
        transfer_manager.upload_chunks_concurrently(
            str(tmp_path / "up"),
            bucket.blob("a"),
            chunk_size=5 * MEBIBYTE,
            worker_type=transfer_manager.THREAD,
        )
        transfer_manager.download_chunks_concurrently(
            bucket.blob("a"),
            str(tmp_path / "down"),
            chunk_size=5 * MEBIBYTE,
            worker_type=transfer_manager.THREAD,
        )
        assert (tmp_path / "down").read_bytes() == data

    def test_a_missing_object(self, bucket):
        with pytest.raises(exceptions.NotFound, match=f"No such object: {bucket.name}/a"):
            bucket.blob("a").download_as_bytes()
        assert not bucket.blob("a").exists()

    def test_a_missing_bucket(self, client):
        with pytest.raises(exceptions.NotFound, match="bucket does not exist"):
            client.bucket("nobody-made-it").blob("a").upload_from_string(b"")


@pytest.mark.parametrize(
    "name",
    [
        "with space",
        "ünï😀",
        "a/../b",
        "../../etc/passwd",
        "/leading",
        "a//b",
        "trailing/",
        "x" * 1024,
        "100%2F",
        "a?b#c&d=e+f",
        "b/o/x",
        "~tilde;semi:colon@",
    ],
)
def test_names_survive_every_verb(client, bucket, name):
    bucket.blob(name).upload_from_string(b"1", content_type="text/a")
    blob = bucket.get_blob(name)
    blob.content_type = "text/b"
    blob.patch()
    copied = bucket.copy_blob(blob, bucket, f"copy of {name}"[:1024])
    assert copied.download_as_bytes() == b"1"
    assert [each.name for each in client.list_blobs(bucket, prefix=name)] == [name]
    blob.delete()
    copied.delete()
    assert list(client.list_blobs(bucket)) == []


def test_an_object_beside_a_directory_of_that_name(bucket, names):
    bucket.blob("a").upload_from_string(b"object")
    bucket.blob("a/b").upload_from_string(b"below")
    assert names(delimiter="/") == (["a"], ["a/"])
    assert bucket.blob("a").download_as_bytes() == b"object"


class TestPreconditions:
    def test_generation_zero_on_insert(self, bucket):
        bucket.blob("a").upload_from_string(b"1", if_generation_match=0)
        with pytest.raises(exceptions.PreconditionFailed, match="pre-conditions"):
            bucket.blob("a").upload_from_string(b"2", if_generation_match=0)
        assert bucket.blob("a").download_as_bytes() == b"1"

    def test_generation_zero_on_a_resumable_upload(self, bucket):
        bucket.blob("a").upload_from_string(b"1")
        with pytest.raises(exceptions.PreconditionFailed):
            bucket.blob("a", chunk_size=MEBIBYTE).upload_from_string(
                b"2" * 9 * MEBIBYTE, if_generation_match=0
            )

    @pytest.mark.parametrize(
        "verb",
        [
            lambda blob, **conditions: blob.delete(**conditions),
            lambda blob, **conditions: blob.reload(**conditions),
            lambda blob, **conditions: blob.patch(**conditions),
            lambda blob, **conditions: blob.update(**conditions),
            lambda blob, **conditions: blob.download_as_bytes(**conditions),
            lambda blob, **conditions: blob.compose([blob], **conditions),
            lambda blob, **conditions: blob.rewrite(blob, **conditions),
            lambda blob, **conditions: blob.bucket.copy_blob(
                blob, blob.bucket, blob.name, **conditions
            ),
        ],
    )
    @pytest.mark.parametrize(
        "conditions", [{"if_generation_match": 1}, {"if_metageneration_match": 7}]
    )
    def test_every_verb(self, bucket, verb, conditions):
        blob = bucket.blob("a")
        blob.upload_from_string(b"1")
        with pytest.raises(exceptions.PreconditionFailed):
            verb(blob, **conditions)

    def test_the_source_of_a_copy(self, bucket):
        blob = bucket.blob("a")
        blob.upload_from_string(b"1")
        with pytest.raises(exceptions.PreconditionFailed):
            bucket.copy_blob(blob, bucket, "b", if_source_generation_match=1)

    def test_a_source_of_a_composition(self, bucket):
        blob = bucket.blob("a")
        blob.upload_from_string(b"1")
        with pytest.raises(exceptions.PreconditionFailed):
            bucket.blob("b").compose([blob], if_source_generation_match=[1])

    def test_reading_what_has_not_changed(self, bucket):
        blob = bucket.blob("a")
        blob.upload_from_string(b"1")
        with pytest.raises(exceptions.NotModified):
            bucket.blob("a").reload(if_generation_not_match=blob.generation)

    def test_etags(self, bucket):
        blob = bucket.blob("a")
        blob.upload_from_string(b"1")
        blob.reload(if_etag_match=blob.etag)
        with pytest.raises(exceptions.PreconditionFailed, match="If-Match=other"):
            blob.reload(if_etag_match="other")
        with pytest.raises(exceptions.NotModified):
            blob.reload(if_etag_not_match=blob.etag)
        assert blob.download_as_bytes(if_etag_match=blob.etag) == b"1"

    def test_of_concurrent_creators_one_wins(self, bucket):
        outcomes = []

        def create(number):
            try:
                bucket.blob("a").upload_from_string(f"{number}", if_generation_match=0)
                outcomes.append(f"{number}")
            except exceptions.PreconditionFailed:
                outcomes.append(None)

        threads = [threading.Thread(target=create, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [each for each in outcomes if each] == [bucket.blob("a").download_as_text()]


class TestListing:
    @pytest.fixture(autouse=True)
    def objects(self, bucket):
        for name in ["a", "a/", "a/b", "a/c/d", "b", "c/x"]:
            bucket.blob(name).upload_from_string(b"")

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({}, (["a", "a/", "a/b", "a/c/d", "b", "c/x"], [])),
            ({"delimiter": "/"}, (["a", "b"], ["a/", "c/"])),
            ({"prefix": "a/", "delimiter": "/"}, (["a/", "a/b"], ["a/c/"])),
            ({"start_offset": "a/b", "end_offset": "b"}, (["a/b", "a/c/d"], [])),
            ({"max_results": 2}, (["a", "a/"], [])),
            ({"page_size": 2}, (["a", "a/", "a/b", "a/c/d", "b", "c/x"], [])),
            (
                {"delimiter": "/", "include_trailing_delimiter": True},
                (["a", "a/", "b"], ["a/", "c/"]),
            ),
        ],
    )
    def test_queries(self, names, query, expected):
        assert names(**query) == expected

    def test_pages(self, client, bucket):
        pages = client.list_blobs(bucket, page_size=4).pages
        assert [len(list(page)) for page in pages] == [4, 2]

    def test_globs_are_refused_by_name(self, names):
        with pytest.raises(exceptions.MethodNotImplemented, match=r"does not emulate .*matchGlob"):
            names(match_glob="**")


class TestCopies:
    def test_compose(self, bucket):
        for name in "abc":
            bucket.blob(name).upload_from_string(name)
        composed = bucket.blob("abc")
        composed.content_type = "text/x"
        composed.compose([bucket.blob(name) for name in "abc"])
        assert composed.download_as_bytes() == b"abc"
        assert (composed.component_count, composed.content_type) == (3, "text/x")

    def test_rewrite_keeps_attributes_and_can_replace_them(self, bucket):
        bucket.blob("a").upload_from_string(b"1", content_type="text/x")
        copied, replaced = bucket.blob("b"), bucket.blob("c")
        replaced.content_type = "text/y"
        assert copied.rewrite(bucket.blob("a")) == (None, 1, 1)
        replaced.rewrite(bucket.blob("a"))
        assert (copied.content_type, replaced.content_type) == ("text/x", "text/y")

    def test_rename(self, bucket, names):
        bucket.blob("a").upload_from_string(b"1")
        bucket.rename_blob(bucket.blob("a"), "b")
        assert names()[0] == ["b"]

    def test_move(self, bucket, names):
        bucket.blob("a").upload_from_string(b"1")
        moved = bucket.move_blob(bucket.blob("a"), "b/c")
        assert (names()[0], moved.download_as_bytes()) == (["b/c"], b"1")

    def test_copy_to_another_bucket(self, client, bucket):
        other = client.create_bucket(f"other-{next(_numbers)}")
        bucket.blob("a").upload_from_string(b"1")
        assert bucket.copy_blob(bucket.blob("a"), other).download_as_bytes() == b"1"


class TestMetadata:
    def test_patch_merges_and_null_removes(self, bucket):
        blob = bucket.blob("a")
        blob.metadata = {"keep": "1", "drop": "2"}
        blob.upload_from_string(b"")
        blob.metadata = {"keep": "3", "drop": None}
        blob.patch()
        found = bucket.get_blob("a")
        assert (found.metadata, found.metageneration) == ({"keep": "3"}, 2)

    def test_update_replaces(self, bucket):
        blob = bucket.blob("a")
        blob.cache_control = "no-store"
        blob.upload_from_string(b"")
        fresh = bucket.blob("a")
        fresh.content_type = "text/x"
        fresh.update()
        found = bucket.get_blob("a")
        assert (found.content_type, found.cache_control) == ("text/x", None)

    @pytest.mark.parametrize("hold", ["temporary_hold", "event_based_hold"])
    def test_holds_are_refused_by_name(self, bucket, hold):
        blob = bucket.blob("a")
        blob.upload_from_string(b"")
        setattr(blob, hold, True)
        with pytest.raises(exceptions.MethodNotImplemented, match="does not emulate object"):
            blob.patch()

    def test_encryption_keys_are_refused(self, bucket):
        blob = bucket.blob("a", encryption_key=b"k" * 32)
        with pytest.raises(exceptions.MethodNotImplemented, match="encryption keys"):
            blob.upload_from_string(b"secret")

    def test_times_and_sizes(self, bucket):
        blob = bucket.blob("a")
        blob.upload_from_string(b"123")
        assert (blob.size, blob.time_created, blob.storage_class) == (3, blob.updated, "STANDARD")


class TestBatches:
    def test_deletes(self, client, bucket, names):
        for name in ("a b", "ü/c", "d"):
            bucket.blob(name).upload_from_string(b"")
        with client.batch():
            bucket.delete_blobs(["a b", "ü/c"])
        assert names()[0] == ["d"]

    def test_a_failing_part_is_raised(self, client, bucket):
        with pytest.raises(exceptions.NotFound), client.batch():
            bucket.blob("nowhere").delete()

    def test_patches_answer_with_the_resource(self, client, bucket):
        blob = bucket.blob("a")
        blob.upload_from_string(b"")
        with client.batch():
            blob.content_type = "text/x"
            blob.patch()
        assert bucket.get_blob("a").content_type == "text/x"


class TestBuckets:
    def test_what_was_created_is_listed(self, client, bucket):
        assert bucket.name in [each.name for each in client.list_buckets(prefix="bucket-")]

    def test_settings_come_back(self, client):
        made = client.bucket(f"settings-{next(_numbers)}")
        made.storage_class = "NEARLINE"
        made.labels = {"a": "1"}
        made.create(location="europe-west4")
        made.labels = {"b": "2"}
        made.patch()
        found = client.get_bucket(made.name)
        assert (found.location, found.storage_class) == ("europe-west4", "NEARLINE")
        assert found.labels == {"b": "2"}

    def test_one_that_exists(self, client, bucket):
        with pytest.raises(exceptions.Conflict, match="already own it"):
            client.create_bucket(bucket.name)

    def test_one_that_does_not(self, client):
        assert client.lookup_bucket("nobody-made-it") is None

    def test_a_name_that_is_not_allowed(self, client):
        with pytest.raises(exceptions.BadRequest, match="Invalid bucket name: 'UPPER'"):
            client.create_bucket("UPPER")

    def test_deletion(self, client, bucket):
        bucket.blob("a").upload_from_string(b"")
        with pytest.raises(exceptions.Conflict, match="not empty"):
            bucket.delete()
        bucket.delete(force=True)
        assert not bucket.exists()

    def test_versioning_is_refused_by_name(self, bucket):
        bucket.versioning_enabled = True
        with pytest.raises(exceptions.MethodNotImplemented, match=r"bucket\.versioning"):
            bucket.patch()

    def test_policies_come_back(self, bucket):
        policy = bucket.get_iam_policy()
        policy["roles/storage.objectViewer"] = {"user:a@example.com"}
        bucket.set_iam_policy(policy)
        found = bucket.get_iam_policy()
        assert found["roles/storage.objectViewer"] == {"user:a@example.com"}

    def test_permissions(self, bucket):
        asked = ["storage.objects.get", "storage.objects.list"]
        assert bucket.test_iam_permissions(asked) == asked


def test_writes_make_buckets_where_that_is_wanted(tmp_path):
    with serving(tmp_path, create_buckets=True) as (url, store):
        client = storage.Client(
            project="project",
            credentials=AnonymousCredentials(),
            client_options={"api_endpoint": url},
        )
        client.bucket("my-real-bucket").blob("a").upload_from_string(b"1")
        client.close()
        assert [bucket.implicit for bucket in store.buckets.list()] == [True]
