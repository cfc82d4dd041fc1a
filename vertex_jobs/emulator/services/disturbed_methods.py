"""The table of RPCs behind the rules: what both fronts call when faults may happen.

Faults that come with a create request hold from that very request until the job has ended.
"""

from collections.abc import Sequence
from dataclasses import replace

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.clock import Clock
from vertex_jobs.emulator.faults.disturbance import disturb
from vertex_jobs.emulator.faults.rules import FaultBoard, RuleSet, check_calls
from vertex_jobs.emulator.resources.job_settings import JobSettings
from vertex_jobs.emulator.services.methods import Call, Method
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.storage.storage_calls import STORAGE_CALLS
from vertex_jobs.errors import InvalidJobError
from vertex_jobs.names import ResourceName
from vertex_jobs.spec.local import CallFault, ReplicaFault

__all__ = ["call_name", "disturbed_methods", "rules_of"]


def call_name(method: Method) -> str:
    """What a fault calls it, e.g. ``JobService.CreateCustomJob``."""
    return f"{method.service.rpartition('.')[2]}.{method.name}"


def disturbed_methods(methods: Sequence[Method], board: FaultBoard, clock: Clock) -> list[Method]:
    """The same methods, each behind the rules of the board."""
    known = (*map(call_name, methods), *STORAGE_CALLS)
    return [_disturbed(method, board, clock, known) for method in methods]


def rules_of(faults: Sequence[CallFault | ReplicaFault], known: Sequence[str]) -> RuleSet:
    """The faults, ready to count.

    Raises:
        ApiError: If one is of a call that does not exist.
    """
    try:
        check_calls(faults, known)
    except InvalidJobError as error:
        raise ApiError("INVALID_ARGUMENT", str(error)) from error
    return RuleSet(faults)


def _disturbed(method: Method, board: FaultBoard, clock: Clock, known: Sequence[str]) -> Method:
    name = call_name(method)

    async def answer(request: protos.Message, call: Call) -> protos.Message:
        faults = JobSettings.read(call.options).local.faults if call.options else ()
        own = rules_of(faults, known)
        fault = board.of_call(name, own)

        async def act() -> protos.Message:
            response = await method.handler(request, call)
            if own:
                # Before the job's controller has had its first turn.
                job = ResourceName.parse(response.name)
                board.post((job.collection, job.resource_id), own)
            return response

        return await (act() if fault is None else disturb(fault, act, clock))

    return replace(method, handler=answer)
