"""The REST front: an ASGI application that turns HTTP requests into calls of the method table.

Paths, query parameters and bodies are transcoded as the API's annotations say; answers are JSON,
enums as names or, when the client asks as the generated clients do, as integers.
Source: google.api.HttpRule; AIP-127.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from google.protobuf import json_format

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.fronts.calls import HoldPolicy, call_of
from vertex_jobs.emulator.services.methods import Method
from vertex_jobs.emulator.status import ApiError

__all__ = ["RestFront", "read_body", "send_json"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

#: REST versions that are served with the v1 messages.
VERSIONS = ("/v1/", "/v1beta1/")


async def read_body(receive: Receive) -> bytes:
    """The whole request body."""
    parts = []
    while True:
        event = await receive()
        parts.append(event.get("body", b""))
        if not event.get("more_body"):
            return b"".join(parts)


async def send_json(send: Send, status: int, form: object) -> None:
    """Answer with one JSON document."""
    body = json.dumps(form, ensure_ascii=False).encode()
    headers = [
        (b"content-type", b"application/json; charset=UTF-8"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class RestFront:
    """The API's methods over REST."""

    def __init__(self, methods: Sequence[Method], hold: HoldPolicy) -> None:
        """Serve the methods; ``hold`` says how long reads are held for callers that say nothing."""
        self._methods = [(method, rule) for method in methods for rule in method.rules]
        self._hold = hold

    def find(self, verb: str, path: str) -> tuple[Method, str, dict[str, str]] | None:
        """The method that a request means, the field of its body and the fields of its path."""
        for version in VERSIONS:
            if not path.startswith(version):
                continue
            for method, rule in self._methods:
                fields = rule.match(verb, path[len(version) :])
                if fields is not None:
                    return method, rule.body, fields
        return None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request whose path belongs to this API."""
        query = dict(parse_qsl(scope["query_string"].decode(), keep_blank_values=True))
        integers = "enum-encoding=int" in (query.get("$alt") or query.pop("alt", ""))
        query = {key: value for key, value in query.items() if not key.startswith("$")}
        try:
            path = scope["raw_path"].decode("latin-1").partition("?")[0]
            found = self.find(scope["method"], path)
            if found is None:
                raise ApiError(
                    "UNIMPLEMENTED",
                    f"{scope['method']} {path} is not emulated by Local Vertex.",
                )
            method, body_field, path_fields = found
            body = await read_body(receive)
            request = _request(method, body_field, path_fields, query, body)
            call = call_of(_headers(scope), self._hold)
            answer = await method.handler(request, call)
        except ApiError as error:
            await send_json(send, error.http_status, error.to_json())
            return
        form = protos.to_json(answer, integers_for_enums=integers)
        await send_json(send, 200, form)


def _headers(scope: Scope) -> Mapping[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


def _request(
    method: Method, body_field: str, path_fields: dict[str, str], query: dict[str, str], body: bytes
) -> protos.Message:
    """The request message, from path, query and body."""
    request = method.request()
    try:
        if body_field and body.strip():
            form = json.loads(body)
            target = request if body_field == "*" else getattr(request, body_field)
            protos.from_json(form, target)
            if body_field != "*":
                target.SetInParent()
        protos.from_json({**query, **path_fields}, request)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ApiError("INVALID_ARGUMENT", f"Invalid JSON payload received. {error}") from error
    except json_format.ParseError as error:
        raise ApiError("INVALID_ARGUMENT", f"Invalid JSON payload received. {error}") from error
    return request
