"""Resource names of requests: parsed, or refused as the service does; parents likewise."""

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.identity import project_number
from vertex_jobs.emulator.status import ApiError, listed_faults
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.names import ResourceName


def invalid_name(kind: str, field: str = "name") -> ApiError:
    """Return the refusal of a text that cannot name a resource, as the service words it.

    Source: GoogleCloudPlatform/k8s-config-connector, _http.log of vertexaicustomjob and of
    vertexaistudy: the answers to names that end in no number have these texts and no details.
    """
    rule = f"Invalid {kind} resource name."
    fault = (field, "The study ID must be a number." if kind == "Study" else rule)
    return ApiError("INVALID_ARGUMENT", listed_faults([fault]))


def parsed(text: str, kind: str, field: str = "name") -> ResourceName:
    """Return the name in the request's field, or raise INVALID_ARGUMENT if it is none."""
    try:
        return ResourceName.parse(text)
    except ValueError as error:
        raise invalid_name(kind, field) from error


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
    store: Store,
    text: str,
    collection: str,
    kind: str,
    *,
    field: str = "name",
    missing: ApiError | None = None,
) -> protos.Message:
    """Return the stored resource that a request names, by the project's number or id.

    ``kind`` is its name in messages, e.g. ``Dataset``; ``field`` is the request's that holds the
    text; ``missing`` is raised in place of ``not_found``.

    Raises:
        ApiError: INVALID_ARGUMENT, if the text is no name of that collection with a numeric id;
            NOT_FOUND, if there is no such resource.
    """
    name = _numeric_name(text, collection, kind, field)
    resource = store.load(collection, name.resource_id)
    if resource is None or resource.name != str(name):
        raise missing or not_found(kind)
    return resource


def _numeric_name(text: str, collection: str, kind: str, field: str) -> ResourceName:
    name = parsed(text, kind, field)
    is_one = name.collection == collection and not name.child_collection
    if not is_one or not is_numeric_id(name.resource_id):
        raise invalid_name(kind, field)
    return numbered(name)


def not_found(kind: str) -> ApiError:
    """Return the service's error for a name that nothing has; it does not repeat the name.

    Source: googleapis/python-aiplatform#6581, of a Model.
    """
    return ApiError("NOT_FOUND", f"The {kind} does not exist.")


def is_numeric_id(text: str) -> bool:
    """Return whether a text may be an id that the service has given."""
    return text.isascii() and text.isdigit()
