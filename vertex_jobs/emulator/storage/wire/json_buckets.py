"""The JSON API's methods on buckets, and on their IAM policies.

Settings and policies are stored and given back. Those that would change what happens to objects
are refused, because nothing here acts on them.
"""

from collections.abc import Mapping
from typing import Any

from vertex_jobs.emulator.storage.objects import (
    InvalidObjectRequestError,
    NotEmulatedError,
    ObjectStore,
)
from vertex_jobs.emulator.storage.wire.http_messages import Request, Response, json_response
from vertex_jobs.emulator.storage.wire.json_resources import bucket_json, merged, policy_json

#: The User-Agent of TensorFlow's ``gs://`` file system.
_TENSORFLOW = "TSL"
#: Parts of the resource that the service, not the client, decides.
_OUTPUT_ONLY = frozenset(
    {
        *("etag", "id", "kind", "metageneration", "name", "projectNumber", "selfLink"),
        *("timeCreated", "updated", "locationType", "satisfiesPZS", "satisfiesPZI"),
    }
)


async def list_buckets(request: Request, store: ObjectStore) -> Response:
    """Answer ``GET /storage/v1/b``: one page, since a rehearsal has few buckets."""
    prefix = request.query.get("prefix", "")
    items = [
        bucket_json(bucket, request.base_url)
        for bucket in store.buckets.list()
        if bucket.name.startswith(prefix)
    ]
    return json_response({"kind": "storage#buckets", "items": items})


async def create_bucket(request: Request, store: ObjectStore) -> Response:
    """Answer ``POST /storage/v1/b?project=P``."""
    resource = await request.json()
    name = resource.get("name")
    if not isinstance(name, str):
        raise InvalidObjectRequestError("Required field: name")
    bucket = store.buckets.create(
        name, project=request.query.get("project", ""), settings=_settings(resource)
    )
    return json_response(bucket_json(bucket, request.base_url))


async def get_bucket(request: Request, store: ObjectStore, bucket: str) -> Response:
    """Answer ``GET /storage/v1/b/B``.

    TensorFlow asks this before it writes the first directory, and asks forever while the answer
    is 404; so its request makes the bucket.
    """
    from_tensorflow = request.headers.get("user-agent") == _TENSORFLOW
    find = store.buckets.require if from_tensorflow else store.buckets.get
    return json_response(bucket_json(find(bucket), request.base_url))


async def patch_bucket(request: Request, store: ObjectStore, bucket: str) -> Response:
    """Answer ``PATCH /storage/v1/b/B``."""
    patch = await request.json()
    settings = _settings(merged(store.buckets.get(bucket).settings, patch))
    return json_response(
        bucket_json(store.buckets.update(bucket, settings=settings), request.base_url)
    )


async def update_bucket(request: Request, store: ObjectStore, bucket: str) -> Response:
    """Answer ``PUT /storage/v1/b/B``."""
    settings = _settings(await request.json())
    return json_response(
        bucket_json(store.buckets.update(bucket, settings=settings), request.base_url)
    )


async def delete_bucket(request: Request, store: ObjectStore, bucket: str) -> Response:
    """Answer ``DELETE /storage/v1/b/B``."""
    store.buckets.delete(bucket)
    return Response(204)


async def get_layout(request: Request, store: ObjectStore, bucket: str) -> Response:
    """Answer ``GET /storage/v1/b/B/storageLayout``: always a flat namespace."""
    settings = bucket_json(store.buckets.get(bucket), request.base_url)
    layout = {key: settings[key] for key in ("location", "locationType")}
    return json_response({"kind": "storage#storageLayout", "bucket": bucket, **layout})


async def get_policy(request: Request, store: ObjectStore, bucket: str) -> Response:
    """Answer ``GET /storage/v1/b/B/iam``."""
    return json_response(policy_json(store.buckets.get(bucket)))


async def set_policy(request: Request, store: ObjectStore, bucket: str) -> Response:
    """Answer ``PUT /storage/v1/b/B/iam``: the policy is kept; nobody's access changes."""
    policy = await request.json()
    kept = {key: value for key, value in policy.items() if key in ("version", "bindings")}
    return json_response(policy_json(store.buckets.update(bucket, policy=kept)))


async def test_permissions(request: Request, store: ObjectStore, bucket: str) -> Response:
    """Answer ``GET /storage/v1/b/B/iam/testPermissions``: all that are asked for are granted."""
    store.buckets.get(bucket)
    asked = [value for name, value in request.parameters if name == "permissions"]
    return json_response({"kind": "storage#testIamPermissionsResponse", "permissions": asked})


def _settings(resource: Mapping[str, Any]) -> dict[str, Any]:
    if resource.get("versioning", {}).get("enabled"):
        raise NotEmulatedError("bucket.versioning: it keeps no old generations")
    if resource.get("hierarchicalNamespace", {}).get("enabled"):
        raise NotEmulatedError("bucket.hierarchicalNamespace: its buckets are flat")
    for field in ("retentionPolicy", "defaultEventBasedHold", "encryption", "objectRetention"):
        if resource.get(field):
            raise NotEmulatedError(f"bucket.{field}")
    return {
        key: value
        for key, value in resource.items()
        if key not in _OUTPUT_ONLY and value is not None
    }
