"""The JSON API: the method that a request means, by verb and path.

Source: Cloud Storage JSON API v1 reference.
"""

import re

from vertex_jobs.emulator.storage.objects import ObjectStore, ObjectStoreError
from vertex_jobs.emulator.storage.wire import json_buckets, json_objects, json_uploads
from vertex_jobs.emulator.storage.wire.batch import answer_batch
from vertex_jobs.emulator.storage.wire.error_answers import UnknownPathError, json_failure
from vertex_jobs.emulator.storage.wire.http_messages import Request, Response, decoded
from vertex_jobs.emulator.storage.wire.storage_call import Handler, StorageCall

_JSON_PATH = re.compile(
    r"/(?:(?:resumable/)?(?:upload/)?|download/)storage/v1(?:/|\Z)|/batch(?:/storage/v1)?/?\Z"
)


async def _answer_batch(request: Request, store: ObjectStore) -> Response:
    async def answer_part(part: Request) -> Response:
        try:
            return await find_call(part).answer(part, store)
        except ObjectStoreError as error:
            return json_failure(error)

    return await answer_batch(request, answer_part)


_B = r"/storage/v1/b/(?P<bucket>[^/]+)"
_PERMISSIONS = _B + "/iam/testPermissions"
_O = _B + r"/o/(?P<name>[^/]+)"
_TO = r"/b/(?P<destination_bucket>[^/]+)/o/(?P<destination>[^/]+)"
_UPLOAD = r"(?:/resumable)?/upload" + _B + "/o"
_ROUTES: tuple[tuple[str, str, str, Handler], ...] = (
    ("GET", r"/storage/v1/b", "buckets.list", json_buckets.list_buckets),
    ("POST", r"/storage/v1/b", "buckets.insert", json_buckets.create_bucket),
    ("GET", _B, "buckets.get", json_buckets.get_bucket),
    ("PATCH", _B, "buckets.patch", json_buckets.patch_bucket),
    ("PUT", _B, "buckets.update", json_buckets.update_bucket),
    ("DELETE", _B, "buckets.delete", json_buckets.delete_bucket),
    ("GET", _B + "/storageLayout", "buckets.getStorageLayout", json_buckets.get_layout),
    ("GET", _B + "/iam", "buckets.getIamPolicy", json_buckets.get_policy),
    ("PUT", _B + "/iam", "buckets.setIamPolicy", json_buckets.set_policy),
    ("GET", _PERMISSIONS, "buckets.testIamPermissions", json_buckets.test_permissions),
    ("GET", _B + "/o", "objects.list", json_objects.list_objects),
    ("GET", _O, "objects.get", json_objects.get_object),
    ("PATCH", _O, "objects.patch", json_objects.patch_object),
    ("PUT", _O, "objects.update", json_objects.update_object),
    ("DELETE", _O, "objects.delete", json_objects.delete_object),
    ("POST", _O + "/compose", "objects.compose", json_objects.compose_object),
    ("POST", _O + "/copyTo" + _TO, "objects.copy", json_objects.copy_object),
    ("POST", _O + "/rewriteTo" + _TO, "objects.rewrite", json_objects.rewrite_object),
    ("POST", _O + r"/moveTo/o/(?P<destination>[^/]+)", "objects.move", json_objects.move_object),
    ("GET", "/download" + _O, "objects.get", json_objects.download_object),
    ("POST", _UPLOAD, "objects.insert", json_uploads.start_upload),
    ("PUT", _UPLOAD, "objects.insert", json_uploads.continue_upload),
    ("DELETE", _UPLOAD, "objects.insert", json_uploads.cancel_upload),
    ("POST", r"/batch(?:/storage/v1)?/?", "batch", _answer_batch),
)
_COMPILED = [
    (method, re.compile(path), f"storage.{call}", handler)
    for method, path, call, handler in _ROUTES
]

#: Every call that a fault may name; those of the XML API are among them.
STORAGE_CALLS = tuple(dict.fromkeys(call for _, _, call, _ in _COMPILED))


def is_json_path(path: str) -> bool:
    """Return whether a path belongs to the JSON API; any other belongs to the XML API."""
    return _JSON_PATH.match(path) is not None


def find_call(request: Request) -> StorageCall:
    """Return the method that a request means.

    Raises:
        UnknownPathError: If the API has none.
        InvalidObjectRequestError: If a name in the path is not UTF-8.
    """
    for method, path, call, handler in _COMPILED:
        if method == request.method and (match := path.fullmatch(request.path)):
            names = {key: decoded(value) for key, value in match.groupdict().items()}
            return StorageCall(call, handler, names)
    raise UnknownPathError(f"No method of the JSON API: {request.method} {request.path}")
