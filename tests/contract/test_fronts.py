"""The fronts of one server: who may speak to it, in which protocols, and what it lets pass."""

import json
import os
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from google.api_core import exceptions
from google.cloud.aiplatform_v1 import JobServiceClient
from google.cloud.aiplatform_v1.services.job_service.transports import JobServiceGrpcTransport
from google.cloud.resourcemanager_v3 import FoldersClient
from wire import ask, head_of, tcp_server, tunnel

from vertex_jobs.emulator.joining import join
from vertex_jobs.endpoints import Endpoint, google_environment, local

pytestmark = pytest.mark.local_only
REFUSED = b"HTTP/1.1 403"


@pytest.fixture
def port(local_vertex: Endpoint) -> int:
    return local_vertex.server.record.port


@pytest.fixture(scope="module")
def trusting(local_vertex: Endpoint) -> ssl.SSLContext:
    """TLS as a program has it under the emulator's variables."""
    variables = google_environment(local_vertex.server)
    return ssl.create_default_context(cafile=variables["SSL_CERT_FILE"])


def listing(local_vertex: Endpoint) -> str:
    place = local_vertex.place
    return f"/v1/projects/{place.project}/locations/{place.location}/customJobs"


class TestPages:
    """A page in a browser must not be able to drive the emulator."""

    @pytest.mark.parametrize(
        ("header", "answer"),
        [
            ("Host: 127.0.0.1", b"HTTP/1.1 200"),
            ("Host: localhost:1234", b"HTTP/1.1 200"),
            ("Host: us-central1-aiplatform.googleapis.com", b"HTTP/1.1 200"),
            ("Host: rebound.example.com", REFUSED),
            ("Host: 127.0.0.1.example.com", REFUSED),
            ("Host: googleapis.com.example.com", REFUSED),
            ("Host:", REFUSED),
            ("Host: 127.0.0.1\nOrigin: http://127.0.0.1", REFUSED),
            ("Host: 127.0.0.1\nOrigin: null", REFUSED),
            ("Host: 127.0.0.1\nSec-Fetch-Site: cross-site", REFUSED),
            ("Host: 127.0.0.1\nSec-Fetch-Site: none", b"HTTP/1.1 200"),
        ],
    )
    def test_headers(self, port: int, local_vertex: Endpoint, header: str, answer: bytes) -> None:
        request = f"GET {listing(local_vertex)} HTTP/1.1\n{header}\nConnection: close\n\n"
        assert ask(port, request).startswith(answer)

    def test_storage_is_guarded_too(self, port: int) -> None:
        request = "GET /storage/v1/b/contract-suite/o HTTP/1.1\nHost: evil.example\n"
        assert ask(port, request + "Connection: close\n\n").startswith(REFUSED)

    def test_admin_calls_need_the_token(self, port: int) -> None:
        request = "POST /admin/stop HTTP/1.1\nHost: 127.0.0.1\nContent-Length: 0\n"
        assert ask(port, request + "Connection: close\n\n").startswith(REFUSED)


