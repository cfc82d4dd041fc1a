"""Long-running operations, which here are done when they are answered.

Deletes, uploads and suggestions take effect before the answer, so the operation carries its
result; who asks again gets the same. Source: google.longrunning.Operations; AIP-151.
"""

from collections.abc import Iterable
from functools import partial

from google.longrunning import operations_pb2 as messages

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.resources.request_names import numbered, parent_of, parsed
from vertex_jobs.emulator.resources.tables.operations import OperationTable
from vertex_jobs.emulator.services.collection_pages import page_start, take_page
from vertex_jobs.emulator.services.methods import Call, HttpRule, Method, methods_of, rule
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.names import ResourceName

_SERVICE = "google.longrunning.Operations"
_TOP = "projects/*/locations/*"
#: Operations of a region, and of one resource in it.
_PARENTS = (_TOP, f"{_TOP}/*/*")


class OperationService:
    """Makes operations for the other services, and answers questions for them."""

    def __init__(self, table: OperationTable, identity: Identity) -> None:
        self._table = table
        self._identity = identity

    def done(
        self, target: ResourceName, response: protos.Message, metadata: str, **details: str
    ) -> protos.Message:
        """Keep and return a new operation that is done, whose name begins with the target's.

        ``metadata`` names the metadata message, e.g. ``DeleteOperationMetadata``; ``details`` are
        further fields of it.
        """
        new = self._identity.new_name(target.project, target.location, "operations")
        owner = ResourceName(new.project, new.location, target.collection, target.resource_id)
        name = str(owner.child("operations", new.resource_id))
        return self._keep(name, response, protos.message_class(metadata)(**details))

    def deleted(self, name: ResourceName) -> protos.Message:
        """Keep and return the operation of a delete, without the name of what is gone."""
        return self.done_in_region(name, protos.Empty(), "DeleteOperationMetadata")

    def done_in_region(
        self, target: ResourceName, response: protos.Message, metadata: str
    ) -> protos.Message:
        """Keep and return a new operation that is done, named in the target's region alone."""
        new = self._identity.new_name(target.project, target.location, "operations")
        return self._keep(str(new), response, protos.message_class(metadata)())

    def _keep(
        self, name: str, response: protos.Message, metadata: protos.Message
    ) -> protos.Message:
        operation = protos.Operation(name=name, done=True)
        operation.response.Pack(response)
        now = self._identity.now()
        metadata.generic_metadata.create_time.CopyFrom(now)
        metadata.generic_metadata.update_time.CopyFrom(now)
        operation.metadata.Pack(metadata)
        self._table.add(operation)
        return operation

    def methods(self) -> list[Method]:
        """Return the RPCs for operations."""
        one = [f"{{name={parent}/operations/*}}" for parent in _PARENTS]
        many = [f"{{name={parent}}}/operations" for parent in _PARENTS]
        operation, operations = protos.Operation, messages.ListOperationsResponse

        def rules(verb: str, templates: Iterable[str], suffix: str = "") -> tuple[HttpRule, ...]:
            body = "*" if verb == "POST" else ""
            return tuple(rule(verb, f"{template}{suffix}", body) for template in templates)

        rows = [
            ("GetOperation", operation, rules("GET", one), self.get),
            ("WaitOperation", operation, rules("POST", one, ":wait"), self.get),
            ("CancelOperation", protos.Empty, rules("POST", one, ":cancel"), self.cancel),
            ("DeleteOperation", protos.Empty, rules("DELETE", one), self.delete),
            ("ListOperations", operations, rules("GET", many), self.list_page),
        ]
        return methods_of(_SERVICE, rows, partial(getattr, messages))

    def _name(self, text: str) -> str:
        """Return the name as it is kept: with the project's number."""
        return str(numbered(parsed(text, "Operation")))

    def _missing(self, text: str) -> ApiError:
        return ApiError("NOT_FOUND", f"The operation {text!r} does not exist.")

    async def get(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the operation, which is done."""
        operation = self._table.get(self._name(request.name))
        if operation is None:
            raise self._missing(request.name)
        return operation

    async def cancel(self, request: protos.Message, call: Call) -> protos.Message:
        """Do nothing: an operation that is done stays so. Source: Operations.CancelOperation."""
        await self.get(request, call)
        return protos.Empty()

    async def delete(self, request: protos.Message, call: Call) -> protos.Message:
        """Forget an operation."""
        if not self._table.delete(self._name(request.name)):
            raise self._missing(request.name)
        return protos.Empty()

    async def list_page(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the operations of a region or of one resource, newest first."""
        if "/" in request.name.partition("/locations/")[2]:
            parent = self._name(request.name)
        else:
            parent = numbered(parent_of(request.name, "operations")).parent
        rows = self._table.under(parent, page_start(request))
        page, token = take_page(rows, request, protos.Operation)
        return messages.ListOperationsResponse(operations=page, next_page_token=token)
