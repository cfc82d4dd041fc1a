"""Managed TensorBoards as requests name them, and the values that the service adds to them.

Source: Tensorboard proto; GoogleCloudPlatform/k8s-config-connector, _http.log of
vertexaitensorboardexperiment, commit bccf321843.
"""

import base64
import hashlib
import uuid

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.request_names import find_resource
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.names import ResourceName


def missing_in_tensorboards(kind: str, text: str) -> ApiError:
    """Return the service's error for a name that nothing has, which it repeats as it was sent."""
    return ApiError("NOT_FOUND", f"{kind} {text} is not found.")


def find_tensorboard(store: Store, text: str, field: str = "name") -> protos.Message:
    """Return the TensorBoard that the request's field names, or raise NOT_FOUND."""
    missing = missing_in_tensorboards("Tensorboard", text)
    return find_resource(store, text, "tensorboards", "Tensorboard", field=field, missing=missing)


def blob_prefix(name: ResourceName) -> str:
    """Return the bucket for blobs, ``cloud-ai-platform-UUID``, one for each project and region.

    Nothing is ever written there, so here it does not come into being.
    """
    return f"cloud-ai-platform-{uuid.uuid5(uuid.NAMESPACE_URL, name.parent)}"


def sign(resource: protos.Message) -> None:
    """Give a resource the etag of its content."""
    resource.ClearField("etag")
    digest = hashlib.sha256(resource.SerializeToString(deterministic=True)).digest()
    resource.etag = base64.b64encode(digest[:8]).decode()


def check_etag(resource: protos.Message, given: protos.Message) -> None:
    """Refuse an update of what has changed since the caller read it. Source: AIP-154.

    Raises:
        ApiError: ABORTED, if an etag is given that is not the resource's.
    """
    if given.etag and given.etag != resource.etag:
        raise ApiError(
            "ABORTED",
            f"The etag {given.etag!r} is not that of {resource.name}, {resource.etag!r}; read it "
            "again, or leave the etag out to overwrite.",
        )