OTHER_USER = """
import encodings.idna, os, socket, sys  # the rest of the interpreter may be out of reach then
os.setgid(65534); os.setuid(65534)
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 30) as connection:
    try:
        connection.sendall(sys.argv[2].encode() + b"\\r\\n\\r\\n")
        print(len(connection.recv(100)))
    except ConnectionError:
        print(0)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("line", ["GET / HTTP/1.1", "CONNECT oauth2.googleapis.com:443 HTTP/1.1"])
def test_other_users_get_no_answer(port: int, line: str) -> None:
    words = [sys.executable, "-c", OTHER_USER, str(port), line]
    assert subprocess.run(words, capture_output=True, check=True).stdout == b"0\n"


class TestProtocols:
    def test_rest_over_tls(
        self, port: int, local_vertex: Endpoint, trusting: ssl.SSLContext
    ) -> None:
        host = "europe-west4-aiplatform.googleapis.com"
        with tunnel(port, f"{host}:443") as (connection, head):
            assert head.startswith(b"HTTP/1.1 200")
            with trusting.wrap_socket(connection, server_hostname=host) as secure:
                path = listing(local_vertex)
                request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
                secure.sendall(request.encode())
                answer = b"".join(iter(lambda: secure.recv(65536), b""))
        assert answer.startswith(b"HTTP/1.1 200")

    @pytest.mark.parametrize(
        "host",
        [
            "aiplatform.us.rep.googleapis.com",
            "aiplatform.europe-west4.rep.googleapis.com",
            "aiplatform.googleapis.com",
            "us-central1-aiplatform.mtls.googleapis.com",
            "my-bucket.storage.googleapis.com",
        ],
    )
    def test_certificates_cover_every_host(
        self, port: int, trusting: ssl.SSLContext, host: str
    ) -> None:
        with (
            tunnel(port, f"{host}:443") as (connection, _),
            trusting.wrap_socket(connection, server_hostname=host) as secure,
        ):
            assert secure.version() == "TLSv1.3"

    @pytest.mark.parametrize(
        ("offered", "spoken"),
        [(["h2"], "h2"), (["h2", "http/1.1"], "http/1.1"), (["http/1.1"], "http/1.1")],
    )
    def test_grpc_is_who_offers_nothing_else(
        self, port: int, trusting: ssl.SSLContext, offered: list[str], spoken: str
    ) -> None:
        trusting.set_alpn_protocols(offered)
        with (
            socket.create_connection(("127.0.0.1", port), 30) as connection,
            trusting.wrap_socket(connection, server_hostname="localhost") as secure,
        ):
            assert secure.selected_alpn_protocol() == spoken

    def test_grpc_without_tls(self, port: int, parent: str) -> None:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            client = JobServiceClient(transport=JobServiceGrpcTransport(channel=channel))
            assert list(client.list_custom_jobs(parent=parent, timeout=30).pages)

    def test_a_body_that_waits_is_asked_for_at_once(
        self, port: int, trusting: ssl.SSLContext
    ) -> None:
        host = "storage.googleapis.com"
        path = "/upload/storage/v1/b/contract-suite/o?uploadType=media&name=waiting"
        with (
            tunnel(port, f"{host}:443") as (connection, _),
            trusting.wrap_socket(connection, server_hostname=host) as secure,
        ):
            request = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 4\r\n"
            secure.sendall(f"{request}Expect: 100-continue\r\n\r\n".encode())
            # The body is not sent before this answer: a server that waits for it hangs here.
            waiting = head_of(secure)
            secure.sendall(b"text")
            assert (waiting[:12], head_of(secure)[:12]) == (b"HTTP/1.1 100", b"HTTP/1.1 200")

    def test_half_a_request_line_is_waited_for(self, port: int, local_vertex: Endpoint) -> None:
        with socket.create_connection(("127.0.0.1", port), 30) as connection:
            for part in (
                "GE",
                f"T {listing(local_vertex)} HTTP/1.1\r\nHo",
                "st: localhost\r\n\r\n",
            ):
                connection.sendall(part.encode())
            assert head_of(connection).startswith(b"HTTP/1.1 200")


class TestOtherApis:
    """Google's other APIs are refused by name, at once, in both protocols."""

    @pytest.mark.parametrize(
        "host",
        [
            "bigquery.googleapis.com",
            "bigquerystorage.googleapis.com",
            "compute.googleapis.com",
            "metadata.google.internal",
            "notebooks.googleapis.com",
        ],
    )
    def test_rest(self, port: int, host: str) -> None:
        path = "/v1/projects/p/locations/l/operations/7"  # which is a path of ours elsewhere
        request = f"GET {path} HTTP/1.1\nHost: {host}\nConnection: close\n\n"
        status, _, body = ask(port, request).partition(b"\r\n\r\n")
        error = json.loads(body)["error"]
        assert (status[:12], error["status"]) == (b"HTTP/1.1 501", "UNIMPLEMENTED")
        assert error["message"] == f"{host} is not emulated by Local Vertex (GET {path})."

    def test_grpc(self, google_clients: dict[str, str]) -> None:
        client = FoldersClient()
        with pytest.raises(exceptions.MethodNotImplemented) as refusal:
            client.get_folder(name="folders/7", timeout=60)
        client.transport.close()
        assert refusal.value.message == (
            "google.cloud.resourcemanager.v3.Folders.GetFolder is not emulated by Local Vertex."
        )


