"""Custom jobs, tuning jobs and training pipelines: create, get, list, cancel, delete.

The three kinds differ in their messages and in what is checked; everything else is here once.
Source: JobService and PipelineService of the v1 API.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.resources.job_settings import JobSettings
from vertex_jobs.emulator.resources.request_names import find_resource, parent_of
from vertex_jobs.emulator.resources.tables.policies import PolicyTable
from vertex_jobs.emulator.resources.tables.projects import ProjectTable
from vertex_jobs.emulator.resources.trial_answers import tuning_trials
from vertex_jobs.emulator.services.collection_pages import page_of
from vertex_jobs.emulator.services.filters import undocumented
from vertex_jobs.emulator.services.methods import Call, Method, methods_of, rule
from vertex_jobs.emulator.services.operation_service import OperationService
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.job_kinds import TUNING_JOB, JobKind
from vertex_jobs.names import ResourceName
from vertex_jobs.spec.local import Pace, TimedPace

#: Checks and completes a new resource, given its project and location and its settings; answers
#: the warnings that belong into the job's log.
Admit = Callable[[protos.Message, ResourceName, JobSettings], Awaitable[list[str]]]
Start = Callable[[ResourceName], None]
#: The comparisons that lists are documented to take. Source: ListCustomJobsRequest proto;
#: training_task_definition: ListTrainingPipelinesRequest.
_EQUAL, _TIMES = ("=", "!="), ("=", "!=", "<", "<=", ">", ">=")
_FILTERS = {
    "display_name": (*_EQUAL, ":"),
    "state": _EQUAL,
    "create_time": _TIMES,
    "labels": (*_EQUAL, ":"),
    "training_task_definition": (*_EQUAL, ":"),
}


class JobService:
    """The jobs of one kind."""

    def __init__(
        self,
        kind: JobKind,
        admit: Admit,
        store: Store,
        identity: Identity,
        operations: OperationService,
        *,
        start: Start,
        cancel: Start,
    ) -> None:
        """Serve the kind's collection.

        ``start`` is called with the name of each new job once it is durable, ``cancel`` with the
        name of a job whose state has become CANCELLING.
        """
        self._kind = kind
        self._admit = admit
        self._store = store
        self._projects = ProjectTable(store.database)
        self._policies = PolicyTable(store.database)
        self._identity = identity
        self._operations = operations
        self._start = start
        self._cancel = cancel
        self._warned: set[str] = set()

    def methods(self) -> list[Method]:
        """Return the five RPCs of this kind."""
        name, many = self._kind.message, f"{self._kind.message}s"
        job, jobs = protos.message_class(name), protos.message_class(f"List{many}Response")
        child = f"{{name=projects/*/locations/*/{self._kind.collection}/*}}"
        parent = f"{{parent=projects/*/locations/*}}/{self._kind.collection}"
        cancel = rule("POST", f"{child}:cancel", "*")
        rows = [
            (f"Create{name}", job, rule("POST", parent, self._kind.noun), self.create),
            (f"Get{name}", job, rule("GET", child), self.get),
            (f"List{many}", jobs, rule("GET", parent), self.list_page),
            (f"Cancel{name}", protos.Empty, cancel, self.cancel),
            (f"Delete{name}", protos.Operation, rule("DELETE", child), self.delete),
        ]
        return methods_of(f"{self._kind.service.capitalize()}Service", rows)

    def _find(self, text: str) -> tuple[ResourceName, protos.Message]:
        kind = self._kind
        resource = find_resource(self._store, text, kind.collection, kind.message)
        return ResourceName.parse(resource.name), resource

    async def create(self, request: protos.Message, call: Call) -> protos.Message:
        """Check, complete and keep a new job; then start it."""
        parent = parent_of(request.parent, self._kind.collection)
        resource = protos.message_class(self._kind.message)()
        resource.CopyFrom(getattr(request, self._kind.noun))
        warnings = await self._admit(resource, parent, call.settings)
        name = self._identity.new_name(parent.project, parent.location, self._kind.collection)
        resource.name = str(name)
        now = self._identity.now()
        resource.create_time.CopyFrom(now)
        # These are for the service to say.
        for output in ("state", "start_time", "end_time", "error"):
            resource.ClearField(output)
        states.advance(resource, _first_state(call.settings.local.pace), now)
        settings = {**call.options, "warnings": warnings}
        with self._store.transaction():
            self._projects.note(parent.project)
            self._store.insert(resource, project=parent.project, settings=settings)
        self._start(name)
        return resource

    async def get(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the job; hold the answer for a change if the caller asks and the job goes on."""
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
        self._add_trials(resource)
        return resource

    async def list_page(self, request: protos.Message, call: Call) -> protos.Message:
        """Return one page, newest first."""
        kind, job = self._kind, protos.message_class(self._kind.message)
        self._warn_of(request.filter)
        page, token = page_of(self._store, request, kind.collection, job)
        answer = protos.message_class(f"List{kind.message}sResponse")()
        paths = request.read_mask.paths
        if not paths or "*" in paths or "trials" in paths:
            for one in page:
                self._add_trials(one)
        getattr(answer, f"{kind.noun}s").extend(page)
        answer.next_page_token = token
        return answer

    def _add_trials(self, resource: protos.Message) -> None:
        if self._kind is TUNING_JOB:
            job_id = ResourceName.parse(resource.name).resource_id
            resource.trials.extend(tuning_trials(self._store.trials(job_id)))

    def _warn_of(self, filter_text: str) -> None:
        """Say once of each comparison that only Local Vertex is known to take."""
        for comparison in undocumented(filter_text, _FILTERS):
            if comparison not in self._warned:
                self._warned.add(comparison)
                print(
                    f"List{self._kind.message}s: the filter's {comparison!r} is not among what its "
                    "documentation names (display_name, state, create_time, labels); Vertex AI may "
                    "refuse it.",
                    file=sys.stderr,
                )

    async def cancel(self, request: protos.Message, call: Call) -> protos.Message:
        """Ask the job to end; a job that has ended is left as it is."""
        name, resource = self._find(request.name)
        if states.request_cancel(resource, self._identity.now()):
            self._store.save(resource)
            self._cancel(name)
        return protos.Empty()

    async def delete(self, request: protos.Message, call: Call) -> protos.Message:
        """Forget a job that has ended, and what it owned."""
        name, resource = self._find(request.name)
        if not states.is_terminal(resource):
            raise ApiError(
                "FAILED_PRECONDITION",
                f"The {self._kind.message} {request.name!r} is "
                f"{protos.JobState(resource.state).name}; cancel it first.",
            )
        with self._store.transaction():
            for collection, resource_id in self._store.owned(resource.name):
                self._store.delete(collection, resource_id)
            self._store.delete(name.collection, name.resource_id)
            self._policies.delete(str(name))
            return self._operations.deleted(name)


def _first_state(pace: Pace) -> int:
    """Return the state in which a job is created: PENDING, unless its pace has it wait before.

    Source: GoogleCloudPlatform/k8s-config-connector, _http.log of vertexaicustomjob.
    """
    if pace == "stepped" or (isinstance(pace, TimedPace) and pace.queued):
        return states.QUEUED
    return states.PENDING
