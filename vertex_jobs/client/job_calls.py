"""The three job collections and the models over the generated clients: one call, one attempt.

The only module that imports the SDK's generated clients, on first use (0.8 s). Resources come and
go as the API's JSON, so that no proto leaves this file. Nothing here retries: a read's caller wraps
it in `Timing.ask`, and a create must never be repeated.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from vertex_jobs.client.api_connection import Connection
from vertex_jobs.client.api_errors import translated
from vertex_jobs.errors import (
    EndpointLostError,
    JobNotFoundError,
    RequestRefusedError,
    UnsupportedHereError,
)
from vertex_jobs.generated_api import defer_clients, message_types
from vertex_jobs.headers import WAIT_HEADER
from vertex_jobs.job_kinds import JobKind, kind_of_name
from vertex_jobs.names import ResourceName, location_name, location_of

#: A resource in the API's JSON form: camelCase, enum names, int64 as text, defaults absent.
Resource = dict[str, Any]

_PAGE_SIZE = 100
#: The service copies the model's files before it answers.
_UPLOAD_SECONDS = 600.0


class Jobs:
    """Create, get, list, cancel and delete jobs at one endpoint; get and upload models.

    Each call goes to the location that its name or parent says.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._opened: dict[tuple[str, str], Any] = {}

    def address(self, parent: str) -> str:
        """Return the host that answers for ``projects/P/locations/L``."""
        return self.connection.endpoint_at(location_of(parent))

    def create(
        self, kind: JobKind, parent: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> Resource:
        """Send one create request, exactly once.

        Raises:
            UnsupportedHereError: If the installed SDK does not know a field of the body.
            EndpointError: Whatever came of it; `failures.is_definite` tells what that means.
        """
        types = message_types()
        request = {"parent": parent, kind.noun: self._parse(getattr(types, kind.message), body)}
        resource = self._call(kind, f"create_{kind.noun}", parent, request, headers)
        if "name" not in resource:
            raise EndpointLostError(
                f"{self.address(parent)} answered a create without a job's name; "
                "check that no proxy answers in its place"
            )
        return resource

    def get(self, name: str, seen: str = "") -> Resource:
        """Read one job by its full resource name.

        Given the ``updateTime`` last seen, the endpoint may hold its answer until there is news,
        for 2 s at most; it answers at once if ``seen`` is empty.

        Raises:
            JobNotFoundError: If there is no such job (any more).
            EndpointError: If the endpoint refused or was lost.
        """
        kind = kind_of_name(name)
        headers = {WAIT_HEADER: seen} if seen else {}
        with _existing(name):
            return self._call(kind, f"get_{kind.noun}", _parent(name), {"name": name}, headers)

    def list(self, kind: JobKind, filter_text: str = "", parent: str = "") -> list[Resource]:
        """Return every job of one kind, in the endpoint's order, through all pages.

        The filter is the API's, e.g. ``state="JOB_STATE_RUNNING"``; empty for all. The parent is
        ``projects/P/locations/L``; empty for the connection's place.
        """
        place = self.connection.place
        parent = parent or location_name(place.project, place.location)
        request = {"parent": parent, "filter": filter_text, "page_size": _PAGE_SIZE}
        method = getattr(self._service(kind.service, parent), f"list_{kind.noun}s")
        with translated(self.address(parent)):
            pager = method(request=request, timeout=self.connection.timeout_seconds, retry=None)
            return [_to_json(message) for message in pager]

    def cancel(self, name: str) -> None:
        """Ask for the job to be cancelled; the state says when it is."""
        kind = kind_of_name(name)
        with _existing(name):
            self._call(kind, f"cancel_{kind.noun}", _parent(name), {"name": name}, {})

    def delete(self, name: str) -> None:
        """Delete the job and wait until it is gone."""
        kind = kind_of_name(name)
        parent = _parent(name)
        method = getattr(self._service(kind.service, parent), f"delete_{kind.noun}")
        with _existing(name), translated(self.address(parent)):
            operation = method(
                request={"name": name}, timeout=self.connection.timeout_seconds, retry=None
            )
            operation.result(timeout=self.connection.timeout_seconds)

    def model(self, name: str) -> Resource:
        """Read a model; the name may end in ``@version``."""
        parent = _parent(name)
        with translated(self.address(parent)):
            message = self._service("model", parent).get_model(
                request={"name": name}, timeout=self.connection.timeout_seconds, retry=None
            )
        return _to_json(message)

    def upload_model(self, parent: str, model_id: str, body: Mapping[str, Any]) -> Resource:
        """Register a model, in the API's JSON, and wait until it is there.

        The id is the caller's and makes the call safe to repeat: a second model of it is refused.

        Raises:
            RequestRefusedError: With code 409 if there is a model of that id.
        """
        types = message_types()
        request = types.UploadModelRequest(parent=parent, model_id=model_id)
        request.model = self._parse(types.Model, body)
        with translated(self.address(parent)):
            operation = self._service("model", parent).upload_model(
                request=request, timeout=self.connection.timeout_seconds, retry=None
            )
            answer = operation.result(timeout=_UPLOAD_SECONDS)
        return self.model(f"{answer.model}@{answer.model_version_id}")

    def close(self) -> None:
        """Close the connections that were opened."""
        for client in self._opened.values():
            client.transport.close()
        self._opened.clear()

    def _call(
        self,
        kind: JobKind,
        method: str,
        parent: str,
        request: Mapping[str, Any],
        headers: Mapping[str, str],
    ) -> Resource:
        call = getattr(self._service(kind.service, parent), method)
        with translated(self.address(parent)):
            message = call(
                request=request,
                timeout=self.connection.timeout_seconds,
                retry=None,
                metadata=tuple(headers.items()),
            )
        return {} if message is None else _to_json(message)

    def _service(self, service: str, parent: str) -> Any:
        address = self.address(parent)
        if (service, address) not in self._opened:
            self._opened[service, address] = self._open(service, address)
        return self._opened[service, address]

    def _open(self, service: str, address: str) -> Any:
        from google.api_core.client_options import ClientOptions

        client_class = _client_class(service)
        with translated(address):
            return client_class(
                credentials=self.connection.credentials,
                transport=self.connection.transport,
                client_options=ClientOptions(api_endpoint=address),
            )

    def _parse(self, message_class: Any, body: Mapping[str, Any]) -> Any:
        from google.protobuf import json_format

        message = message_class()
        try:
            json_format.ParseDict(dict(body), message_class.pb(message))
        except json_format.ParseError as error:
            raise UnsupportedHereError(
                "the installed google-cloud-aiplatform cannot send this "
                f"{message_class.__name__}: {error}; upgrade it, or leave the field out"
            ) from error
        return message


def _parent(name: str) -> str:
    return ResourceName.parse(name).parent


@contextmanager
def _existing(name: str) -> Iterator[None]:
    """Turn a 404 into what it means: the job itself is not there."""
    try:
        yield
    except RequestRefusedError as error:
        if error.code != 404:
            raise
        raise JobNotFoundError(
            f"{name} does not exist (any more); list the jobs with: vertex-jobs list"
        ) from error


def import_job_client() -> None:
    """Import what the first call about a job needs; it takes a third of a second."""
    _client_class("job")


def _client_class(service: str) -> Any:
    """Return a generated client; each is imported alone, since each costs a tenth of a second."""
    defer_clients()
    if service == "pipeline":
        from google.cloud.aiplatform_v1.services.pipeline_service import PipelineServiceClient

        return PipelineServiceClient
    if service == "model":
        from google.cloud.aiplatform_v1.services.model_service import ModelServiceClient

        return ModelServiceClient
    from google.cloud.aiplatform_v1.services.job_service import JobServiceClient

    return JobServiceClient


def _to_json(message: Any) -> Resource:
    from google.protobuf import json_format

    return json_format.MessageToDict(type(message).pb(message))
