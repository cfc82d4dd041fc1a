"""Resource names of requests: parsed, or refused as the service does; parents likewise."""

from vertex_jobs.emulator.resources.identity import project_number
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.names import ResourceName

__all__ = ["numbered", "parent_of", "parsed"]


def parsed(text: str, kind: str) -> ResourceName:
    """The name in a request.

    Raises:
        ApiError: INVALID_ARGUMENT, if it is none.
    """
    try:
        return ResourceName.parse(text)
    except ValueError as error:
        raise ApiError("INVALID_ARGUMENT", f"Invalid {kind} name: {error}") from error


def numbered(name: ResourceName) -> ResourceName:
    """The same name with the project's number, as resources are kept."""
    return ResourceName(
        project_number(name.project),
        name.location,
        name.collection,
        name.resource_id,
        name.child_collection,
        name.child_id,
    )


def parent_of(text: str, collection: str) -> ResourceName:
    """Project and location of a request's ``parent``, as the name of nothing in the collection.

    Raises:
        ApiError: INVALID_ARGUMENT, if the parent is not ``projects/P/locations/L``.
    """
    try:
        return ResourceName.parse(f"{text}/{collection}/-")
    except ValueError as error:
        raise ApiError(
            "INVALID_ARGUMENT",
            f"The parent {text!r} is not valid; expected projects/PROJECT/locations/LOCATION.",
        ) from error
