"""The XML API: objects and buckets by path, as TensorFlow reads them.

Both path style (``/bucket/object``) and host style (``bucket.storage.googleapis.com/object``).
Source: Cloud Storage XML API reference.
"""

import asyncio
from collections.abc import Mapping
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import escape

from vertex_jobs.emulator.storage.objects import (
    ListQuery,
    NotEmulatedError,
    ObjectStore,
    StoredObject,
)
from vertex_jobs.emulator.storage.objects.object_listing import start_after
from vertex_jobs.emulator.storage.wire import xml_uploads
from vertex_jobs.emulator.storage.wire.common_verbs import (
    check_etags,
    download,
    find_live,
    object_headers,
    xml_etag,
)
from vertex_jobs.emulator.storage.wire.error_answers import UnknownPathError
from vertex_jobs.emulator.storage.wire.http_messages import Request, Response, decoded
from vertex_jobs.emulator.storage.wire.storage_call import Handler, StorageCall
from vertex_jobs.emulator.storage.wire.upload_bodies import header_checksums, receive
from vertex_jobs.timestamps import timestamp

_HOST_SUFFIX = ".storage.googleapis.com"
#: Subresources that are neither kept nor made up.
_NOT_EMULATED = frozenset(
    {
        *("acl", "billing", "compose", "cors", "encryption", "lifecycle", "location", "logging"),
        *("policy", "requestPayment", "storageClass", "tagging", "versioning", "versions"),
        "website",
    }
)


def find_call(request: Request) -> StorageCall:
    """Return the call that the path, the query and the verb mean.

    Raises:
        ObjectStoreError: If there is no such call, or it is not emulated.
    """
    bucket, name = _target(request)
    if subresource := _NOT_EMULATED.intersection(request.query):
        raise NotEmulatedError(f"the XML API's ?{min(subresource)}")
    if not bucket:
        raise UnknownPathError(f"No method of the XML API: {request.method} {request.path}")
    if not name and "uploads" in request.query:
        raise NotEmulatedError("the list of unfinished uploads of the XML API")
    if not name:
        place, calls = "a bucket", _ON_BUCKETS
    elif "uploads" in request.query or "uploadId" in request.query:
        place, calls = "an upload", xml_uploads.ON_UPLOADS
    else:
        place, calls = "an object", _ON_OBJECTS
    if request.method not in calls:
        raise NotEmulatedError(f"the XML API's {request.method} on {place}")
    method, handler = calls[request.method]
    return StorageCall(method, handler, {"bucket": bucket} | ({"name": name} if name else {}))


def _target(request: Request) -> tuple[str, str]:
    host = urlsplit(request.base_url).hostname or ""
    if host.endswith(_HOST_SUFFIX):
        return host[: -len(_HOST_SUFFIX)], decoded(request.path[1:])
    bucket, _, name = request.path[1:].partition("/")
    return decoded(bucket), decoded(name)


async def _get(request: Request, store: ObjectStore, bucket: str, name: str) -> Response:
    return download(request, store, bucket, name, request.header_preconditions())


async def _head(request: Request, store: ObjectStore, bucket: str, name: str) -> Response:
    stored = find_live(store, bucket, name, request.header_preconditions())
    check_etags(request, xml_etag(stored))
    return Response(200, {"Content-Length": str(stored.size), **object_headers(stored)})


async def _delete(request: Request, store: ObjectStore, bucket: str, name: str) -> Response:
    await asyncio.to_thread(store.delete, bucket, name, request.header_preconditions())
    return Response(204)


