"""A fault of Local Vertex itself: what is answered, what is logged, what a client makes of it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import requests
from google.api_core import exceptions

from vertex_jobs.client.api_errors import is_definite, is_transient, translate
from vertex_jobs.emulator.fronts.application import Application
from vertex_jobs.emulator.fronts.calls import HoldPolicy
from vertex_jobs.emulator.fronts.own_faults import OwnFaults
from vertex_jobs.errors import ServerFaultError

LOG = Path("/state/server.log")


class Front:
    """A REST front with a bug, before or after it has written something."""

    def __init__(self, writes: int) -> None:
        self.written = 0
        self._writes = writes

    def find(self, verb: str, path: str) -> object:
        return self

    async def __call__(self, *asgi: object) -> None:
        self.written += self._writes
        raise ZeroDivisionError("a bug")


def answer(writes: int) -> tuple[int, bytes]:
    """Ask an application whose front has that bug."""
    front: Any = Front(writes)
    nobody: Any = None
    faults = OwnFaults(LOG, lambda: front.written)
    application = Application(front, nobody, nobody, nobody, nobody, HoldPolicy(), faults)
    path = "/v1/projects/p/locations/l/customJobs"
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "headers": [(b"host", b"aiplatform.googleapis.com")],
    }
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(application(scope, nobody, send))
    return sent[0]["status"], sent[1]["body"]


def error(writes: int) -> ServerFaultError:
    """Return the client's error for that answer."""
    response = requests.Response()
    response.status_code, response._content = answer(writes)
    response.request = requests.Request("POST", "http://127.0.0.1/v1/x").prepare()
    untyped: Any = exceptions
    translated = translate(untyped.from_http_response(response), "here")
    assert isinstance(translated, ServerFaultError)
    return translated


def test_the_answer_ends_with_the_traceback_and_names_the_log() -> None:
    told = error(0).message
    assert told.startswith("Local Vertex failed by a fault of its own, ")
    assert f" in {LOG}, which ends:" in told
    assert told.endswith("ZeroDivisionError: a bug")


def test_the_same_id_stands_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    details = json.loads(answer(0)[1])["error"]["details"]
    logged = capsys.readouterr().err
    assert f"fault {details[0]['metadata']['fault']} of Local Vertex:\nTraceback" in logged
    assert "ZeroDivisionError: a bug" in logged


@pytest.mark.parametrize("writes", [0, 1])
def test_nothing_was_created_where_nothing_was_written(writes: int) -> None:
    assert is_definite(error(writes)) == (writes == 0)


def test_it_is_not_asked_again() -> None:
    assert not is_transient(error(0))
