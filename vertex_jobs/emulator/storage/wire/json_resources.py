"""Buckets, objects and policies in the JSON API's form.

Source: Cloud Storage JSON API, resource representations of Buckets and Objects.
"""

import base64
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from vertex_jobs.emulator.resources.identity import project_number
from vertex_jobs.emulator.storage.objects import Bucket, StoredObject
from vertex_jobs.timestamps import timestamp

_MULTI_REGIONS = ("ASIA", "EU", "US")
#: The service's own defaults for a bucket that is made with a name alone.
_BUCKET_DEFAULTS = {
    "location": "US",
    "locationType": "region",
    "storageClass": "STANDARD",
    "iamConfiguration": {
        "uniformBucketLevelAccess": {"enabled": True},
        "publicAccessPrevention": "inherited",
    },
}


def etag(generation: int, metageneration: int) -> str:
    """Return an opaque text that differs whenever the object or its metadata does."""
    return base64.b64encode(f"{generation}/{metageneration}".encode()).decode()


def object_json(stored: StoredObject, base_url: str) -> dict[str, Any]:
    """Return the resource of an object."""
    path = f"storage/v1/b/{quote(stored.bucket, safe='')}/o/{quote(stored.name, safe='')}"
    generation = str(stored.generation)
    updated = timestamp(stored.updated)
    created = timestamp(stored.created)
    resource: dict[str, Any] = {
        "kind": "storage#object",
        "id": f"{stored.bucket}/{stored.name}/{generation}",
        "selfLink": f"{base_url}/{path}",
        "mediaLink": f"{base_url}/download/{path}?generation={generation}&alt=media",
        "name": stored.name,
        "bucket": stored.bucket,
        "generation": generation,
        "metageneration": str(stored.metageneration),
        "storageClass": "STANDARD",
        "size": str(stored.size),
        "crc32c": stored.crc32c,
        "etag": etag(stored.generation, stored.metageneration),
        "timeCreated": created,
        "updated": updated,
        "timeStorageClassUpdated": created,
        "timeFinalized": created,
        **stored.attributes,
    }
    if stored.md5 is not None:
        resource["md5Hash"] = stored.md5
    if stored.component_count is not None:
        resource["componentCount"] = stored.component_count
    return resource


def bucket_json(bucket: Bucket, base_url: str) -> dict[str, Any]:
    """Return the resource of a bucket."""
    resource = {
        "kind": "storage#bucket",
        "id": bucket.name,
        "selfLink": f"{base_url}/storage/v1/b/{bucket.name}",
        "name": bucket.name,
        "projectNumber": project_number(bucket.project) if bucket.project else "0",
        "generation": str(int(bucket.created * 1_000_000)),
        "metageneration": str(bucket.metageneration),
        "etag": etag(0, bucket.metageneration),
        "timeCreated": timestamp(bucket.created),
        "updated": timestamp(bucket.updated),
        **merged(_BUCKET_DEFAULTS, bucket.settings),
    }
    access = resource["iamConfiguration"]
    resource["iamConfiguration"] = {
        "bucketPolicyOnly": access["uniformBucketLevelAccess"],
        **access,
    }
    if resource["location"] in _MULTI_REGIONS:
        resource |= {"locationType": "multi-region", "rpo": "DEFAULT"}
    return resource


def policy_json(bucket: Bucket) -> dict[str, Any]:
    """Return the IAM policy of a bucket: the one that was set, or an empty one."""
    policy = bucket.policy or {"version": 1, "bindings": []}
    return {
        **policy,
        "kind": "storage#policy",
        "resourceId": f"projects/_/buckets/{bucket.name}",
        "etag": etag(0, bucket.metageneration),
    }


def merged(old: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Apply a JSON merge patch: null removes a key, objects merge. Source: RFC 7396."""
    result = dict(old)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping):
            below = result.get(key)
            result[key] = merged(below if isinstance(below, Mapping) else {}, value)
        else:
            result[key] = value
    return result
