"""Find the server of a state directory, or start one: the way in for endpoints.

The server is always a process of its own, so that a client that is interrupted never ends a job.
"""

import http.client
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vertex_jobs.emulator.state_directory import DIRECTORY_HELD, EndpointRecord, StateDirectory
from vertex_jobs.errors import EndpointLostError, UnsupportedHereError

#: Imports and namespaces take about a second; a loaded machine may need many.
_START_SECONDS = 60.0
#: Of every admin call: the token of ``endpoint.json``.
TOKEN_HEADER = "x-vertex-jobs-token"


class LocalServer:
    """A running server and its admin calls; ``started`` tells if this process started it."""

    def __init__(
        self, directory: StateDirectory, record: EndpointRecord, *, started: bool = False
    ) -> None:
        self.directory = directory
        self.record = record
        self.started = started

    def call(self, verb: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Make an admin call and return its answer.

        Raises:
            EndpointLostError: If the server does not answer, or refuses.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self.record.port, timeout=10)
        try:
            headers = {TOKEN_HEADER: self.record.token}
            connection.request(verb, f"/admin/{path}", json.dumps(dict(body or {})), headers)
            answer = connection.getresponse()
            form: dict[str, Any] = json.loads(answer.read())
        except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
            raise EndpointLostError(
                f"Local Vertex on {self.record.url} does not answer ({error}); "
                f"its log is {self.directory.server_log}"
            ) from error
        finally:
            connection.close()
        if answer.status != 200:
            raise EndpointLostError(f"Local Vertex refused {path}: {form['error']['message']}")
        return form

    def resume(self) -> list[str]:
        """Resume interrupted jobs and return their names."""
        names: list[str] = self.call("POST", "resume")["resumed"]
        return names

    def hold(
        self,
        pid: int,
        *,
        hold_reads: bool | None = None,
        strict: bool | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep the server for the life of a process.

        ``hold_reads`` tells if unmodified clients' reads are held meanwhile, ``strict`` if the
        server answers as the service in all that it eases otherwise. ``settings``, in the
        JSON form of a config's ``local:`` section, are those of jobs that bring none of their own
        meanwhile. None leaves each as it was.
        """
        body = {"pid": pid, "hold_reads": hold_reads, "strict": strict, "settings": settings}
        self.call("POST", "hold", {key: one for key, one in body.items() if one is not None})

    def inject(self, faults: Sequence[Mapping[str, Any]]) -> None:
        """Inject faults into every job, in the form of a config's ``local.faults``."""
        self.call("POST", "faults", {"faults": list(faults)})

    def clear_faults(self) -> None:
        """Drop injected faults and the record of those of calls; jobs keep their own faults."""
        self.call("DELETE", "faults")

    def incidents(self, job: str) -> list[dict[str, Any]]:
        """Return injected faults and what followed them, for that job and for no job."""
        noted: list[dict[str, Any]] = self.call("POST", "incidents", {"job": job})["incidents"]
        return noted

    def reported_metrics(self, job: str) -> frozenset[str]:
        """Return the metrics that any trial of a tuning job has reported so far."""
        return frozenset(self.call("POST", "metrics", {"job": job})["metrics"])

    def places(self) -> list[tuple[str, str, int]]:
        """Return each project and location that holds jobs, and how many."""
        return [tuple(place) for place in self.call("POST", "places")["places"]]

    def failed(self, since: float) -> list[tuple[str, str]]:
        """Return name and project id of each job that was created since then and has failed."""
        answer = self.call("POST", "failed", {"since": since})
        return [(name, project) for name, project in answer["failed"]]

    def step(self, job: str) -> str:
        """Move a stepped job one state on, or resume a paused one; return the new state."""
        return str(self.call("POST", "step", {"job": job})["state"])

    def end(self, job: str, state: str) -> str:
        """Put a job into ``JOB_STATE_PAUSED``, ``_EXPIRED`` or ``_PARTIALLY_SUCCEEDED``."""
        return str(self.call("POST", "end", {"job": job, "state": state})["state"])

    def advance(self, seconds: float) -> None:
        """Let time pass on a virtual clock."""
        self.call("POST", "advance", {"seconds": seconds})

    def stop(self) -> list[str]:
        """End the server; return the jobs that still ran, which the next resume continues."""
        names: list[str] = self.call("POST", "stop")["stopped"]
        deadline = time.monotonic() + _START_SECONDS
        while self.runs() and time.monotonic() < deadline:
            time.sleep(0.02)
        return names

    def runs(self) -> bool:
        """Return whether the process is still there, and reap an ended child of ours."""
        try:
            if self.started:
                return os.waitpid(self.record.pid, os.WNOHANG) == (0, 0)
            os.kill(self.record.pid, 0)
        except (ChildProcessError, ProcessLookupError):
            return False
        return True


def _answers(server: LocalServer) -> bool:
    try:
        return bool(server.call("GET", "health")["pid"] == server.record.pid)
    except EndpointLostError:
        return False


#: By state directory, servers that this process has begun and not joined: process id, and where
#: their first line comes. One whose starter ends before that line ends as well.
_begun: dict[Path, tuple[int, int]] = {}


def begin(path: Path, *, project: str, location: str) -> None:
    """Start the server that ``join`` of that state directory will need, and return at once.

    For callers that have other things to do meanwhile; does nothing where a server answers.
    """
    directory = StateDirectory(path)
    directory.take()
    if directory.path not in _begun and _running(directory) is None:
        _begun[directory.path] = _spawn(directory, project, location, "system")


def join(
    path: Path,
    *,
    project: str | None = None,
    location: str | None = None,
    clock: str = "system",
) -> LocalServer:
    """Return the server of that state directory; start one if none runs.

    Args:
        path: The state directory; created if missing.
        project: Default project of a server that is started; None for ``local-project``.
        location: Default location of a server that is started; None for ``us-central1``.
        clock: Of a server that is started: ``system``, or ``virtual``, moved by ``advance`` alone.

    Raises:
        UnsupportedHereError: If a server cannot be started here.
    """
    directory = StateDirectory(path)
    directory.take()
    begun = _begun.pop(directory.path, None)
    if begun is None:
        server = _running(directory)
        if server is not None:
            return server
        begun = _spawn(directory, project, location, clock)
    pid = _await_line(directory, *begun)
    record = directory.read_endpoint()
    assert record is not None
    return LocalServer(directory, record, started=bool(pid))


def _running(directory: StateDirectory) -> LocalServer | None:
    """Return the server of the directory, if one answers."""
    record = directory.read_endpoint()
    if record is None or not record.pid:
        return None
    server = LocalServer(directory, record)
    return server if _answers(server) else None


def _spawn(
    directory: StateDirectory, project: str | None, location: str | None, clock: str
) -> tuple[int, int]:
    """Start a server; return its process id, and the descriptor of its first line."""
    arguments = [sys.executable, "-m", "vertex_jobs.emulator.server"]
    arguments += ["--state-dir", str(directory.path), "--clock", clock]
    arguments += ["--project", project] if project else []
    arguments += ["--location", location] if location else []
    reading, writing = os.pipe()
    append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    # Not subprocess: the server is meant to outlive this process, which Popen warns about.
    pid = os.posix_spawn(
        sys.executable,
        arguments,
        _environment(),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, writing, 1),
            (os.POSIX_SPAWN_OPEN, 2, str(directory.server_log), append, 0o600),
        ],
        setsid=True,
    )
    os.close(writing)
    return pid, reading


def _await_line(directory: StateDirectory, pid: int, reading: int) -> int:
    """Wait until a server that was started says that it answers; return its process id.

    Returns 0 if another process was first to start one, which is as good.

    Raises:
        UnsupportedHereError: If it ended instead.
    """
    with open(reading, encoding="utf-8") as output:
        line = output.readline()
    if line:
        return pid
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    deadline = time.monotonic() + _START_SECONDS
    while code == DIRECTORY_HELD and time.monotonic() < deadline:
        record = directory.read_endpoint()
        if record is not None and record.pid and _answers(LocalServer(directory, record)):
            return 0
        time.sleep(0.05)
    last = directory.server_log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:]
    raise UnsupportedHereError(
        f"Local Vertex did not start in {directory.path} (exit code {code}); the last lines of "
        f"{directory.server_log}:\n" + "\n".join(last)
    )


def _environment() -> dict[str, str]:
    """Return this environment without what would point the server at another emulator."""
    leaks = ("AIP_", "CLOUD_ML_", "TF_CONFIG", "CLUSTER_SPEC", "STORAGE_EMULATOR_HOST")
    return {key: value for key, value in os.environ.items() if not key.startswith(leaks)}
