"""Field masks of requests: which fields an answer holds, and which an update changes.

Source: AIP-157, AIP-134.
"""

from collections.abc import Sequence

from google.protobuf import field_mask_pb2

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.status import ApiError


def read_mask(
    request: protos.Message, message_class: protos.Message
) -> field_mask_pb2.FieldMask | None:
    """Return the mask of a list request, or None if all fields are wanted.

    Raises:
        ApiError: If a path is no field of the message.
    """
    mask: field_mask_pb2.FieldMask | None = getattr(request, "read_mask", None)
    if mask is None or "*" in mask.paths:
        return None
    if not mask.IsValidForDescriptor(message_class.DESCRIPTOR):
        raise ApiError(
            "INVALID_ARGUMENT",
            f"read_mask {','.join(mask.paths)!r}: a path is no field of "
            f"{message_class.DESCRIPTOR.name}.",
        )
    return mask


def masked(resource: protos.Message, mask: field_mask_pb2.FieldMask | None) -> protos.Message:
    """Return the resource with the masked fields alone; with all of them if there is no mask."""
    if mask is None or not mask.paths or "*" in mask.paths:
        return resource
    part = type(resource)()
    mask.MergeMessage(resource, part)
    return part


def apply_update(
    resource: protos.Message,
    given: protos.Message,
    mask: field_mask_pb2.FieldMask,
    changeable: Sequence[str],
) -> None:
    """Change the fields of a resource that the mask names; without a mask, all that are given.

    Raises:
        ApiError: If a field is not among those that may change.
    """
    paths = [
        path
        for path in mask.paths or [field.name for field, _ in given.ListFields()]
        if path != "name"
    ]
    refused = [path for path in paths if path.partition(".")[0] not in changeable]
    if refused:
        raise ApiError(
            "INVALID_ARGUMENT",
            f"update_mask: {', '.join(refused)} cannot be changed; only "
            f"{', '.join(changeable)} can.",
        )
    for path in paths:
        resource.ClearField(path)
    field_mask_pb2.FieldMask(paths=paths).MergeMessage(given, resource)
