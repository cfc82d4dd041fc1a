"""Batches of the JSON API: several calls in one multipart/mixed body.

Uploads and downloads cannot be batched. Source: Cloud Storage documentation, Batch requests.
"""

import re
import secrets
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from vertex_jobs.emulator.storage.objects import InvalidObjectRequestError
from vertex_jobs.emulator.storage.wire.error_answers import json_failure
from vertex_jobs.emulator.storage.wire.http_messages import Request, Response
from vertex_jobs.emulator.storage.wire.multipart_bodies import boundary_of

_BLANK_LINE = re.compile(rb"\r?\n\r?\n")


async def answer_batch(
    request: Request, call: Callable[[Request], Awaitable[Response]]
) -> Response:
    """Make the calls one after the other and pack the answers in the same order.

    Raises:
        InvalidObjectRequestError: If the body is no batch.
    """
    boundary = boundary_of(request.headers.get("content-type", ""))
    parts = re.split(rb"(?:\A|\r?\n)--" + re.escape(boundary), await request.body())
    if len(parts) < 3:
        raise InvalidObjectRequestError("Invalid batch: it holds no part")
    answers = [await _answer_part(part, request, call) for part in parts[1:-1]]
    separator = f"batch_{secrets.token_hex(16)}"
    body = b"".join(b"--%s\r\n%s\r\n" % (separator.encode(), answer) for answer in answers)
    # Not quoted: gcsfs takes the text behind the equals sign as it is.
    headers = {"Content-Type": f"multipart/mixed; boundary={separator}"}
    return Response(200, headers, body + b"--%s--\r\n" % separator.encode())


async def _answer_part(
    part: bytes, batch: Request, call: Callable[[Request], Awaitable[Response]]
) -> bytes:
    outer, _, message = _divide(part)
    content_id = _headers(outer).get("content-id", "")
    head, _, body = _divide(message.lstrip(b"\r\n"))
    line, _, rest = head.partition(b"\n")
    try:
        method, target, *_ = line.decode().split()
    except (ValueError, UnicodeDecodeError) as error:
        raise InvalidObjectRequestError(f"Invalid batch: no request line in {line!r}") from error
    response = await call(_inner_request(method, target, _headers(rest), body, batch))
    if response.span is not None or "Location" in response.headers:
        response.close()
        response = json_failure(InvalidObjectRequestError("Invalid batch: media cannot be batched"))
    return _packed(response, content_id)


def _inner_request(
    method: str, target: str, headers: dict[str, str], body: bytes, batch: Request
) -> Request:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body.rstrip(b"\r\n"), "more_body": False}

    url = urlsplit(target)  # google-cloud-storage sends whole URLs, gcsfs paths
    parameters = parse_qsl(url.query, keep_blank_values=True)
    return Request(method, url.path, parameters, headers, batch.base_url, receive)


def _packed(response: Response, content_id: str) -> bytes:
    reason = HTTPStatus(response.status).phrase
    lines = ["Content-Type: application/http"]
    if content_id:
        lines.append(f"Content-ID: <response-{content_id.strip('<>')}>")
    lines += ["", f"HTTP/1.1 {response.status} {reason}"]
    lines += [f"{name}: {value}" for name, value in response.headers.items()]
    lines += [f"Content-Length: {len(response.body)}", "", ""]
    return "\r\n".join(lines).encode() + response.body


def _divide(message: bytes) -> tuple[bytes, bytes, bytes]:
    message = message.lstrip(b"\r\n")
    match = _BLANK_LINE.search(message)
    if match is None:
        return message, b"", b""
    return message[: match.start()], match.group(), message[match.end() :]


def _headers(block: bytes) -> dict[str, str]:
    pairs = (line.partition(":") for line in block.decode("latin-1").splitlines())
    return {name.strip().lower(): value.strip() for name, separator, value in pairs if separator}
