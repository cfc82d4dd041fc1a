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
    ObjectStore,
)
from vertex_jobs.emulator.storage.wire.common_verbs import ATTRIBUTE_HEADERS, hash_header, xml_etag
from vertex_jobs.emulator.storage.wire.http_messages import Request, Response
from vertex_jobs.emulator.storage.wire.storage_call import Handler
from vertex_jobs.emulator.storage.wire.upload_bodies import header_checksums, receive
from vertex_jobs.timestamps import timestamp

_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
#: Headers of an upload that become attributes of the object.
_HEADER_ATTRIBUTES = {
    **{header.lower(): attribute for attribute, header in ATTRIBUTE_HEADERS.items()},
    "x-goog-custom-time": "customTime",
    "x-goog-storage-class": "storageClass",
}
_METADATA_PREFIX = "x-goog-meta-"


async def _start_or_complete(
    request: Request, store: ObjectStore, bucket: str, name: str
) -> Response:
    place = _place(bucket, name)
    if "uploads" in request.query:
        upload_id = await asyncio.to_thread(
            store.multipart.start, bucket, name, attributes=header_attributes(request.headers)
        )
        content = f"{place}<UploadId>{upload_id}</UploadId>"
        return document_response("InitiateMultipartUploadResult", content)
    stored = await asyncio.to_thread(
        store.multipart.complete, _upload_id(request), _chosen(await request.body())
    )
    content = f"{place}<ETag>{escape(xml_etag(stored))}</ETag>"
    return document_response("CompleteMultipartUploadResult", content)


async def _cancel(request: Request, store: ObjectStore, bucket: str, name: str) -> Response:
    await asyncio.to_thread(store.multipart.cancel, _upload_id(request))
    return Response(204)


async def _list_parts(request: Request, store: ObjectStore, bucket: str, name: str) -> Response:
    upload_id = _upload_id(request)
    parts = "".join(
        f"<Part><PartNumber>{part.number}</PartNumber><ETag>&quot;{part.etag}&quot;</ETag>"
        f"<Size>{part.size}</Size><LastModified>{timestamp(part.created)}</LastModified></Part>"
        for part in store.multipart.parts(upload_id)
    )
    content = (
        f"{_place(bucket, name)}<UploadId>{upload_id}</UploadId>"
        f"<IsTruncated>false</IsTruncated>{parts}"
    )
    return document_response("ListPartsResult", content)


def header_attributes(headers: Mapping[str, str]) -> dict[str, Any]:
    """Return the attributes of an object that an XML upload gives in its headers."""
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
    """Return an answer that holds one XML document of this API."""
    body = f"<?xml version='1.0' encoding='UTF-8'?><{root} xmlns='{_NAMESPACE}'>{content}</{root}>"
    return Response(200, {"Content-Type": "application/xml; charset=UTF-8"}, body.encode())


async def _put_part(request: Request, store: ObjectStore, bucket: str, name: str) -> Response:
    number = request.integer("partNumber")
    if number is None or not 1 <= number <= 10_000:
        raise InvalidObjectRequestError("Invalid partNumber: 1 to 10000 are allowed")
    with store.writer() as payload:
        await receive(request.chunks(), payload)
        part = await asyncio.to_thread(
            store.multipart.put_part,
            _upload_id(request),
            number,
            payload,
            expected=header_checksums(request.headers),
        )
    return Response(200, {"ETag": f'"{part.etag}"', "X-Goog-Hash": hash_header(part.checksums)})


def _upload_id(request: Request) -> str:
    return request.query.get("uploadId", "")


def _place(bucket: str, name: str) -> str:
    return f"<Bucket>{escape(bucket)}</Bucket><Key>{escape(name)}</Key>"


def _chosen(document: bytes) -> list[tuple[int, str]]:
    try:
        parts = ElementTree.fromstring(document).findall("{*}Part")
        return [
            (int(part.findtext("{*}PartNumber") or ""), (part.findtext("{*}ETag") or "").strip('"'))
            for part in parts
        ]
    except (ElementTree.ParseError, ValueError) as error:
        raise InvalidObjectRequestError(f"Invalid list of parts: {error}") from error


#: By verb: the JSON API's method, an insert for the whole of an upload, and what answers here.
ON_UPLOADS: Mapping[str, tuple[str, Handler]] = {
    "POST": ("storage.objects.insert", _start_or_complete),
    "PUT": ("storage.objects.insert", _put_part),
    "DELETE": ("storage.objects.insert", _cancel),
    "GET": ("storage.objects.insert", _list_parts),
}
