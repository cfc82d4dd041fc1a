"""Buckets and objects on disk, with the semantics of Cloud Storage, for Local Vertex.

Metadata lives in SQLite, payloads are files that are named by a number, so no object name can
leave the store. Several processes may open one directory at once: the server and the /gcs mount do.
It knows no HTTP, keeps no old generations of an object, and checks nobody's permissions.
"""

from vertex_jobs.emulator.storage.objects.object_errors import (
    AlreadyExistsError,
    BucketNotFoundError,
    ChecksumMismatchError,
    InvalidObjectRequestError,
    NotEmptyError,
    NotEmulatedError,
    ObjectNotFoundError,
    ObjectStoreError,
    PreconditionFailedError,
    UploadNotFoundError,
)
from vertex_jobs.emulator.storage.objects.object_listing import Listing, ListQuery
from vertex_jobs.emulator.storage.objects.object_store import ObjectStore
from vertex_jobs.emulator.storage.objects.object_values import (
    ANY,
    Bucket,
    Checksums,
    ComposeSource,
    Preconditions,
    StoredObject,
)
from vertex_jobs.emulator.storage.objects.payloads import PayloadWriter

__all__ = [
    "ANY",
    "AlreadyExistsError",
    "Bucket",
    "BucketNotFoundError",
    "ChecksumMismatchError",
    "Checksums",
    "ComposeSource",
    "InvalidObjectRequestError",
    "ListQuery",
    "Listing",
    "NotEmptyError",
    "NotEmulatedError",
    "ObjectNotFoundError",
    "ObjectStore",
    "ObjectStoreError",
    "PayloadWriter",
    "PreconditionFailedError",
    "Preconditions",
    "StoredObject",
    "UploadNotFoundError",
]
