"""The ASGI application: finds the method of the JSON or XML API that a request means, and calls it.

It serves plain paths on any host, so a front may send it what belongs to no other API.
"""

import logging
import re
from collections.abc import Awaitable, Callable

from vertex_jobs.emulator.asgi import AsgiApplication, Receive, Scope, Send
from vertex_jobs.emulator.storage.objects import NotEmulatedError, ObjectStore, ObjectStoreError
from vertex_jobs.emulator.storage.wire import batch, buckets, objects, uploads, xml
from vertex_jobs.emulator.storage.wire.failures import UnknownPathError, json_failure, xml_failure
from vertex_jobs.emulator.storage.wire.wire import (
    ClientLeftError,
    Request,
    Response,
    decoded,
    request_from,
    send_response,
)

__all__ = ["storage_app"]

_log = logging.getLogger(__name__)

_JSON_PATH = re.compile(
    r"/(?:(?:resumable/)?(?:upload/)?|download/)storage/v1(?:/|\Z)|/batch(?:/storage/v1)?/?\Z"
)

Handler = Callable[..., Awaitable[Response]]
_B = r"/storage/v1/b/(?P<bucket>[^/]+)"
_O = _B + r"/o/(?P<name>[^/]+)"
_TO = r"/b/(?P<destination_bucket>[^/]+)/o/(?P<destination>[^/]+)"
_UPLOAD = r"(?:/resumable)?/upload" + _B + "/o"
_ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", r"/storage/v1/b", buckets.list_buckets),
    ("POST", r"/storage/v1/b", buckets.create_bucket),
    ("GET", _B, buckets.get_bucket),
    ("PATCH", _B, buckets.patch_bucket),
    ("PUT", _B, buckets.update_bucket),
    ("DELETE", _B, buckets.delete_bucket),
    ("GET", _B + "/storageLayout", buckets.get_layout),
    ("GET", _B + "/iam", buckets.get_policy),
    ("PUT", _B + "/iam", buckets.set_policy),
    ("GET", _B + "/iam/testPermissions", buckets.test_permissions),
    ("GET", _B + "/o", objects.list_objects),
    ("GET", _O, objects.get_object),
    ("PATCH", _O, objects.patch_object),
    ("PUT", _O, objects.update_object),
    ("DELETE", _O, objects.delete_object),
    ("POST", _O + "/compose", objects.compose_object),
    ("POST", _O + "/copyTo" + _TO, objects.copy_object),
    ("POST", _O + "/rewriteTo" + _TO, objects.rewrite_object),
    ("POST", _O + r"/moveTo/o/(?P<destination>[^/]+)", objects.move_object),
    ("GET", "/download" + _O, objects.download_object),
    ("POST", _UPLOAD, uploads.start_upload),
    ("PUT", _UPLOAD, uploads.continue_upload),
    ("DELETE", _UPLOAD, uploads.cancel_upload),
)
_COMPILED = [(method, re.compile(path), handler) for method, path, handler in _ROUTES]


def storage_app(store: ObjectStore) -> AsgiApplication:
    """The application over one store, which the caller keeps open."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"The storage service answers HTTP, not {scope['type']}")
        try:
            await send_response(await _answer(scope, receive, store), send)
        except ClientLeftError:
            _log.info("%s %s: the client left", scope["method"], scope["path"])

    return application


def _is_json(raw_path: bytes) -> bool:
    return _JSON_PATH.match(raw_path.decode("latin-1")) is not None


async def _answer(scope: Scope, receive: Receive, store: ObjectStore) -> Response:
    is_json = _is_json(scope["raw_path"])
    failure = json_failure if is_json else xml_failure
    try:
        request = request_from(scope, receive)
    except ObjectStoreError as error:
        return failure(error)
    try:
        if "x-goog-encryption-algorithm" in request.headers:
            raise NotEmulatedError("customer-supplied encryption keys")
        if is_json:
            return await _call_json(request, store)
        return await xml.answer(request, store)
    except ObjectStoreError as error:
        await request.drain()
        return failure(error)


async def _call_json(request: Request, store: ObjectStore) -> Response:
    if request.path.startswith("/batch"):
        return await batch.answer_batch(request, lambda inner: _call_inner(inner, store))
    for method, path, handler in _COMPILED:
        if method == request.method and (match := path.fullmatch(request.path)):
            names = {key: decoded(value) for key, value in match.groupdict().items()}
            return await handler(request, store, **names)
    raise UnknownPathError(f"No method of the JSON API: {request.method} {request.path}")


async def _call_inner(request: Request, store: ObjectStore) -> Response:
    try:
        return await _call_json(request, store)
    except ObjectStoreError as error:
        return json_failure(error)
