"""Uploads of the JSON API: media, multipart, and resumable in one chunk or many.

Source: Cloud Storage documentation, Uploads and downloads, and Resumable uploads.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from weakref import WeakValueDictionary

from vertex_jobs.emulator.storage.objects import (
    Checksums,
    InvalidObjectRequestError,
    ObjectStore,
    PayloadWriter,
)
from vertex_jobs.emulator.storage.objects.payloads import BLOCK_BYTES
from vertex_jobs.emulator.storage.objects.resumable import CHUNK_BYTES, Upload
from vertex_jobs.emulator.storage.wire.http_messages import Request, Response, json_response
from vertex_jobs.emulator.storage.wire.json_resources import object_json
from vertex_jobs.emulator.storage.wire.multipart_bodies import read_related
from vertex_jobs.emulator.storage.wire.upload_bodies import BlockWriter, header_checksums, receive

_CONTENT_RANGE = re.compile(r"\s*bytes\s+(?:(\d+)-\d+|\*)\s*/\s*(\d+|\*)\s*")
#: A client that lost its connection may come back while the old request is still being read.
_session_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


@dataclass(frozen=True)
class _ContentRange:
    """The place of a chunk in its upload.

    Attributes:
        first: Offset of its first byte; None when the request brings none and asks or ends.
        total: Size of the object; None while the client does not know it.
        is_whole: Whether the body, which had no range, runs to the end.
    """

    first: int | None
    total: int | None
    is_whole: bool


async def start_upload(request: Request, store: ObjectStore, bucket: str) -> Response:
    """Answer ``POST /upload/storage/v1/b/B/o``, of any upload type."""
    if "upload_id" in request.query:  # gcsfs ends with POST
        return await continue_upload(request, store, bucket)
    kind = request.query.get("uploadType", "media")
    if kind == "resumable":
        return await _start_session(request, store, bucket)
    if kind == "multipart":
        body = await read_related(request)
        resource, media, content_type = body.metadata, body.media, body.content_type
    elif kind == "media":
        resource, media = {}, request.chunks()
        content_type = request.headers.get("content-type", "")
    else:
        raise InvalidObjectRequestError(f"Invalid uploadType: {kind!r}")
    name, attributes = _described(request, resource, content_type)
    with store.writer() as payload:
        await receive(media, payload)
        stored = await asyncio.to_thread(
            store.put,
            bucket,
            name,
            payload,
            attributes=attributes,
            preconditions=request.preconditions(),
            expected=_resource_checksums(resource)
            if resource
            else header_checksums(request.headers),
        )
    return json_response(object_json(stored, request.base_url))


async def continue_upload(request: Request, store: ObjectStore, bucket: str) -> Response:
    """Answer ``PUT`` or ``POST`` on a session: bytes, the question how many arrived, or the end."""
    upload_id = request.query.get("upload_id", "")
    async with _session_locks.setdefault(upload_id, asyncio.Lock()):
        upload = store.resumable.get(upload_id)
        if upload.result is not None:
            await request.drain()
            return json_response(object_json(upload.result, request.base_url))
        return await _receive_chunk(request, store, upload)


async def cancel_upload(request: Request, store: ObjectStore, bucket: str) -> Response:
    """Answer ``DELETE`` on a session with 499, as the service does, as if the client had gone."""
    upload_id = request.query.get("upload_id", "")
    async with _session_locks.setdefault(upload_id, asyncio.Lock()):
        store.resumable.get(upload_id)
        store.resumable.cancel(upload_id)
    return Response(499)


async def _start_session(request: Request, store: ObjectStore, bucket: str) -> Response:
    resource = await request.json()
    content_type = request.headers.get("x-upload-content-type", "")
    name, attributes = _described(request, resource, content_type)
    upload = await asyncio.to_thread(
        store.resumable.start,
        bucket,
        name,
        attributes=attributes,
        preconditions=request.preconditions(),
        expected=_resource_checksums(resource),
    )
    location = (
        f"{request.base_url}{request.path}?uploadType=resumable&name={quote(name, safe='')}"
        f"&upload_id={upload.upload_id}"
    )
    return Response(200, {"Location": location, "X-GUploader-UploadID": upload.upload_id})


async def _receive_chunk(request: Request, store: ObjectStore, upload: Upload) -> Response:
    """Take the request's bytes, and publish the object once they are complete."""
    span = _content_range(request.headers.get("content-range"))
    payload = await asyncio.to_thread(store.resumable.resume, upload)
    try:
        if span.first is not None:
            await _append(request, payload, span)
    except BaseException:
        store.resumable.keep(upload, payload)
        raise
    if not span.is_whole and payload.size != span.total:
        store.resumable.keep(upload, payload)
        headers = {"X-GUploader-UploadID": upload.upload_id}
        if payload.size:
            headers["Range"] = f"bytes=0-{payload.size - 1}"
        return Response(308, headers)
    given = header_checksums(request.headers)
    expected = Checksums(given.crc32c or upload.expected.crc32c, given.md5 or upload.expected.md5)
    stored = await asyncio.to_thread(store.resumable.complete, upload, payload, expected)
    return json_response(object_json(stored, request.base_url))


async def _append(request: Request, payload: PayloadWriter, span: _ContentRange) -> None:
    """Write the new bytes of a chunk: all of the last one, whole 256 KiB of any other.

    Raises:
        InvalidObjectRequestError: If bytes before the chunk are missing.
    """
    known = payload.size - (span.first or 0)
    if known < 0:
        raise InvalidObjectRequestError(
            "Invalid request.  According to the Content-Range header, the upload offset is "
            f"{span.first} byte(s), which exceeds already uploaded size of {payload.size} byte(s)."
        )
    pending, writer = bytearray(), BlockWriter(payload)
    try:
        async for chunk in request.chunks():
            pending += chunk[known:]
            known = max(0, known - len(chunk))
            if len(pending) >= BLOCK_BYTES:
                await writer.write(_take_whole_chunks(pending))
        await writer.settle()
        if span.is_whole or payload.size + len(pending) == span.total:
            payload.write(bytes(pending))
            pending.clear()
    finally:  # also when the client has left: it will ask how far it got
        await writer.settle()
        payload.write(_take_whole_chunks(pending))


def _take_whole_chunks(pending: bytearray) -> bytes:
    size = len(pending) // CHUNK_BYTES * CHUNK_BYTES
    with memoryview(pending) as view:
        taken = bytes(view[:size])
    del pending[:size]
    return taken


def _content_range(header: str | None) -> _ContentRange:
    if header is None:
        return _ContentRange(first=0, total=None, is_whole=True)
    match = _CONTENT_RANGE.fullmatch(header)
    if match is None:
        raise InvalidObjectRequestError(f"Invalid Content-Range: {header!r}")
    first, total = match.groups()
    return _ContentRange(
        None if first is None else int(first), None if total == "*" else int(total), is_whole=False
    )


def _described(
    request: Request, resource: Mapping[str, Any], content_type: str
) -> tuple[str, dict[str, Any]]:
    name = request.query.get("name") or resource.get("name")
    if not isinstance(name, str) or not name:
        raise InvalidObjectRequestError("Required parameter: name")
    attributes = dict(resource)
    if content_type:
        attributes.setdefault("contentType", content_type)
    for parameter in ("contentEncoding", "kmsKeyName"):
        if value := request.query.get(parameter):
            attributes.setdefault(parameter, value)
    return name, attributes


def _resource_checksums(resource: Mapping[str, Any]) -> Checksums:
    return Checksums(resource.get("crc32c"), resource.get("md5Hash"))
