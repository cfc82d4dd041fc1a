"""v1beta1 beside v1: the same messages under other names.

The fields of both versions have the same numbers, so a v1beta1 request is read as v1. What v1beta1
alone has is refused, not lost; results packed into operations are named for the version asked for.
"""

from collections.abc import Callable
from typing import Any

from google.protobuf import unknown_fields

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.status import ApiError

_V1, _BETA = "google.cloud.aiplatform.v1.", "google.cloud.aiplatform.v1beta1."
_OPERATION = "google.longrunning.Operation"


def retyped_message(message: protos.Message, version: str) -> protos.Message:
    """Return the answer with an operation's contents named for the version."""
    if version != "v1beta1" or message.DESCRIPTOR.full_name != _OPERATION:
        return message
    renamed = protos.Operation()
    renamed.CopyFrom(message)
    for packed in (renamed.metadata, renamed.response):
        packed.type_url = packed.type_url.replace(_V1, _BETA)
    return renamed


def retyped_json(form: Any, version: str) -> Any:
    """Return the same for an answer's JSON form, lists of operations included."""
    if version != "v1beta1":
        return form
    return _mapped(form, lambda text: text.replace(_V1, _BETA))


def _mapped(form: Any, rename: Callable[[str], str]) -> Any:
    if isinstance(form, dict):
        return {
            key: rename(value) if key == "@type" else _mapped(value, rename)
            for key, value in form.items()
        }
    if isinstance(form, list):
        return [_mapped(value, rename) for value in form]
    return form


def refuse_unknown_fields(message: protos.Message, path: str = "") -> None:
    """Refuse a binary request with fields that v1 does not have: reading it dropped them.

    Raises:
        ApiError: UNIMPLEMENTED, naming where the field is and its number.
    """
    fields: Any = unknown_fields.UnknownFieldSet(message)
    unknown = [field.field_number for field in fields]
    if unknown:
        name = message.DESCRIPTOR.name
        raise ApiError(
            "UNIMPLEMENTED",
            f"{path or name}: field number {unknown[0]} of {name} is not in v1 of the API, which "
            "Local Vertex serves; leave it out to rehearse, or submit to Vertex AI.",
        )
    for field, value in message.ListFields():
        if field.message_type is None or field.message_type.full_name.startswith("google.protobuf"):
            continue
        where = f"{path}.{field.name}" if path else field.name
        if field.message_type.GetOptions().map_entry:
            continue
        for one in value if field.is_repeated else [value]:
            refuse_unknown_fields(one, where)