async def _put(request: Request, store: ObjectStore, bucket: str, name: str) -> Response:
    if source := request.headers.get("x-goog-copy-source"):
        source_bucket, _, source_name = decoded(source.lstrip("/")).partition("/")
        found = store.get(source_bucket, source_name)
        stored = await asyncio.to_thread(
            store.copy, found, bucket, name, preconditions=request.header_preconditions()
        )
        return xml_uploads.document_response(
            "CopyObjectResult",
            f"<LastModified>{timestamp(stored.updated)}</LastModified>"
            f"<ETag>{escape(xml_etag(stored))}</ETag>",
        )
    with store.writer() as payload:
        await receive(request.chunks(), payload)
        stored = await asyncio.to_thread(
            store.put,
            bucket,
            name,
            payload,
            attributes=xml_uploads.header_attributes(request.headers),
            preconditions=request.header_preconditions(),
            expected=header_checksums(request.headers),
        )
    headers = object_headers(stored)
    kept = ("ETag", "X-Goog-Hash", "X-Goog-Generation", "X-Goog-Metageneration")
    return Response(200, {name: headers[name] for name in kept})


async def _create_bucket(request: Request, store: ObjectStore, bucket: str) -> Response:
    store.buckets.create(bucket)
    return Response(200)


async def _delete_bucket(request: Request, store: ObjectStore, bucket: str) -> Response:
    store.buckets.delete(bucket)
    return Response(204)


async def _head_bucket(request: Request, store: ObjectStore, bucket: str) -> Response:
    store.buckets.get(bucket)
    return Response(200)


async def _list(request: Request, store: ObjectStore, bucket: str) -> Response:
    """Answer ``GET /bucket``; ``list-type=2`` asks for version 2 of its paging."""
    is_second = request.query.get("list-type") == "2"
    start = request.query.get("start-after" if is_second else "marker", "")
    delimiter = request.query.get("delimiter", "")
    query = ListQuery(
        prefix=request.query.get("prefix", ""),
        delimiter=delimiter,
        start_offset=start_after(start, delimiter) if start else "",
        max_results=request.integer("max-keys"),
        page_token=request.query.get("continuation-token", "") if is_second else "",
    )
    page = store.list_objects(bucket, query)
    encode = quote if request.query.get("encoding-type") == "url" else str
    parts = [
        f"<Name>{escape(bucket)}</Name>",
        f"<Prefix>{escape(encode(query.prefix))}</Prefix>",
        f"<IsTruncated>{'true' if page.next_page_token else 'false'}</IsTruncated>",
    ]
    if page.next_page_token and is_second:
        parts.append(f"<NextContinuationToken>{page.next_page_token}</NextContinuationToken>")
    elif page.next_page_token:
        last = max([stored.name for stored in page.objects[-1:]] + list(page.prefixes[-1:]))
        parts.append(f"<NextMarker>{escape(encode(last))}</NextMarker>")
    parts += [_contents(stored, encode(stored.name)) for stored in page.objects]
    parts += [
        f"<CommonPrefixes><Prefix>{escape(encode(prefix))}</Prefix></CommonPrefixes>"
        for prefix in page.prefixes
    ]
    return xml_uploads.document_response("ListBucketResult", "".join(parts))


def _contents(stored: StoredObject, name: str) -> str:
    return (
        f"<Contents><Key>{escape(name)}</Key><Generation>{stored.generation}</Generation>"
        f"<MetaGeneration>{stored.metageneration}</MetaGeneration>"
        f"<LastModified>{timestamp(stored.updated)}</LastModified>"
        f"<ETag>{escape(xml_etag(stored))}</ETag><Size>{stored.size}</Size></Contents>"
    )


#: By verb: the JSON API's method that does the same, and what answers here.
_ON_BUCKETS: Mapping[str, tuple[str, Handler]] = {
    "GET": ("storage.objects.list", _list),
    "HEAD": ("storage.buckets.get", _head_bucket),
    "PUT": ("storage.buckets.insert", _create_bucket),
    "DELETE": ("storage.buckets.delete", _delete_bucket),
}
_ON_OBJECTS: Mapping[str, tuple[str, Handler]] = {
    "GET": ("storage.objects.get", _get),
    "HEAD": ("storage.objects.get", _head),
    "PUT": ("storage.objects.insert", _put),
    "DELETE": ("storage.objects.delete", _delete),
}
