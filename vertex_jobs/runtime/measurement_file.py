"""A trial's measurements as one object among its outputs: one line of JSON for each report.

A tuning job of Vertex AI tells of each trial its last or best measurement alone. So every report
also goes to ``measurements.jsonl`` in the trial's own log directory, on Vertex AI as on Local
Vertex, and from there a study has its learning curves.

The object is written whole, at most once a second, through the XML API of Cloud Storage: with the
standard library, since not every image has a client of Cloud Storage. What cannot be written is
said once and never fails a trial. A process that is killed loses the reports of its last second.

Source: request-endpoints and XML API pages of Cloud Storage; its limit of one write a second to one
object; "Authenticate applications directly with access tokens" of Compute Engine.
"""

import atexit
import functools
import json
import logging
import os
import threading
import time
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from vertex_jobs.names import MEASUREMENT_FILE, GcsUri
from vertex_jobs.runtime import environment

if TYPE_CHECKING:
    import http.client

_SECONDS_BETWEEN_WRITES = 1.0
_SECONDS_AFTER_FAILURE = 60.0
_TIMEOUT_SECONDS = 10.0
_HOST = "storage.googleapis.com"
_METADATA_HOST = "metadata.google.internal"
_TOKEN_PATH = "/computeMetadata/v1/instance/service-accounts/default/token"
#: What Google's own clients read for an emulator.
_EMULATOR_VARIABLE = "STORAGE_EMULATOR_HOST"

_log = logging.getLogger("vertex_jobs.runtime.metrics")


@functools.cache
def measurement_file() -> "MeasurementFile | None":
    """Return the process's only file; None outside a trial, or where its outputs are not kept."""
    here = environment.current()
    if here.trial_id is None or here.directories is None:
        return None
    directory = here.directories.tensorboard_log_dir
    if not directory.startswith("gs://"):
        return None
    return MeasurementFile(GcsUri.parse(directory).join(MEASUREMENT_FILE), here.job_id or "")


class MeasurementFile:
    """Keeps the lines of one trial and writes them."""

    def __init__(self, uri: GcsUri, job_id: str) -> None:
        """Write nothing yet; the end of the process writes what waits by then."""
        self._uri = uri
        self._job_id = job_id
        self._lock = threading.Lock()
        self._lines: list[str] | None = None
        self._new: list[str] = []
        self._next_write = 0.0
        self._timer: threading.Timer | None = None
        self._warned = False
        atexit.register(self.close)

    def add(self, tag: str, value: float, step: int) -> None:
        """Add a report, which is written at once, or when the next write may be."""
        line = {"metric": tag, "value": value, "step": step, "time": round(time.time(), 3)}
        with self._lock:
            self._new.append(json.dumps({**line, "job": self._job_id}))
            wait = self._next_write - time.monotonic()
            if wait <= 0:
                self._write()
            elif self._timer is None:
                self._timer = threading.Timer(wait, self._write_late)
                self._timer.daemon = True
                self._timer.start()

    def close(self) -> None:
        """Write what waits, and leave no thread behind."""
        with self._lock:
            timer, self._timer = self._timer, None
            self._write()
        if timer is not None:
            timer.cancel()
            timer.join()

    def _write_late(self) -> None:
        with self._lock:
            self._timer = None
            self._write()

    def _write(self) -> None:
        if not self._new:
            return
        pause = _SECONDS_BETWEEN_WRITES
        try:
            if self._lines is None:
                self._lines = self._earlier()
            lines = [*self._lines, *self._new]
            _ask("PUT", self._uri, "".join(f"{line}\n" for line in lines).encode())
            self._lines, self._new = lines, []
        except (OSError, ValueError) as error:
            pause = _SECONDS_AFTER_FAILURE
            if not self._warned:
                self._warned = True
                _log.warning("the learning curve is not kept in %s: %s", self._uri, error)
        self._next_write = time.monotonic() + pause

    def _earlier(self) -> list[str]:
        """Return what an earlier run of the same trial wrote, which was interrupted."""
        text = _ask("GET", self._uri).decode()
        same = f'"job": {json.dumps(self._job_id)}}}'
        return [line for line in text.splitlines() if line.endswith(same)]


def _ask(verb: str, uri: GcsUri, body: bytes | None = None) -> bytes:
    """Return the answer; empty for an object that is not there.

    Raises:
        OSError: If Cloud Storage cannot be reached or refuses.
    """
    import http.client

    emulator = os.environ.get(_EMULATOR_VARIABLE, "")
    headers = {"Content-Type": "application/x-ndjson"} if body is not None else {}
    connection: http.client.HTTPConnection
    if emulator:
        where = urlsplit(emulator if "//" in emulator else f"http://{emulator}").netloc
        connection = http.client.HTTPConnection(where, timeout=_TIMEOUT_SECONDS)
    else:
        headers["Authorization"] = f"Bearer {_token()}"
        connection = http.client.HTTPSConnection(_HOST, timeout=_TIMEOUT_SECONDS)
    path = quote(f"/{uri.bucket}/{uri.path}")
    status, answer = _exchange(connection, verb, path, body, headers)
    if verb == "GET" and status == http.client.NOT_FOUND:
        return b""
    if status != http.client.OK:
        raise OSError(f"{verb} was answered {status}: {answer[:200].decode(errors='replace')}")
    return answer


def _exchange(
    connection: "http.client.HTTPConnection",
    verb: str,
    path: str,
    body: bytes | None,
    headers: dict[str, str],
) -> tuple[int, bytes]:
    import http.client

    try:
        connection.request(verb, path, body, headers)
        response = connection.getresponse()
        return response.status, response.read()
    except http.client.HTTPException as error:
        raise OSError(f"{verb} {path}: {error!r}") from error
    finally:
        connection.close()


def _token() -> str:
    """Return an access token of the machine's service account."""
    import http.client

    connection = http.client.HTTPConnection(_METADATA_HOST, timeout=_TIMEOUT_SECONDS)
    headers = {"Metadata-Flavor": "Google"}
    status, answer = _exchange(connection, "GET", _TOKEN_PATH, None, headers)
    if status != http.client.OK:
        raise OSError(f"the metadata server gave no token but {status}")
    return str(json.loads(answer)["access_token"])
