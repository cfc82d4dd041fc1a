"""Custom jobs, tuning jobs and training pipelines: create, get, list, cancel, delete.

The three collections differ in their messages and in what is checked; everything else is here
once. Source: JobService and PipelineService of the v1 API.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.resources.names import find_resource, parent_of
from vertex_jobs.emulator.resources.tables.policies import PolicyTable
from vertex_jobs.emulator.resources.tables.projects import ProjectTable
from vertex_jobs.emulator.services.collection_pages import page_of
from vertex_jobs.emulator.services.methods import Call, Method, rule
from vertex_jobs.emulator.services.operation_service import OperationService
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.names import ResourceName

__all__ = ["Collection", "JobService"]

Admit = Callable[[protos.Message, ResourceName, Mapping[str, Any]], list[str]]
Start = Callable[[ResourceName], None]


@dataclass(frozen=True)
class Collection:
    """What sets one collection apart.

    Attributes:
        name: In URLs, e.g. ``customJobs``.
        service: The gRPC service, e.g. ``JobService``.
        kind: The message's name, e.g. ``CustomJob``.
        field: The field of create requests, e.g. ``custom_job``.
        plural: The field of list answers, e.g. ``custom_jobs``.
        admit: Checks and completes a new resource, given its project and location and the options;
            answers the warnings that belong into the job's log.
    """

    name: str
    service: str
    kind: str
    field: str
    plural: str
    admit: Admit


class JobService:
    """One collection of jobs."""

    def __init__(
        self,
        collection: Collection,
        store: Store,
        identity: Identity,
        operations: OperationService,
        *,
        start: Start,
        cancel: Start,
    ) -> None:
        """Serve the collection.

        Args:
            collection: What is served.
            store: Where the resources are.
            identity: Source of names and times.
            operations: Makes what deletes are answered with.
            start: Called with the name of each new job once it is durable.
            cancel: Called with the name of a job whose state has become CANCELLING.
        """
        self._collection = collection
        self._store = store
        self._projects = ProjectTable(store.database)
        self._policies = PolicyTable(store.database)
        self._identity = identity
        self._operations = operations
        self._start = start
        self._cancel = cancel

    def methods(self) -> list[Method]:
        """The five RPCs of this collection."""
        name, kind, service = self._collection.name, self._collection.kind, self._collection.service
        plural = f"{kind}s"
        message, child = protos.message_class, f"{{name=projects/*/locations/*/{name}/*}}"
        parent = f"{{parent=projects/*/locations/*}}/{name}"
        rows = [
            ("Create", kind, message(kind), rule("POST", parent, self._collection.field)),
            ("Get", kind, message(kind), rule("GET", child)),
            ("List", plural, message(f"List{plural}Response"), rule("GET", parent)),
            ("Cancel", kind, protos.Empty, rule("POST", f"{child}:cancel", "*")),
            ("Delete", kind, protos.Operation, rule("DELETE", child)),
        ]
        handlers = {
            "Create": self.create,
            "Get": self.get,
            "List": self.list_page,
            "Cancel": self.cancel,
            "Delete": self.delete,
        }
        return [
            Method(
                service,
                f"{verb}{noun}",
                message(f"{verb}{noun}Request"),
                response,
                (http,),
                handlers[verb],
            )
            for verb, noun, response, http in rows
        ]

    def _find(self, text: str, *, trials: bool = True) -> tuple[ResourceName, protos.Message]:
        resource = find_resource(
            self._store, text, self._collection.name, self._collection.kind, trials=trials
        )
        return ResourceName.parse(resource.name), resource

    async def create(self, request: protos.Message, call: Call) -> protos.Message:
        """Check, complete and keep a new job; then start it."""
        parent = parent_of(request.parent, self._collection.name)
        resource = protos.message_class(self._collection.kind)()
        resource.CopyFrom(getattr(request, self._collection.field))
        warnings = self._collection.admit(resource, parent, call.options)
        name = self._identity.new_name(parent.project, parent.location, self._collection.name)
        resource.name = str(name)
        now = self._identity.now()
        resource.create_time.CopyFrom(now)
        # What the service is the one to say.
        for output in ("state", "start_time", "end_time", "error"):
            resource.ClearField(output)
        states.advance(resource, states.QUEUED, now)
        settings = {**call.options, "warnings": warnings}
        with self._store.transaction():
            self._projects.note(parent.project)
            self._store.insert(resource, project=parent.project, settings=settings)
        self._start(name)
        return resource

    async def get(self, request: protos.Message, call: Call) -> protos.Message:
        """The job; held for a change as long as the caller asks and the job goes on."""
        name, resource = self._find(request.name)
        if call.hold_seconds > 0 and not states.is_terminal(resource):
            loop = asyncio.get_running_loop()
            deadline = loop.time() + call.hold_seconds  # a connection lives in real time
            while not states.is_terminal(resource):
                left = deadline - loop.time()
                unchanged = not call.seen or resource.update_time.ToJsonString() == call.seen
                if left <= 0 or not unchanged:
                    break
                await self._store.wait_for_change(name.collection, name.resource_id, left)
                _, resource = self._find(request.name)
        return resource

    async def list_page(self, request: protos.Message, call: Call) -> protos.Message:
        """One page, newest first."""
        message_class = protos.message_class(self._collection.kind)
        page, token = page_of(self._store, request, self._collection.name, message_class)
        answer = protos.message_class(f"List{self._collection.kind}sResponse")()
        getattr(answer, self._collection.plural).extend(self._with_trials(page, request))
        answer.next_page_token = token
        return answer

    def _with_trials(
        self, page: list[protos.Message], request: protos.Message
    ) -> list[protos.Message]:
        """The page's tuning jobs completed by their trials, where they are wanted."""
        paths = request.read_mask.paths
        wanted = not paths or "*" in paths or "trials" in paths
        if self._collection.kind == "HyperparameterTuningJob" and wanted:
            for job in page:
                job.trials.extend(self._store.trials(ResourceName.parse(job.name).resource_id))
        return page

    async def cancel(self, request: protos.Message, call: Call) -> protos.Message:
        """Ask the job to end; a job that has ended is left as it is."""
        name, resource = self._find(request.name, trials=False)
        if states.request_cancel(resource, self._identity.now()):
            self._store.save(resource)
            self._cancel(name)
        return protos.Empty()

    async def delete(self, request: protos.Message, call: Call) -> protos.Message:
        """Forget a job that has ended, and what it owned."""
        name, resource = self._find(request.name, trials=False)
        if not states.is_terminal(resource):
            raise ApiError(
                "FAILED_PRECONDITION",
                f"The {self._collection.kind} {request.name!r} is "
                f"{protos.JobState(resource.state).name}; cancel it first.",
            )
        with self._store.transaction():
            for collection, resource_id in self._store.owned(resource.name):
                self._store.delete(collection, resource_id)
            self._store.delete(name.collection, name.resource_id)
            self._policies.delete(str(name))
            return self._operations.deleted(name)
