"""Settings that hold for every job whose create request brings none of its own.

For programs that know nothing of Local Vertex and so cannot send them. The table of methods is
completed here; the meaning of the settings is decided where those of a request are read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.services.methods import Call, Method
from vertex_jobs.job_kinds import JOB_KINDS

_CREATES = tuple(f"Create{kind.message}" for kind in JOB_KINDS)


@dataclass
class StandingSettings:
    """The settings that hold now, in the form of a request's own, which take precedence."""

    options: Mapping[str, Any] = field(default_factory=dict)


def completed_methods(methods: Sequence[Method], standing: StandingSettings) -> list[Method]:
    """Return the same methods; those that make a job get the standing settings as well."""
    return [_completed(one, standing) if one.name in _CREATES else one for one in methods]


def _completed(method: Method, standing: StandingSettings) -> Method:
    async def answer(request: protos.Message, call: Call) -> protos.Message:
        options = {**standing.options, **call.options}
        return await method.handler(request, replace(call, options=options))

    return replace(method, handler=answer)
