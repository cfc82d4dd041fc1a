"""Fault injection into the table of RPCs, which both fronts call.

Faults that come with a create request hold from that very request until the job has ended.
"""

from collections.abc import Sequence
from dataclasses import replace

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.clock import Clock
from vertex_jobs.emulator.faults.injection import inject
from vertex_jobs.emulator.faults.rules import FaultBoard, RuleSet, check_calls
from vertex_jobs.emulator.resources.refusals import denied, quota_text
from vertex_jobs.emulator.services.methods import Call, Method
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.storage.wire import STORAGE_CALLS
from vertex_jobs.errors import InvalidJobError
from vertex_jobs.names import ResourceName
from vertex_jobs.spec.local import CallFault, ReplicaFault


def call_names(methods: Sequence[Method]) -> tuple[str, ...]:
    """Return every call that a fault may name: those of the methods, and those of storage."""
    return (*map(_call_name, methods), *STORAGE_CALLS)


def with_faults(methods: Sequence[Method], board: FaultBoard, clock: Clock) -> list[Method]:
    """Return the same methods, each with the faults of the board injected."""
    known = call_names(methods)
    return [_with_faults(method, board, clock, known) for method in methods]


def rules_of(faults: Sequence[CallFault | ReplicaFault], known: Sequence[str]) -> RuleSet:
    """Return the faults, ready to count; ApiError if one is of a call that does not exist."""
    try:
        check_calls(faults, known)
    except InvalidJobError as error:
        raise ApiError("INVALID_ARGUMENT", str(error)) from error
    return RuleSet(faults)


def _call_name(method: Method) -> str:
    """Return a method's name in faults, e.g. ``JobService.CreateCustomJob``."""
    return f"{method.service.rpartition('.')[2]}.{method.name}"


def _with_faults(method: Method, board: FaultBoard, clock: Clock, known: Sequence[str]) -> Method:
    name = _call_name(method)

    async def answer(request: protos.Message, call: Call) -> protos.Message:
        faults = call.settings.local.faults if call.options else ()
        own = rules_of(faults, known)
        fault = board.of_call(name, own)

        async def act() -> protos.Message:
            response = await method.handler(request, call)
            if own:
                # Before the job's controller has had its first turn.
                job = ResourceName.parse(response.name)
                board.post((job.collection, job.resource_id), own)
            return response

        if fault is None:
            return await act()
        return await inject(fault, act, clock, refusals=_refusals(method, request))

    return replace(method, handler=answer)


def _refusals(method: Method, request: protos.Message) -> dict[int, ApiError]:
    """Return the refusals that name what this request asks for, by HTTP status."""
    if "." in method.service:  # of another API
        return {}
    resource = getattr(request, "parent", "") or getattr(request, "name", "")
    found = {403: denied(method.name, resource)}
    spec = _job_spec(request)
    if spec is not None:
        found[429] = ApiError("RESOURCE_EXHAUSTED", quota_text(spec))
    return found


def _job_spec(request: protos.Message) -> protos.Message | None:
    """Return the spec of the machines that a create asks for; a pipeline gets them later."""
    if hasattr(request, "custom_job"):
        return request.custom_job.job_spec
    if hasattr(request, "hyperparameter_tuning_job"):
        return request.hyperparameter_tuning_job.trial_job_spec
    return None
