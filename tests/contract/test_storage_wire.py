"""The storage service as bytes on a socket: what TensorFlow's libcurl client and others rely on."""

import http.client
import json
import socket
from urllib.parse import quote, urlsplit

import pytest
from storage_server import serving

from vertex_jobs.emulator.storage.objects import ListQuery

ANY_QUERY = ListQuery()
CHUNK = 256 * 1024
UPLOAD = "/upload/storage/v1/b/bucket/o"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("store")) as (url, store):
        yield urlsplit(url), store


@pytest.fixture
def store(server):
    _, opened = server
    opened.buckets.create("bucket")
    yield opened
    while found := opened.list_objects("bucket", ANY_QUERY).objects:
        for stored in found:
            opened.delete("bucket", stored.name)
    opened.buckets.delete("bucket")


@pytest.fixture
def ask(server, store):
    """Send a request; the answer's status, headers and body."""
    connection = http.client.HTTPConnection(server[0].hostname, server[0].port, timeout=60)

    def send(method, path, body=None, headers=None):
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, response.headers, response.read()

    yield send
    connection.close()


@pytest.fixture
def talk(server, store):
    """Send raw bytes on a new connection and read all that comes until it is closed."""

    def exchange(*messages):
        with socket.create_connection((server[0].hostname, server[0].port), timeout=60) as peer:
            for message in messages:
                peer.sendall(message)
            return peer.makefile("rb").read()

    return exchange


def _target(answer):
    location = urlsplit(answer["Location"])
    return f"{location.path}?{location.query}"


def started(ask, query="name=a", headers=None):
    status, answer, _ = ask("POST", f"{UPLOAD}?uploadType=resumable&{query}", b"", headers)
    assert status == 200
    return _target(answer)


def content(store, name="a"):
    _, file = store.open("bucket", name)
    with file:
        return file.read()


