"""Requests and answers between ASGI and the handlers, with bodies as streams.

Paths stay percent-encoded until a route has cut them, because object names hold encoded slashes.
"""

import asyncio
import contextlib
import json
from collections.abc import (
    AsyncIterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from urllib.parse import parse_qsl, unquote

from vertex_jobs.emulator.asgi import Message, Receive, Scope, Send
from vertex_jobs.emulator.storage.objects import InvalidObjectRequestError, Preconditions
from vertex_jobs.emulator.storage.objects.payloads import BLOCK_BYTES

#: Longest body that is read whole: metadata, XML documents and batches, never media.
_LARGEST_DOCUMENT = 16 << 20


class ClientLeftError(Exception):
    """The client closed its connection before its body had arrived."""


@dataclass
class Request:
    """One request.

    Attributes:
        path: Percent-encoded, without the query.
        parameters: Of the query, decoded, in order.
        headers: Lower-case names; repeated ones joined by commas.
        base_url: Scheme and host as the client spells them, for URLs in answers.
    """

    method: str
    path: str
    parameters: Sequence[tuple[str, str]]
    headers: Mapping[str, str]
    base_url: str
    receive: Receive
    query: Mapping[str, str] = field(init=False)
    _ended: bool = False

    def __post_init__(self) -> None:
        """Index the parameters: of a repeated one the last counts."""
        self.query = dict(self.parameters)

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives.

        Raises:
            ClientLeftError: If the connection closes before its end.
        """
        while not self._ended:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                self._ended = True
                raise ClientLeftError
            self._ended = not message.get("more_body", False)
            if body := message.get("body", b""):
                yield body

    async def buffer(self) -> None:
        """Take the whole body into memory, so that the client may leave before it is read.

        Raises:
            ClientLeftError: If the client leaves before its end.
        """
        body = b"".join([chunk async for chunk in self.chunks()])

        async def receive() -> Message:
            return {"type": "http.request", "body": body}

        self.receive, self._ended = receive, False

    async def body(self) -> bytes:
        """Read a document.

        Raises:
            InvalidObjectRequestError: If it is larger than any document of this API.
        """
        document = bytearray()
        async for chunk in self.chunks():
            document += chunk
            if len(document) > _LARGEST_DOCUMENT:
                raise InvalidObjectRequestError(
                    f"Invalid request: its document exceeds {_LARGEST_DOCUMENT} bytes"
                )
        return bytes(document)

    async def json(self) -> dict[str, Any]:
        """Read a JSON object, as ``parse_object`` does."""
        return parse_object(await self.body())

    async def drain(self) -> None:
        """Read and drop the rest, so that the client sees our answer and not a reset."""
        async for _ in self.chunks():
            pass

    def integer(self, name: str) -> int | None:
        """Read a query parameter that is a number.

        Raises:
            InvalidObjectRequestError: If it is something else.
        """
        return _integer(name, self.query.get(name))

    def preconditions(self, infix: str = "") -> Preconditions:
        """Return the conditions in the query; ``infix`` is ``Source`` for those on a source."""
        return Preconditions(
            self.integer(f"if{infix}GenerationMatch"),
            self.integer(f"if{infix}GenerationNotMatch"),
            self.integer(f"if{infix}MetagenerationMatch"),
            self.integer(f"if{infix}MetagenerationNotMatch"),
            self.integer("sourceGeneration" if infix else "generation"),
        )

    def header_preconditions(self) -> Preconditions:
        """Return the conditions that the XML API takes in headers and query."""
        generation, metageneration = (
            _integer(name, self.headers.get(name))
            for name in ("x-goog-if-generation-match", "x-goog-if-metageneration-match")
        )
        return Preconditions(
            generation_match=generation,
            metageneration_match=metageneration,
            generation=self.integer("generation"),
        )


@dataclass(frozen=True)
class FileSpan:
    """A part of an open file, which is closed when it has been sent."""

    file: BinaryIO
    start: int
    length: int


@dataclass(frozen=True)
class Response:
    """One answer; header names are sent as spelt here, and a ``span`` in place of the body."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    span: FileSpan | None = None

    def close(self) -> None:
        """Close the file of an answer that is not sent."""
        if self.span is not None:
            self.span.file.close()


def json_response(document: Mapping[str, Any], status: int = 200) -> Response:
    """Return an answer that holds a JSON document."""
    headers = {"Content-Type": "application/json; charset=UTF-8"}
    return Response(status, headers, json.dumps(document).encode())


def request_from(scope: Scope, receive: Receive) -> Request:
    """Unpack an ASGI scope.

    Raises:
        InvalidObjectRequestError: If the query is not UTF-8.
    """
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    try:
        parameters = parse_qsl(
            scope["query_string"].decode("latin-1"), keep_blank_values=True, errors="strict"
        )
    except UnicodeDecodeError as error:
        raise InvalidObjectRequestError(f"Invalid query: {error}") from error
    return Request(
        scope["method"],
        scope["raw_path"].decode("latin-1"),
        parameters,
        headers,
        f"{scope['scheme']}://{headers.get('host', '')}",
        receive,
    )


async def send_response(response: Response, send: Send) -> None:
    """Send an answer; a file's part goes block by block, read beside the event loop."""
    span = response.span
    with contextlib.ExitStack() as stack:
        if span is not None:
            stack.enter_context(span.file)
        await _send_opened(response, send)


async def _send_opened(response: Response, send: Send) -> None:
    span = response.span
    length = len(response.body) if span is None else span.length
    headers = {"Content-Length": str(length), **response.headers}
    await send(
        {
            "type": "http.response.start",
            "status": response.status,
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
    )
    if span is None:
        await send({"type": "http.response.body", "body": response.body})
        return
    span.file.seek(span.start)
    left = span.length
    while left > 0:
        block = await asyncio.to_thread(span.file.read, min(left, BLOCK_BYTES))
        if not block:
            raise EOFError(f"{span.file.name} ended {left} bytes before its recorded size")
        left -= len(block)
        await send({"type": "http.response.body", "body": block, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def parse_object(document: bytes) -> dict[str, Any]:
    """Read a JSON object; nothing at all is an empty one.

    Raises:
        InvalidObjectRequestError: If it is something else.
    """
    try:
        parsed = json.loads(document) if document.strip() else {}
    except ValueError as error:
        raise InvalidObjectRequestError(f"Parse Error: {error}") from error
    if not isinstance(parsed, dict):
        raise InvalidObjectRequestError("Invalid request: its body must be a JSON object")
    return parsed


def decoded(segment: str) -> str:
    """Decode one segment of a path.

    Raises:
        InvalidObjectRequestError: If it is not UTF-8.
    """
    try:
        return unquote(segment, errors="strict")
    except UnicodeDecodeError as error:
        raise InvalidObjectRequestError(f"Invalid name {segment!r}: {error}") from error


def _integer(name: str, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return int(text)
    except ValueError as error:
        raise InvalidObjectRequestError(f"Invalid value for {name}: {text!r}") from error
