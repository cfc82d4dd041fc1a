"""Bodies of ``uploadType=multipart``: a JSON part, then the media, which is passed on as a stream.

Clients end lines with CRLF or with LF alone (gcsfs does); the first line decides. Source: RFC 2387.
"""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from email.message import Message
from typing import Any

from vertex_jobs.emulator.storage.objects import InvalidObjectRequestError
from vertex_jobs.emulator.storage.wire.http_messages import Request, parse_object

#: The JSON part and all headers must end within this many bytes.
_LARGEST_HEAD = 1 << 20
#: White space and such may follow the closing boundary.
_EPILOGUE_BYTES = 64
_HEADERS = rb"(?:[^\r\n]+(?P=newline))*)(?P=newline)"


@dataclass(frozen=True)
class RelatedBody:
    """The JSON part of one body, and its media, to be read to the end.

    ``content_type`` is that of the media; empty when it has none.
    """

    metadata: dict[str, Any]
    content_type: str
    media: AsyncIterator[bytes]


def boundary_of(content_type: str) -> bytes:
    """Return the boundary of a multipart content type.

    gsutil puts it between single quotes, which do not belong to it. Source: apitools/base/py/
    transfer.py in google/apitools.

    Raises:
        InvalidObjectRequestError: If it has none.
    """
    message = Message()
    message["Content-Type"] = content_type
    boundary = message.get_boundary()
    if not boundary:
        raise InvalidObjectRequestError(f"Invalid multipart request: {content_type!r}, no boundary")
    return re.sub(r"^'(.+)'$", r"\1", boundary).encode()


async def read_related(request: Request) -> RelatedBody:
    """Read the JSON part and open the media.

    Raises:
        InvalidObjectRequestError: If the body does not have the two parts.
    """
    boundary = boundary_of(request.headers.get("content-type", ""))
    quoted = re.escape(boundary)
    pattern = re.compile(
        rb"\s*--"
        + quoted
        + rb"[ \t]*(?P<newline>\r?\n)(?P<first>"
        + _HEADERS
        + rb"(?P<metadata>.*?)(?P=newline)--"
        + quoted
        + rb"[ \t]*(?P=newline)(?P<second>"
        + _HEADERS,
        re.DOTALL,
    )
    chunks = request.chunks()
    head = bytearray()
    async for chunk in chunks:
        head += chunk
        if match := pattern.match(head):
            break
        if len(head) > _LARGEST_HEAD:
            raise InvalidObjectRequestError("Invalid multipart request: a too long JSON part")
    else:
        raise InvalidObjectRequestError("Invalid multipart request: not a JSON and a media part")
    closing = match["newline"] + b"--" + boundary
    return RelatedBody(
        parse_object(match["metadata"]),
        _content_type(match["second"]),
        _media(bytes(head[match.end() :]), chunks, closing),
    )


async def _media(
    first: bytes, chunks: AsyncIterator[bytes], closing: bytes
) -> AsyncIterator[bytes]:
    """Yield all up to the closing boundary, which is looked for at the very end only."""
    held = len(closing) + _EPILOGUE_BYTES
    pending = bytearray(first)
    async for chunk in chunks:
        pending += chunk
        if len(pending) > held:
            yield bytes(pending[:-held])
            del pending[:-held]
    end = pending.rfind(closing)
    if end < 0:
        raise InvalidObjectRequestError("Invalid multipart request: no closing boundary")
    yield bytes(pending[:end])


def _content_type(headers: bytes) -> str:
    for line in headers.decode("latin-1").splitlines():
        name, _, value = line.partition(":")
        if name.strip().lower() == "content-type":
            return value.strip()
    return ""