class TestTensorFlow:
    """The quirks of TensorFlow's own file system, in its spelling."""

    def test_location_is_spelt_with_a_capital(self, talk):
        answer = talk(
            b"POST /upload/storage/v1/b/bucket/o?uploadType=resumable&name=a HTTP/1.1\r\n"
            b"Host: www.googleapis.com\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
        assert b"\r\nLocation: http://www.googleapis.com/upload/storage/v1/b/bucket/o?" in answer

    def test_a_put_with_a_length_and_chunks_is_read_by_its_chunks(self, ask, talk, store):
        location = started(ask)
        answer = talk(
            f"PUT {location} HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n"
            "Transfer-Encoding: chunked\r\nContent-Range: bytes 0-4/5\r\n"
            "Connection: close\r\n\r\n2\r\n01\r\n3\r\n234\r\n0\r\n\r\n".encode()
        )
        assert answer.startswith(b"HTTP/1.1 200")
        assert content(store) == b"01234"

    def test_a_client_that_waits_is_told_to_go_on(self, ask, server, store):
        location = started(ask)
        with socket.create_connection((server[0].hostname, server[0].port), timeout=60) as peer:
            peer.sendall(
                f"PUT {location} HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n"
                "Expect: 100-continue\r\nConnection: close\r\n\r\n".encode()
            )
            assert peer.recv(100).startswith(b"HTTP/1.1 100 ")
            peer.sendall(b"x")
            assert b"HTTP/1.1 200" in peer.makefile("rb").read()

    def test_an_empty_marker_is_made_once(self, ask):
        path = f"{UPLOAD}?uploadType=media&name=dir%2F&ifGenerationMatch=0"
        status, _, body = ask("POST", path, b"")
        assert (status, json.loads(body)["size"]) == (200, "0")
        assert ask("POST", path, b"")[0] == 412

    def test_an_empty_marker_as_tensorflow_sends_it(self, talk, store):
        answer = talk(
            b"POST /upload/storage/v1/b/bucket/o?uploadType=media&name=dir%2F&ifGenerationMatch=0 "
            b"HTTP/1.1\r\nHost: www.googleapis.com\r\nContent-Length: 0\r\n"
            b"Transfer-Encoding: identity\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            b"Expect: 100-continue\r\nConnection: close\r\n\r\n"
        )
        assert b"HTTP/1.1 200 OK" in answer
        assert content(store, "dir/") == b""

    def test_reading_by_path_with_a_range(self, ask, store):
        store.write("bucket", "dir/a b", b"0123456789")
        status, headers, body = ask("GET", "/bucket/dir%2Fa%20b", headers={"Range": "bytes=3-5"})
        assert (status, body, headers["Content-Range"]) == (206, b"345", "bytes 3-5/10")

    def test_reading_behind_the_end(self, ask, store):
        store.write("bucket", "a", b"0123456789")
        status, headers, _ = ask("GET", "/bucket/a", headers={"Range": "bytes=10-20"})
        assert (status, headers["Content-Range"]) == (416, "bytes */10")

    def test_stat_and_listing_with_fields(self, ask, store):
        store.write("bucket", "dir/a", b"1")
        stat = ask("GET", "/storage/v1/b/bucket/o/dir%2Fa?fields=size%2Cgeneration%2Cupdated")
        found = json.loads(stat[2])
        assert {"size", "generation", "updated"} <= found.keys()
        listed = ask("GET", "/storage/v1/b/bucket/o?fields=items%2Fname&prefix=dir%2F&maxResults=1")
        assert [item["name"] for item in json.loads(listed[2])["items"]] == ["dir/a"]

    def test_a_rename_is_a_rewrite_without_a_body(self, ask, store):
        store.write("bucket", "a", b"1")
        status, _, body = ask("POST", "/storage/v1/b/bucket/o/a/rewriteTo/b/bucket/o/dir%2Fb", b"")
        assert (status, json.loads(body)["done"], content(store, "dir/b")) == (200, True, b"1")


class TestResumableUploads:
    def test_location_follows_the_host_that_was_asked(self, ask):
        path = f"{UPLOAD}?uploadType=resumable&name=a"
        _, answer, _ = ask("POST", path, b"", {"Host": "storage.googleapis.com"})
        assert answer["Location"].startswith(f"http://storage.googleapis.com{path}&upload_id=")

    def test_chunks(self, ask, store):
        data = bytes(range(256)) * 3072  # 3 chunks
        location = started(ask)
        for at in range(0, 2 * CHUNK, CHUNK):
            status, headers, _ = ask(
                "PUT",
                location,
                data[at : at + CHUNK],
                {"Content-Range": f"bytes {at}-{at + CHUNK - 1}/*"},
            )
            assert (status, headers["Range"]) == (308, f"bytes=0-{at + CHUNK - 1}")
        end = {"Content-Range": f"bytes {2 * CHUNK}-{3 * CHUNK - 1}/{3 * CHUNK}"}
        assert ask("PUT", location, data[2 * CHUNK :], end)[0] == 200
        assert content(store) == data

    def test_only_whole_chunks_count(self, ask):
        location = started(ask)
        sent = {"Content-Range": f"bytes 0-{CHUNK + 9}/*"}
        status, headers, _ = ask("PUT", location, b"x" * (CHUNK + 10), sent)
        assert (status, headers["Range"]) == (308, f"bytes=0-{CHUNK - 1}")

    def test_bytes_that_are_known_already_are_skipped(self, ask, store):
        location = started(ask)
        ask("PUT", location, b"x" * CHUNK, {"Content-Range": f"bytes 0-{CHUNK - 1}/*"})
        again = {"Content-Range": f"bytes 0-{CHUNK}/{CHUNK + 1}"}
        assert ask("PUT", location, b"y" * CHUNK + b"z", again)[0] == 200
        assert content(store) == b"x" * CHUNK + b"z"

    def test_a_gap_is_refused(self, ask):
        status, _, body = ask(
            "PUT", started(ask), b"x" * CHUNK, {"Content-Range": f"bytes {CHUNK}-{2 * CHUNK - 1}/*"}
        )
        assert status == 400
        assert "exceeds already uploaded size of 0 byte(s)" in json.loads(body)["error"]["message"]

    def test_the_question_before_between_and_after(self, ask):
        location = started(ask)
        question = {"Content-Range": f"bytes */{CHUNK + 1}"}
        before = ask("PUT", location, b"", question)
        ask("PUT", location, b"x" * CHUNK, {"Content-Range": f"bytes 0-{CHUNK - 1}/*"})
        between = ask("PUT", location, b"", question)
        ask("PUT", location, b"y", {"Content-Range": f"bytes {CHUNK}-{CHUNK}/{CHUNK + 1}"})
        after = ask("PUT", location, b"", question)
        assert [each[0] for each in (before, between, after)] == [308, 308, 200]
        assert [each[1]["Range"] for each in (before, between)] == [None, f"bytes=0-{CHUNK - 1}"]
        assert json.loads(after[2])["size"] == str(CHUNK + 1)

    def test_an_empty_object(self, ask, store):
        assert ask("PUT", started(ask), b"", {"Content-Range": "bytes */0"})[0] == 200
        assert content(store) == b""

    def test_without_a_range_the_body_is_all(self, ask, store):
        assert ask("PUT", started(ask), b"whole")[0] == 200
        assert content(store) == b"whole"

    def test_a_client_that_lost_its_connection_goes_on_where_it_was(self, ask, server, store):
        data = bytes(range(256)) * 4096  # 4 chunks
        location = started(ask)
        with socket.create_connection((server[0].hostname, server[0].port), timeout=60) as peer:
            peer.sendall(
                f"PUT {location} HTTP/1.1\r\nHost: h\r\nContent-Length: {4 * CHUNK}\r\n"
                f"Content-Range: bytes 0-{4 * CHUNK - 1}/{4 * CHUNK}\r\n"
                "Expect: 100-continue\r\n\r\n".encode()
            )
            assert peer.recv(100).startswith(b"HTTP/1.1 100 ")
            peer.sendall(data[: 2 * CHUNK + 5])
        # The question waits until the lost request has ended.
        status, headers, _ = ask("PUT", location, b"", {"Content-Range": f"bytes */{4 * CHUNK}"})
        assert status == 308
        known = int((headers["Range"] or "bytes=0--1").removeprefix("bytes=0-")) + 1
        assert known % CHUNK == 0
        rest = {"Content-Range": f"bytes {known}-{4 * CHUNK - 1}/{4 * CHUNK}"}
        assert ask("PUT", location, data[known:], rest)[0] == 200
        assert content(store) == data

    def test_attributes_given_at_the_start(self, ask, store):
        headers = {"X-Upload-Content-Type": "text/x", "Content-Type": "application/json"}
        body = json.dumps({"name": "named/here", "metadata": {"k": "v"}})
        _, answer, _ = ask("POST", f"{UPLOAD}?uploadType=resumable", body, headers)
        ask("POST", _target(answer), b"1")
        assert store.get("bucket", "named/here").attributes == {
            "contentType": "text/x",
            "metadata": {"k": "v"},
        }

    def test_a_checksum_with_the_last_bytes(self, ask):
        status, _, _ = ask("PUT", started(ask), b"1", {"X-Goog-Hash": "crc32c=AAAAAA=="})
        assert status == 400

    def test_cancelling(self, ask):
        location = started(ask)
        assert ask("DELETE", location)[0] == 499
        assert ask("PUT", location, b"1")[0] == 404


class TestDownloads:
    @pytest.mark.parametrize(
        ("header", "status", "body"),
        [
            ("bytes=0-0", 206, b"0"),
            ("bytes=8-", 206, b"89"),
            ("bytes=8-100", 206, b"89"),
            ("bytes=-3", 206, b"789"),
            ("bytes=-100", 206, b"0123456789"),
            ("bytes=10-", 416, None),
            ("bytes=-0", 416, None),
            ("bytes=5-4", 200, b"0123456789"),
            ("bytes=0-1,3-4", 200, b"0123456789"),
            ("lines=1-2", 200, b"0123456789"),
        ],
    )
    @pytest.mark.parametrize(
        "path",
        ["/bucket/a", "/storage/v1/b/bucket/o/a?alt=media", "/download/storage/v1/b/bucket/o/a"],
    )
    def test_ranges(self, ask, store, path, header, status, body):
        store.write("bucket", "a", b"0123456789")
        answer = ask("GET", path, headers={"Range": header})
        assert answer[0] == status
        assert body is None or answer[2] == body

    def test_headers(self, ask, store):
        stored = store.write("bucket", "a", b"1", attributes={"metadata": {"k": "v", "kü": "w"}})
        _, headers, _ = ask("GET", "/bucket/a")
        assert headers["X-Goog-Hash"] == f"crc32c={stored.crc32c},md5={stored.md5}"
        assert headers["X-Goog-Generation"] == str(stored.generation)
        assert headers["ETag"] == '"c4ca4238a0b923820dcc509a6f75849b"'
        assert headers["X-Goog-Meta-k"] == "v"

    def test_an_older_generation(self, ask, store):
        old = store.write("bucket", "a", b"1")
        store.write("bucket", "a", b"2")
        assert ask("GET", f"/bucket/a?generation={old.generation}")[0] == 404

    def test_gzip_is_sent_as_it_is_stored(self, ask, store):
        store.write("bucket", "a", b"packed", attributes={"contentEncoding": "gzip"})
        _, headers, body = ask("GET", "/bucket/a", headers={"Accept-Encoding": "gzip"})
        assert (headers["Content-Encoding"], body) == ("gzip", b"packed")


class TestXml:
    def test_head(self, ask, store):
        store.write("bucket", "a", b"123")
        status, headers, body = ask("HEAD", "/bucket/a")
        assert (status, headers["Content-Length"], body) == (200, "3", b"")

    def test_put_and_delete(self, ask, store):
        headers = {"Content-Type": "text/x", "x-goog-meta-k": "v"}
        assert ask("PUT", "/bucket/dir/a%20b", b"1", headers)[0] == 200
        assert store.get("bucket", "dir/a b").attributes == {
            "contentType": "text/x",
            "metadata": {"k": "v"},
        }
        assert ask("DELETE", "/bucket/dir/a%20b")[0] == 204

    def test_put_on_a_condition(self, ask, store):
        store.write("bucket", "a", b"1")
        assert ask("PUT", "/bucket/a", b"2", {"x-goog-if-generation-match": "0"})[0] == 412

    def test_copy(self, ask, store):
        store.write("bucket", "a/b", b"1")
        assert ask("PUT", "/bucket/c", b"", {"x-goog-copy-source": "/bucket/a%2Fb"})[0] == 200
        assert content(store, "c") == b"1"

    def test_host_style(self, ask, store):
        store.write("bucket", "dir//a", b"1")
        _, _, body = ask("GET", "/dir//a", headers={"Host": "bucket.storage.googleapis.com"})
        assert body == b"1"

    def test_listing(self, ask, store):
        for name in ("a&b", "c/d", "e"):
            store.write("bucket", name, b"")
        _, _, body = ask("GET", "/bucket?delimiter=/&max-keys=2")
        assert b"<Key>a&amp;b</Key>" in body
        assert b"<CommonPrefixes><Prefix>c/</Prefix></CommonPrefixes>" in body
        assert b"<IsTruncated>true</IsTruncated><NextMarker>c/</NextMarker>" in body
        _, _, body = ask("GET", "/bucket?delimiter=/&marker=c/")
        assert b"<Key>e</Key>" in body
        assert b"CommonPrefixes" not in body

    def test_listing_by_tokens(self, ask, store):
        for name in ("a", "b"):
            store.write("bucket", name, b"")
        _, _, body = ask("GET", "/bucket?list-type=2&max-keys=1")
        token = body.split(b"<NextContinuationToken>")[1].split(b"<")[0].decode()
        _, _, body = ask("GET", f"/bucket?list-type=2&continuation-token={token}")
        assert b"<Key>b</Key>" in body

    def test_errors_are_documents(self, ask):
        status, headers, body = ask("GET", "/bucket/nowhere")
        assert (status, headers["Content-Type"]) == (404, "application/xml; charset=UTF-8")
        assert b"<Code>NoSuchKey</Code>" in body

    def test_multipart_uploads_are_listed_and_aborted(self, ask):
        _, _, body = ask("POST", "/bucket/a?uploads", b"")
        upload = body.split(b"<UploadId>")[1].split(b"<")[0].decode()
        ask("PUT", f"/bucket/a?partNumber=3&uploadId={upload}", b"12")
        _, _, body = ask("GET", f"/bucket/a?uploadId={upload}")
        assert b"<PartNumber>3</PartNumber>" in body
        assert ask("DELETE", f"/bucket/a?uploadId={upload}")[0] == 204
        status, _, body = ask("GET", f"/bucket/a?uploadId={upload}")
        assert (status, b"<Code>NoSuchUpload</Code>" in body) == (404, True)

    @pytest.mark.parametrize("path", ["/bucket?acl", "/bucket/a?tagging", "/bucket?uploads"])
    def test_what_is_not_emulated_is_named(self, ask, path):
        status, _, body = ask("GET", path)
        assert (status, b"Local Vertex does not emulate" in body) == (501, True)


class TestErrors:
    @pytest.mark.parametrize(
        ("method", "path", "status", "reason"),
        [
            ("GET", "/storage/v1/b/bucket/o/nowhere", 404, "notFound"),
            ("GET", "/storage/v1/b/nobody/o", 404, "notFound"),
            (
                "POST",
                f"{UPLOAD}?uploadType=media&name=a&ifGenerationMatch=7",
                412,
                "conditionNotMet",
            ),
            ("POST", f"{UPLOAD}?uploadType=media", 400, "invalid"),
            ("POST", f"{UPLOAD}?uploadType=other&name=a", 400, "invalid"),
            ("POST", f"{UPLOAD}?uploadType=media&name=..", 400, "invalid"),
            ("GET", "/storage/v1/b/bucket/o?maxResults=many", 400, "invalid"),
            ("GET", "/storage/v1/b/bucket/o/%FF", 400, "invalid"),
            ("GET", "/storage/v1/b/bucket/o?prefix=%FF", 400, "invalid"),
            ("POST", "/storage/v1/b", 400, "invalid"),
            ("GET", "/storage/v1/b/bucket/notificationConfigs", 404, "notFound"),
            ("GET", "/storage/v1/b/bucket/o?softDeleted=true", 501, "notImplemented"),
        ],
    )
    def test_objects_like_googles(self, ask, method, path, status, reason):
        answer = ask(method, path, b"" if method == "POST" else None)
        error = json.loads(answer[2])["error"]
        assert (answer[0], error["code"], error["errors"][0]["reason"]) == (status, status, reason)
        assert error["message"] == error["errors"][0]["message"] != ""

    def test_the_answer_arrives_although_the_body_was_not_wanted(self, ask):
        status, _, body = ask(
            "POST", "/upload/storage/v1/b/nobody/o?uploadType=other&name=a", b"x" * (5 << 20)
        )
        assert (status, json.loads(body)["error"]["code"]) == (400, 400)

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"--x\r\n\r\n{}\r\n--x--",
            b"--x\r\n\r\n{\r\n--x\r\n\r\nmedia\r\n--x--",
            b'--x\r\n\r\n{"name": "a"}\r\n--x\r\n\r\nmedia without an end',
        ],
    )
    def test_broken_multipart_bodies(self, ask, store, body):
        headers = {"Content-Type": "multipart/related; boundary=x"}
        assert ask("POST", f"{UPLOAD}?uploadType=multipart", body, headers)[0] == 400
        assert store.list_objects("bucket", ANY_QUERY).objects == ()

    def test_a_broken_batch(self, ask):
        headers = {"Content-Type": "multipart/mixed; boundary=x"}
        assert ask("POST", "/batch/storage/v1", b"nothing", headers)[0] == 400

    def test_media_in_a_batch(self, ask, store):
        store.write("bucket", "a", b"1")
        part = (
            "Content-Type: application/http\r\n\r\nGET /storage/v1/b/bucket/o/a?alt=media HTTP/1.1"
        )
        body = f"--x\r\n{part}\r\n\r\n\r\n--x--"
        headers = {"Content-Type": "multipart/mixed; boundary=x"}
        _, _, answer = ask("POST", "/batch", body, headers)
        assert b"media cannot be batched" in answer


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("media", [b"", b"\r\n", b"--x--\r\n--x--", b"1\r", b"z" * (3 << 20)])
def test_multipart_bodies_with_either_line_end(ask, store, newline, media):
    head = newline.join(
        ["--x", "Content-Type: application/json", "", '{"name": "a"}', "--x", "", ""]
    )
    body = head.encode() + media + f"{newline}--x--".encode()
    headers = {"Content-Type": 'multipart/related; boundary="x"'}
    assert ask("POST", f"{UPLOAD}?uploadType=multipart", body, headers)[0] == 200
    assert content(store) == media


@pytest.mark.parametrize("boundary", ["x", '"x"', "'x'"])
def test_a_boundary_may_stand_in_either_quotes(ask, store, boundary):
    """Gsutil writes single ones. Source: apitools/base/py/transfer.py in google/apitools."""
    body = b'--x\nContent-Type: application/json\n\n{"name": "a"}\n--x\n\nmedia\n--x--'
    headers = {"Content-Type": f"multipart/related; boundary={boundary}"}
    assert ask("POST", f"{UPLOAD}?uploadType=multipart", body, headers)[0] == 200
    assert content(store) == b"media"


@pytest.mark.parametrize("name", ["a/b", "/", "//x", "a/../b", "ü 😀", "%2F", "a+b"])
def test_names_in_paths(ask, store, name):
    store.write("bucket", name, b"1")
    path = f"/storage/v1/b/bucket/o/{quote(name, safe='')}"
    assert json.loads(ask("GET", path)[2])["name"] == name
    assert ask("GET", f"/bucket/{quote(name, safe='')}")[2] == b"1"
