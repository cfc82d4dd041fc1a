"""Resource names of requests: parsed, or refused as the service does; parents likewise."""

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.identity import project_number
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.names import ResourceName


def parsed(text: str, kind: str) -> ResourceName:
    """Return the name in a request, or raise INVALID_ARGUMENT if it is none."""
    try:
        return ResourceName.parse(text)
    except ValueError as error:
        raise ApiError("INVALID_ARGUMENT", f"Invalid {kind} name: {error}") from error


def numbered(name: ResourceName) -> ResourceName:
    """Return the same name with the project's number, as resources are kept."""
    return ResourceName(
        project_number(name.project),
        name.location,
        name.collection,
        name.resource_id,
        name.child_collection,
        name.child_id,
    )


def parent_of(text: str, collection: str) -> ResourceName:
    """Return a ``parent``, ``projects/P/locations/L``, as a name, or raise INVALID_ARGUMENT."""
    try:
        return ResourceName.parse(f"{text}/{collection}/-")
    except ValueError as error:
        raise ApiError(
            "INVALID_ARGUMENT",
            f"The parent {text!r} is not valid; expected projects/PROJECT/locations/LOCATION.",
        ) from error


def find_resource(
    store: Store, text: str, collection: str, kind: str, *, trials: bool = True
) -> protos.Message:
    """Return the stored resource that a request names, by the project's number or id.

    ``kind`` is its name in messages, e.g. ``Dataset``; ``trials`` come with a tuning job.

    Raises:
        ApiError: INVALID_ARGUMENT, if the text is no name; NOT_FOUND, if there is no such resource.
    """
    name = numbered(parsed(text, kind))
    resource = None
    if name.collection == collection:
        resource = store.load(collection, name.resource_id, trials=trials)
    if resource is None or resource.name != str(name):
        raise ApiError("NOT_FOUND", f"The {kind} {text!r} does not exist.")
    return resource
