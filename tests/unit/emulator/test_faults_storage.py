import asyncio
import json
from typing import Any

import pytest

from vertex_jobs.emulator.clock import VirtualClock
from vertex_jobs.emulator.faults.rules import FaultBoard, RuleSet
from vertex_jobs.emulator.storage.storage_calls import (
    STORAGE_CALLS,
    disturbed_storage,
    object_uri,
    storage_call,
)
from vertex_jobs.spec.local import CallFault

HOST = "logs.storage.googleapis.com"


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
        ("GET", "/logs", "", "objects.list"),
        ("GET", "/a/b", HOST, "objects.get"),
        ("GET", "/", HOST, "objects.list"),
    ],
)
def test_a_request_has_the_name_of_the_json_apis_call(
    method: str, path: str, host: str, call: str
) -> None:
    assert storage_call(method, path, host) == f"storage.{call}"


def test_every_name_is_one_that_a_fault_may_use() -> None:
    assert storage_call("GET", "/logs/a") in STORAGE_CALLS


@pytest.mark.parametrize(
    ("path", "host"),
    [
        ("/download/storage/v1/b/logs/o/a%2Fb", ""),
        ("/storage/v1/b/logs/o/a%2Fb", ""),
        ("/logs/a/b", ""),
        ("/a/b", HOST),
    ],
)
def test_the_object_of_a_request(path: str, host: str) -> None:
    assert object_uri(path, host) == "gs://logs/a/b"


def answer_of(path: str) -> tuple[int, bytes]:
    """Status and content type of a request that is refused, and that the service never sees."""

    async def unreachable(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("the service was asked")

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    sent: list[Any] = []

    async def send(event: Any) -> None:
        sent.append(event)

    board = FaultBoard(standing=[RuleSet([CallFault(call="storage.*", fault=503)])])
    scope = {"type": "http", "method": "GET", "raw_path": path.encode(), "headers": []}
    asyncio.run(disturbed_storage(unreachable, board, VirtualClock(0))(scope, receive, send))
    return sent[0]["status"], sent[1]["body"]


def test_the_json_api_refuses_in_json() -> None:
    status, body = answer_of("/storage/v1/b/logs/o/a")
    assert (status, json.loads(body)["error"]["errors"][0]["reason"]) == (503, "backendError")


def test_the_xml_api_refuses_in_xml() -> None:
    status, body = answer_of("/logs/a")
    assert (status, b"<Code>ServiceUnavailable</Code>" in body) == (503, True)
