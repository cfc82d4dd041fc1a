"""Requests to storage: which call each is, and what faults do to them.

The names are those of the JSON API's methods; a request of the XML API has the name of the JSON
call that does the same. Source: Cloud Storage JSON API v1 reference; HTTP status and error codes.
"""

import json
import re
from collections.abc import MutableMapping
from typing import Any
from urllib.parse import unquote
from xml.sax.saxutils import escape

from vertex_jobs.emulator.asgi import AsgiApplication, Receive, Scope, Send
from vertex_jobs.emulator.clock import Clock
from vertex_jobs.emulator.faults.connections import end_connection
from vertex_jobs.emulator.faults.disturbance import ConnectionDroppedError, disturb
from vertex_jobs.emulator.faults.rules import FaultBoard
from vertex_jobs.emulator.status import ApiError

__all__ = ["STORAGE_CALLS", "disturbed_storage", "object_uri", "storage_call"]

_JSON = re.compile(r"(?:/resumable)?(?:/upload|/download)?/storage/v1/b(?P<rest>/.*)?\Z")
_OBJECT = re.compile(r"/[^/]+/o/[^/]+(?P<verb>/.*)?\Z")
_BUCKET_HOST = ".storage.googleapis.com"
_VERBS = {"GET": "get", "HEAD": "get", "PATCH": "patch", "PUT": "update", "DELETE": "delete"}
_OBJECT_VERBS = {"compose": "compose", "copyTo": "copy", "rewriteTo": "rewrite", "moveTo": "move"}

STORAGE_CALLS = (
    *(f"storage.buckets.{verb}" for verb in ("list", "insert", "get", "patch", "update", "delete")),
    *(f"storage.objects.{verb}" for verb in ("list", "insert", "get", "patch", "update", "delete")),
    *(f"storage.objects.{verb}" for verb in _OBJECT_VERBS.values()),
    "storage.batch",
)

#: Status to the reason of the JSON API and the code of the XML API.
_SPELLINGS = {
    400: ("invalid", "InvalidArgument"),
    403: ("forbidden", "AccessDenied"),
    404: ("notFound", "NoSuchKey"),
    409: ("conflict", "OperationAborted"),
    429: ("rateLimitExceeded", "SlowDown"),
    500: ("internalError", "InternalError"),
    503: ("backendError", "ServiceUnavailable"),
    504: ("gatewayTimeout", "GatewayTimeout"),
}


def storage_call(method: str, path: str, host: str = "") -> str:
    """The name of a request's call, e.g. ``storage.objects.insert``.

    Args:
        method: The HTTP verb.
        path: Percent-encoded, without the query.
        host: The Host header; a bucket's own host is another way to name it.
    """
    if path.startswith("/batch"):
        return "storage.batch"
    found = _JSON.match(path)
    if found is None:
        return _xml_call(method, path, host)
    rest = found["rest"] or ""
    if "/upload/" in path:
        return "storage.objects.insert"
    within = _OBJECT.match(rest)
    if within is not None:
        verb = (within["verb"] or "/").split("/")[1]
        return f"storage.objects.{_OBJECT_VERBS.get(verb) or _VERBS.get(method, 'get')}"
    if rest.endswith("/o") and rest.count("/") == 2:
        return f"storage.objects.{'insert' if method == 'POST' else 'list'}"
    if not rest.strip("/"):
        return f"storage.buckets.{'insert' if method == 'POST' else 'list'}"
    return f"storage.buckets.{_VERBS.get(method, 'get')}"


def _xml_call(method: str, path: str, host: str) -> str:
    bucket_host = host.partition(":")[0].endswith(_BUCKET_HOST)
    name = path[1:] if bucket_host else path[1:].partition("/")[2]
    if name:
        verbs = {**_VERBS, "PUT": "insert", "POST": "insert"}
        return f"storage.objects.{verbs.get(method, 'get')}"
    verbs = {"GET": "objects.list", "HEAD": "buckets.get", "PUT": "buckets.insert"}
    return f"storage.{verbs.get(method, 'buckets.delete')}"


def object_uri(path: str, host: str = "") -> str:
    """The object that a request reads, or what looks like one; see ``storage_call``."""
    found = _JSON.match(path)
    place = found["rest"] or "" if found else path
    name = host.partition(":")[0]
    if found:
        place = "/" + place[1:].replace("/o/", "/", 1)
    elif name.endswith(_BUCKET_HOST):
        place = f"/{name.removesuffix(_BUCKET_HOST)}{path}"
    return f"gs:/{unquote(place)}"


def disturbed_storage(
    application: AsgiApplication, board: FaultBoard, clock: Clock
) -> AsgiApplication:
    """The storage application behind the rules of the board."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if board.idle:
            await application(scope, receive, send)
            return
        path = scope["raw_path"].decode("latin-1").partition("?")[0]
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        fault = board.of_call(storage_call(scope["method"], path, host))
        if board.incidents.watches and scope["method"] == "GET":
            board.incidents.note_read(object_uri(path, host))
        if fault is None:
            await application(scope, receive, send)
            return
        # A call that outlives its client needs its body now, and an answer must not meet a client
        # that is still sending.
        kept = _replay(await _events(receive))
        unheard = fault.fault in ("drop_after", "commit_late")
        try:
            await disturb(
                fault,
                lambda: application(scope, kept, _nowhere if unheard else send),
                clock,
            )
        except ApiError as error:
            await _refuse(error, path, send)
        except ConnectionDroppedError as error:
            await end_connection(scope, receive, error)

    return answer


async def _events(receive: Receive) -> list[MutableMapping[str, Any]]:
    events = []
    while True:
        event = await receive()
        events.append(event)
        if not event.get("more_body"):
            return events


def _replay(events: list[MutableMapping[str, Any]]) -> Receive:
    left = iter(events)

    async def receive() -> MutableMapping[str, Any]:
        return next(left, {"type": "http.disconnect"})

    return receive


async def _nowhere(event: MutableMapping[str, Any]) -> None:
    """Nobody hears this answer."""


async def _refuse(error: ApiError, path: str, send: Send) -> None:
    """The service's error, in the form of the API that was asked."""
    status = error.http_status
    reason, code = _SPELLINGS[status]
    if _JSON.match(path) or path.startswith("/batch"):
        cause = {"message": error.message, "domain": "global", "reason": reason}
        form = {"error": {"code": status, "message": error.message, "errors": [cause]}}
        body, kind = json.dumps(form).encode(), b"application/json; charset=UTF-8"
    else:
        text = (
            "<?xml version='1.0' encoding='UTF-8'?>"
            f"<Error><Code>{code}</Code><Message>{escape(error.message)}</Message></Error>"
        )
        body, kind = text.encode(), b"application/xml; charset=UTF-8"
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