class TestTunnels:
    """What is none of Google's passes through, by the user's own proxy where there is one."""

    def test_to_the_network(self, port: int) -> None:
        with (
            tcp_server(b"pong") as (target, got),
            tunnel(port, f"127.0.0.1:{target}") as (
                connection,
                head,
            ),
        ):
            connection.sendall(b"ping")
            answer = connection.recv(4)
        assert (head[:12], got, answer) == (b"HTTP/1.1 200", [b"ping"], b"pong")

    def test_to_nobody(self, port: int) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            target = free.getsockname()[1]
        with tunnel(port, f"127.0.0.1:{target}") as (connection, head):
            text = connection.recv(1000).decode()
        assert (head[:12], text.startswith(f"127.0.0.1:{target}: ")) == (b"HTTP/1.1 502", True)

    @pytest.fixture
    def behind_a_proxy(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[tuple[int, list[bytes]]]:
        """A server whose user has a proxy with a password; what the proxy got."""
        established = b"HTTP/1.1 200 Connection established\r\n\r\n"
        with tcp_server(b"pong", first=established) as (proxy, got):
            monkeypatch.setenv("HTTPS_PROXY", f"http://me:secret@127.0.0.1:{proxy}")
            monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
            server = join(tmp_path / "state")
            try:
                yield server.record.port, got
            finally:
                server.stop()

    def test_through_the_users_proxy_and_past_it(
        self, behind_a_proxy: tuple[int, list[bytes]]
    ) -> None:
        port, got = behind_a_proxy
        with tcp_server(b"direct") as (near, _):
            with tunnel(port, f"127.0.0.1:{near}") as (connection, _head):
                connection.sendall(b"ping")
                direct = connection.recv(6)
            with tunnel(port, "far.example.com:443") as (connection, _head):
                connection.sendall(b"ping")
                answer = connection.recv(4)
        asked, sent = got
        assert (direct, answer, sent) == (b"direct", b"pong", b"ping")
        assert asked.startswith(b"CONNECT far.example.com:443 HTTP/1.1\r\n")
        assert b"Proxy-Authorization: Basic bWU6c2VjcmV0\r\n" in asked


def test_a_state_directory_of_a_long_name(tmp_path: Path) -> None:
    endpoint = local(state_dir=tmp_path / ("long" * 25))
    try:
        variables = google_environment(endpoint.server)
        program = "import sys; from google.cloud import aiplatform_v1 as v; " + (
            "print(len(list(v.JobServiceClient(client_options={'api_endpoint': "
            "'us-central1-aiplatform.googleapis.com'}).list_custom_jobs("
            "parent='projects/p/locations/us-central1'))))"
        )
        words = [sys.executable, "-c", program]
        environment = {**os.environ, **variables}
        done = subprocess.run(words, capture_output=True, env=environment, check=True, timeout=60)
        assert done.stdout == b"0\n"
    finally:
        endpoint.close()
        endpoint.server.stop()


def system_parameters() -> list[str]:
    return ["key=AIza", "prettyPrint=false", "alt=json", "quotaUser=me", "$.xgafv=2"]


@pytest.mark.parametrize("parameter", system_parameters())
def test_system_parameters_are_no_fields(port: int, local_vertex: Endpoint, parameter: str) -> None:
    request = f"GET {listing(local_vertex)}?{parameter}&pageSize=1 HTTP/1.1\nHost: localhost\n"
    assert ask(port, request + "Connection: close\n\n").startswith(b"HTTP/1.1 200")


def test_partial_answers_are_refused_by_name(port: int, local_vertex: Endpoint) -> None:
    request = f"GET {listing(local_vertex)}?fields=customJobs HTTP/1.1\nHost: localhost\n"
    answer = ask(port, request + "Connection: close\n\n")
    assert (answer[:12], b"readMask" in answer) == (b"HTTP/1.1 501", True)
