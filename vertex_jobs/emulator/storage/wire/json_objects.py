"""The JSON API's methods on objects, media apart: list, get, change, delete, compose and copy."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from vertex_jobs.emulator.storage.objects import (
    ComposeSource,
    InvalidObjectRequestError,
    ListQuery,
    NotEmulatedError,
    ObjectStore,
    Preconditions,
    StoredObject,
)
from vertex_jobs.emulator.storage.objects.object_table import checked_attributes
from vertex_jobs.emulator.storage.wire.common_verbs import check_etags, download, find_live
from vertex_jobs.emulator.storage.wire.http_messages import Request, Response, json_response
from vertex_jobs.emulator.storage.wire.json_resources import merged, object_json


async def list_objects(request: Request, store: ObjectStore, bucket: str) -> Response:
    """Answer ``GET /storage/v1/b/B/o``."""
    for unknown in ("matchGlob", "softDeleted"):
        if request.query.get(unknown, "false").lower() != "false":
            raise NotEmulatedError(f"objects.list with {unknown}")
    query = ListQuery(
        prefix=request.query.get("prefix", ""),
        delimiter=request.query.get("delimiter", ""),
        start_offset=request.query.get("startOffset", ""),
        end_offset=request.query.get("endOffset", ""),
        max_results=request.integer("maxResults"),
        include_trailing_delimiter=request.query.get("includeTrailingDelimiter", "").lower()
        == "true",
        page_token=request.query.get("pageToken", ""),
    )
    page = store.list_objects(bucket, query)
    document: dict[str, Any] = {"kind": "storage#objects"}
    if page.objects:
        document["items"] = [object_json(stored, request.base_url) for stored in page.objects]
    if page.prefixes:
        document["prefixes"] = list(page.prefixes)
    if page.next_page_token:
        document["nextPageToken"] = page.next_page_token
    return json_response(document)


async def get_object(request: Request, store: ObjectStore, bucket: str, name: str) -> Response:
    """Answer ``GET /storage/v1/b/B/o/O``: the resource, or with ``alt=media`` the bytes."""
    if request.query.get("alt") == "media":
        return await download_object(request, store, bucket, name)
    stored = find_live(store, bucket, name, request.preconditions())
    resource = object_json(stored, request.base_url)
    check_etags(request, resource["etag"])
    return json_response(resource)


async def download_object(request: Request, store: ObjectStore, bucket: str, name: str) -> Response:
    """Answer ``GET /download/storage/v1/b/B/o/O``."""
    return download(request, store, bucket, name, request.preconditions())


async def patch_object(request: Request, store: ObjectStore, bucket: str, name: str) -> Response:
    """Answer ``PATCH /storage/v1/b/B/o/O``: a merge, in which null removes."""
    patch = await request.json()
    return await _edit(request, store, bucket, name, lambda old: merged(old, patch))


async def update_object(request: Request, store: ObjectStore, bucket: str, name: str) -> Response:
    """Answer ``PUT /storage/v1/b/B/o/O``: what is not sent is removed."""
    resource = await request.json()
    return await _edit(request, store, bucket, name, lambda _: resource)


async def delete_object(request: Request, store: ObjectStore, bucket: str, name: str) -> Response:
    """Answer ``DELETE /storage/v1/b/B/o/O``."""
    await asyncio.to_thread(store.delete, bucket, name, request.preconditions())
    return Response(204)


async def compose_object(request: Request, store: ObjectStore, bucket: str, name: str) -> Response:
    """Answer ``POST /storage/v1/b/B/o/O/compose``."""
    document = await request.json()
    if document.get("deleteSourceObjects"):
        raise NotEmulatedError("objects.compose with deleteSourceObjects")
    try:
        sources = [_compose_source(source) for source in document["sourceObjects"]]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InvalidObjectRequestError(f"Invalid sourceObjects: {error!r}") from error
    stored = await asyncio.to_thread(
        store.compose,
        bucket,
        name,
        sources,
        attributes=document.get("destination", {}),
        preconditions=request.preconditions(),
    )
    return json_response(object_json(stored, request.base_url))


async def copy_object(request: Request, store: ObjectStore, **names: str) -> Response:
    """Answer ``POST /storage/v1/b/B/o/O/copyTo/b/B2/o/O2``."""
    stored = await _copy(request, store, names)
    return json_response(object_json(stored, request.base_url))


async def rewrite_object(request: Request, store: ObjectStore, **names: str) -> Response:
    """Answer ``POST /storage/v1/b/B/o/O/rewriteTo/b/B2/o/O2``: always done in one call."""
    stored = await _copy(request, store, names)
    document = {
        "kind": "storage#rewriteResponse",
        "totalBytesRewritten": str(stored.size),
        "objectSize": str(stored.size),
        "done": True,
        "resource": object_json(stored, request.base_url),
    }
    return json_response(document)


async def move_object(request: Request, store: ObjectStore, **names: str) -> Response:
    """Answer ``POST /storage/v1/b/B/o/O/moveTo/o/O2``, in one transaction."""
    stored = await _copy(request, store, names, move=True)
    return json_response(object_json(stored, request.base_url))


async def _copy(
    request: Request, store: ObjectStore, names: Mapping[str, str], *, move: bool = False
) -> StoredObject:
    attributes = checked_attributes(await request.json())
    return await asyncio.to_thread(
        store.copy,
        store.get(names["bucket"], names["name"], request.preconditions("Source")),
        names.get("destination_bucket", names["bucket"]),
        names["destination"],
        attributes=attributes or None,
        preconditions=request.preconditions(),
        move=move,
    )


async def _edit(
    request: Request,
    store: ObjectStore,
    bucket: str,
    name: str,
    edit: Callable[[Mapping[str, Any]], Mapping[str, Any]],
) -> Response:
    stored = await asyncio.to_thread(
        store.update,
        bucket,
        name,
        edit,
        request.preconditions(),
    )
    return json_response(object_json(stored, request.base_url))


def _compose_source(source: Mapping[str, Any]) -> ComposeSource:
    generation = source.get("generation")
    match = source.get("objectPreconditions", {}).get("ifGenerationMatch")
    return ComposeSource(
        str(source["name"]),
        Preconditions(
            generation_match=None if match is None else int(match),
            generation=None if generation is None else int(generation),
        ),
    )
