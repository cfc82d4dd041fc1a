"""The fate of every field that a job, a study or a pipeline can have: one table.

Each is acted on; or stored, echoed and named in one warning of the job; or refused by name. A test
holds the table against the API's own descriptors, and ``docs/fidelity.md`` is made from it.
Admission asks it here; what a value means is checked elsewhere (``resources.validation``).
"""

from collections.abc import Iterator

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.fields.custom_jobs import JOB_FIELDS
from vertex_jobs.emulator.resources.fields.pipelines import PIPELINE_FIELDS
from vertex_jobs.emulator.resources.fields.records import Fate, Field
from vertex_jobs.emulator.resources.fields.studies import STUDY_FIELDS
from vertex_jobs.emulator.status import ApiError

__all__ = ["TABLE", "Fate", "Field", "clear_outputs", "key_of", "stored_fields"]

_PACKAGE = "google.cloud.aiplatform.v1."

#: Every field by message and name.
TABLE: dict[str, Field] = {
    field.path: field for field in (*JOB_FIELDS, *STUDY_FIELDS, *PIPELINE_FIELDS)
}


def key_of(descriptor: protos.Message) -> str:
    """Return the table's key of a field's descriptor."""
    return f"{descriptor.containing_type.full_name.removeprefix(_PACKAGE)}.{descriptor.name}"


def clear_outputs(message: protos.Message) -> None:
    """Drop what a request says where the service is the one to say it. Source: AIP-203."""
    for descriptor, value in message.ListFields():
        field = TABLE.get(key_of(descriptor))
        if field is None or field.fate is not Fate.ACTED:
            continue
        if field.output:
            message.ClearField(descriptor.name)
        elif _has_fields(descriptor):
            for one in value if descriptor.is_repeated else [value]:
                clear_outputs(one)


def stored_fields(message: protos.Message, path: str, *, vizier: bool = False) -> str:
    """Return the warning that names every field which is stored without effect; empty without one.

    Raises:
        ApiError: UNIMPLEMENTED, naming the first field that would have an effect and is refused.
    """
    stored = []
    for where, field, value in _set_fields(message, path, vizier):
        fate = field.fate_in(vizier)
        if fate is Fate.REFUSED:
            raise ApiError(
                "UNIMPLEMENTED",
                f"{where}: {field.note}; Local Vertex does not emulate it. Leave it out to "
                "rehearse, or submit to Vertex AI.",
            )
        if fate is Fate.STORED and value != field.default:
            stored.append(f"{where} ({field.note})")
    return f"Stored, without effect on this machine: {'; '.join(stored)}." if stored else ""


def _set_fields(
    message: protos.Message, path: str, vizier: bool
) -> Iterator[tuple[str, Field, object]]:
    """Yield path, row and value of every field that is set, as far as fates differ."""
    for descriptor, value in message.ListFields():
        field = TABLE[key_of(descriptor)]
        where = f"{path}.{descriptor.name}"
        yield where, field, value
        if field.fate_in(vizier) is Fate.ACTED and _has_fields(descriptor):
            if descriptor.is_repeated:
                for number, one in enumerate(value):
                    yield from _set_fields(one, f"{where}[{number}]", vizier)
            else:
                yield from _set_fields(value, where, vizier)


def _has_fields(descriptor: protos.Message) -> bool:
    """Return whether the field holds a message of this API, rather than a plain value or a map."""
    kind = descriptor.message_type
    return (
        kind is not None and kind.full_name.startswith(_PACKAGE) and not kind.GetOptions().map_entry
    )
