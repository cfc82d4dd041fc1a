"""Injected faults, as the storage application answers them."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from vertex_jobs.emulator.clock import VirtualClock
from vertex_jobs.emulator.faults.incidents import ReadWatch
from vertex_jobs.emulator.faults.rules import FaultBoard, RuleSet
from vertex_jobs.emulator.storage.objects import ObjectStore
from vertex_jobs.emulator.storage.wire import STORAGE_CALLS, StorageApplication
from vertex_jobs.spec.local import CallFault

HOST = "logs.storage.googleapis.com"
UPLOAD = "/upload/storage/v1/b/logs/o?uploadType=media&name=a"

#: Status and body of the answer; None when the connection was dropped.
Ask = Callable[..., tuple[int, bytes] | None]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ObjectStore]:
    store = ObjectStore(tmp_path, create_buckets=True)
    yield store
    store.close()


@pytest.fixture
def board() -> FaultBoard:
    return FaultBoard()


@pytest.fixture
def ask(store: ObjectStore, board: FaultBoard) -> Ask:
    """Sends a request to the application, and stays until the connection ends."""
    application = StorageApplication(store, board, VirtualClock(0))

    def ask(method: str, target: str, host: str = "", body: bytes = b"") -> Any:
        path, _, query = target.partition("?")
        sent: list[Any] = []
        received = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> dict[str, Any]:
            return next(received, {"type": "http.disconnect"})

        async def send(event: Any) -> None:
            sent.append(event)

        scope = {
            "type": "http",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(b"host", host.encode())],
            "state": {"drop": lambda: None},
        }
        asyncio.run(application(scope, receive, send))
        return (sent[0]["status"], sent[1]["body"]) if sent else None

    return ask


def inject(board: FaultBoard, fault: int | str, call: str = "storage.*") -> None:
    board.standing.append(RuleSet([CallFault(call=call, fault=fault)]))


@pytest.mark.parametrize(
    ("method", "path", "host", "call"),
    [
        ("GET", "/storage/v1/b", "", "buckets.list"),
        ("POST", "/storage/v1/b", "", "buckets.insert"),
        ("GET", "/storage/v1/b/logs", "", "buckets.get"),
        ("DELETE", "/storage/v1/b/logs", "", "buckets.delete"),
        ("GET", "/storage/v1/b/logs/o", "", "objects.list"),
        ("GET", "/storage/v1/b/logs/o/a%2Fb", "", "objects.get"),
        ("GET", "/download/storage/v1/b/logs/o/a%2Fb", "", "objects.get"),
        ("GET", "/storage/v1/b/logs/storageLayout", "", "buckets.getStorageLayout"),
        ("GET", "/storage/v1/b/logs/iam", "", "buckets.getIamPolicy"),
        ("PATCH", "/storage/v1/b/logs/o/a", "", "objects.patch"),
        ("DELETE", "/storage/v1/b/logs/o/a", "", "objects.delete"),
        ("POST", "/upload/storage/v1/b/logs/o", "", "objects.insert"),
        ("PUT", "/resumable/upload/storage/v1/b/logs/o", "", "objects.insert"),
        ("POST", "/storage/v1/b/logs/o/a/compose", "", "objects.compose"),
        ("POST", "/storage/v1/b/logs/o/a/rewriteTo/b/logs/o/c", "", "objects.rewrite"),
        ("POST", "/storage/v1/b/logs/o/a/copyTo/b/logs/o/c", "", "objects.copy"),
        ("POST", "/batch/storage/v1", "", "batch"),
        ("GET", "/logs/a/b", "", "objects.get"),
        ("HEAD", "/logs/a/b", "", "objects.get"),
        ("PUT", "/logs/a/b", "", "objects.insert"),
        ("DELETE", "/logs/a/b", "", "objects.delete"),
        ("POST", "/logs/a/b?uploads", "", "objects.insert"),
        ("DELETE", "/logs/a/b?uploadId=1", "", "objects.insert"),
        ("GET", "/logs", "", "objects.list"),
        ("GET", "/a/b", HOST, "objects.get"),
        ("GET", "/", HOST, "objects.list"),
    ],
)
def test_a_request_has_the_name_of_the_json_apis_call(
    ask: Ask, board: FaultBoard, method: str, path: str, host: str, call: str
) -> None:
    inject(board, 503)
    ask(method, path, host)
    assert [one["subject"] for one in board.incidents.of_job("")] == [f"storage.{call}"]


def test_every_name_is_one_that_a_fault_may_use() -> None:
    assert "storage.objects.get" in STORAGE_CALLS


def test_a_request_that_means_no_call_meets_no_fault(ask: Ask, board: FaultBoard) -> None:
    inject(board, 503)
    answer = ask("GET", "/storage/v1/b/logs/o/a/nothing")
    assert answer is not None
    assert answer[0] == 404


@pytest.mark.parametrize(
    ("path", "host"),
    [
        ("/download/storage/v1/b/logs/o/a%2Fb", ""),
        ("/storage/v1/b/logs/o/a%2Fb?alt=media", ""),
        ("/logs/a/b", ""),
        ("/a/b", HOST),
    ],
)
def test_the_object_of_a_read_is_noted(ask: Ask, board: FaultBoard, path: str, host: str) -> None:
    ask("PUT", "/logs/a/b", "", b"7")
    board.incidents.watch_reads(ReadWatch("gs://logs/", "1", "", time.time()))
    ask("GET", path, host)
    assert [one["subject"] for one in board.incidents.of_job("1")] == ["gs://logs/a/b"]


@pytest.mark.parametrize("path", ["/storage/v1/b/logs/o", "/storage/v1/b/logs/o/a%2Fb"])
def test_a_look_is_no_read_of_an_object(ask: Ask, board: FaultBoard, path: str) -> None:
    ask("PUT", "/logs/a/b", "", b"7")
    board.incidents.watch_reads(ReadWatch("gs://logs/", "1", "", time.time()))
    ask("GET", path)
    assert board.incidents.of_job("1") == []


def test_the_json_api_refuses_in_json(ask: Ask, board: FaultBoard) -> None:
    inject(board, 503)
    answer = ask("GET", "/storage/v1/b/logs/o/a")
    assert answer is not None
    assert (answer[0], json.loads(answer[1])["error"]["errors"][0]["reason"]) == (
        503,
        "backendError",
    )


def test_the_xml_api_refuses_in_xml(ask: Ask, board: FaultBoard) -> None:
    inject(board, 503)
    answer = ask("GET", "/logs/a")
    assert answer is not None
    assert (answer[0], b"<Code>ServiceUnavailable</Code>" in answer[1]) == (503, True)


@pytest.mark.parametrize(
    ("fault", "kept"), [(503, False), ("drop_before", False), ("drop_after", True)]
)
def test_a_fault_decides_whether_a_call_takes_effect(
    ask: Ask, board: FaultBoard, store: ObjectStore, fault: int | str, kept: bool
) -> None:
    store.buckets.create("logs")
    inject(board, fault)
    ask("POST", UPLOAD, body=b"content")
    page = ask("GET", "/storage/v1/b/logs/o")
    assert page is not None
    assert ("items" in json.loads(page[1])) is kept


def test_a_refused_call_whose_answer_is_lost_is_dropped(ask: Ask, board: FaultBoard) -> None:
    inject(board, "drop_after")
    assert ask("GET", "/storage/v1/b/logs/o/none") is None


def test_a_read_whose_answer_is_lost_closes_its_file(
    ask: Ask, board: FaultBoard, store: ObjectStore
) -> None:
    store.write("logs", "a", b"content")
    inject(board, "drop_after")
    assert ask("GET", "/logs/a") is None  # a file left open would be a warning, which fails
