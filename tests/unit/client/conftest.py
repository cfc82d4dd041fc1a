"""What the client's tests share: a clock that only sleeping moves, and prepared HTTP answers."""

import contextlib
import http.server
import json
import threading

import pytest
from google.auth.credentials import AnonymousCredentials

from vertex_jobs.client import Connection, Timing
from vertex_jobs.requests import Place


class PassingTime:
    """Time as a test sees it: sleeping is instant and is remembered."""

    def __init__(self):
        self.seconds = 1_000_000.0
        self.slept = []

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.seconds += seconds

    @property
    def timing(self):
        """Without jitter: each delay is its whole step."""
        return Timing(
            clock=lambda: self.seconds,
            sleep=self.sleep,
            random=lambda: 1.0,
            now=lambda: self.seconds,
        )


@pytest.fixture
def time():
    return PassingTime()


class Canned:
    """An address that gives one prepared HTTP answer after the other and keeps what was asked."""

    def __init__(self, *answers):
        self.requests = []
        self._answers = list(answers)
        canned = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if "projection=noAcl" in self.path:
                    # google-cloud-storage looks at the bucket from a thread, for its telemetry.
                    status, resource = 404, {}
                else:
                    canned.requests.append((self.command, self.path, dict(self.headers), body))
                    status, resource = canned._answers.pop(0)
                payload = json.dumps(resource).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            do_GET = do_POST = do_DELETE = answer  # noqa: N815 - http.server chooses the names

            def log_message(self, *arguments):
                """Keep quiet."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def canned():
    """Makes a `Canned` of the given ``(status, JSON)`` pairs."""
    with contextlib.ExitStack() as stack:

        def make(*answers):
            made = Canned(*answers)
            stack.callback(made.close)
            return made

        yield make


@pytest.fixture
def connection(tmp_path):
    """Makes a connection whose every service is at that URL."""

    def make(url):
        return Connection(
            Place("p", "us-central1", "gs://bucket"),
            url,
            AnonymousCredentials(),
            tmp_path / "state",
            storage_endpoint=url,
            logging_endpoint=url,
        )

    return make
