"""Multipart uploads of the XML API, as google-cloud-storage's transfer manager makes them.

Source: Cloud Storage documentation, XML API multipart uploads.
"""

import asyncio
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from vertex_jobs.emulator.storage.objects import (
    InvalidObjectRequestError,
    NotEmulatedError,
    ObjectStore,
)
from vertex_jobs.emulator.storage.wire.media import hash_header, xml_etag
from vertex_jobs.emulator.storage.wire.representations import timestamp
from vertex_jobs.emulator.storage.wire.uploads import header_checksums, receive
from vertex_jobs.emulator.storage.wire.wire import Request, Response

__all__ = ["answer", "document_response", "header_attributes"]

_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
#: Headers of an upload that become attributes of the object.
_HEADER_ATTRIBUTES = {
    "cache-control": "cacheControl",
    "content-disposition": "contentDisposition",
    "content-encoding": "contentEncoding",
    "content-language": "contentLanguage",
    "content-type": "contentType",
    "x-goog-custom-time": "customTime",
    "x-goog-storage-class": "storageClass",
}
_METADATA_PREFIX = "x-goog-meta-"


async def answer(request: Request, store: ObjectStore, bucket: str, name: str) -> Response:
    """Start, feed, list, complete or abort an upload.

    Raises:
        ObjectStoreError: If there is no such method, or it refuses.
    """
    place = f"<Bucket>{escape(bucket)}</Bucket><Key>{escape(name)}</Key>"
    if request.method == "POST" and "uploads" in request.query:
        upload_id = await asyncio.to_thread(
            store.multipart.start, bucket, name, attributes=header_attributes(request.headers)
        )
        content = f"{place}<UploadId>{upload_id}</UploadId>"
        return document_response("InitiateMultipartUploadResult", content)
    upload_id = request.query.get("uploadId", "")
    if request.method == "PUT":
        return await _put_part(request, store, upload_id)
    if request.method == "POST":
        stored = await asyncio.to_thread(
            store.multipart.complete, upload_id, _chosen(await request.body())
        )
        content = f"{place}<ETag>{escape(xml_etag(stored))}</ETag>"
        return document_response("CompleteMultipartUploadResult", content)
    if request.method == "DELETE":
        await asyncio.to_thread(store.multipart.cancel, upload_id)
        return Response(204)
    if request.method == "GET":
        parts = "".join(
            f"<Part><PartNumber>{part.number}</PartNumber><ETag>&quot;{part.etag}&quot;</ETag>"
            f"<Size>{part.size}</Size><LastModified>{timestamp(part.created)}</LastModified></Part>"
            for part in store.multipart.parts(upload_id)
        )
        content = f"{place}<UploadId>{upload_id}</UploadId><IsTruncated>false</IsTruncated>{parts}"
        return document_response("ListPartsResult", content)
    raise NotEmulatedError(f"the XML API's {request.method} on an upload")


def header_attributes(headers: Mapping[str, str]) -> dict[str, Any]:
    """The attributes of an object that an XML upload gives in its headers."""
    attributes: dict[str, Any] = {
        attribute: headers[header]
        for header, attribute in _HEADER_ATTRIBUTES.items()
        if header in headers
    }
    metadata = {
        header[len(_METADATA_PREFIX) :]: value
        for header, value in headers.items()
        if header.startswith(_METADATA_PREFIX)
    }
    return {**attributes, "metadata": metadata} if metadata else attributes


def document_response(root: str, content: str) -> Response:
    """An answer that holds one XML document of this API."""
    body = f"<?xml version='1.0' encoding='UTF-8'?><{root} xmlns='{_NAMESPACE}'>{content}</{root}>"
    return Response(200, {"Content-Type": "application/xml; charset=UTF-8"}, body.encode())


async def _put_part(request: Request, store: ObjectStore, upload_id: str) -> Response:
    number = request.integer("partNumber")
    if number is None or not 1 <= number <= 10_000:
        raise InvalidObjectRequestError("Invalid partNumber: 1 to 10000 are allowed")
    with store.writer() as payload:
        await receive(request.chunks(), payload)
        part = await asyncio.to_thread(
            store.multipart.put_part,
            upload_id,
            number,
            payload,
            expected=header_checksums(request.headers),
        )
    return Response(200, {"ETag": f'"{part.etag}"', "X-Goog-Hash": hash_header(part.checksums)})


def _chosen(document: bytes) -> list[tuple[int, str]]:
    try:
        parts = ElementTree.fromstring(document).findall("{*}Part")
        return [
            (int(part.findtext("{*}PartNumber") or ""), (part.findtext("{*}ETag") or "").strip('"'))
            for part in parts
        ]
    except (ElementTree.ParseError, ValueError) as error:
        raise InvalidObjectRequestError(f"Invalid list of parts: {error}") from error
