"""The ``local:`` section: settings of Local Vertex that Vertex AI does not have.

For a config's author and for the local endpoint. Nothing here is part of a request.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, WithJsonSchema

from vertex_jobs.errors import Fault
from vertex_jobs.spec.base import Spec
from vertex_jobs.spec.fields import (
    Count,
    Flag,
    Items,
    Number,
    OneOrMore,
    Text,
    Value,
    Whole,
    fault_error,
)
from vertex_jobs.spec.inspection import Rule

Environment = Literal["current", "isolated", "docker", "podman"]

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)?")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def _read_duration(value: Any) -> Any:
    match = None if isinstance(value, bool) else _DURATION.fullmatch(str(value))
    if match is None:
        raise fault_error("must be a duration", "write a number of seconds, or 500ms, 5s, 2m, 1h")
    return float(match[1]) * _UNITS[match[2] or "s"]


#: Seconds; written as a number or with a unit.
Duration = Annotated[
    float,
    BeforeValidator(_read_duration),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0},
                {"type": "string", "pattern": rf"^{_DURATION.pattern}$"},
            ]
        }
    ),
]


def _read_pattern(value: Any) -> Any:
    try:
        re.compile(value)
    except (re.error, TypeError) as error:
        raise fault_error(f"is no regular expression ({error})", "correct it") from error
    return value


#: A regular expression.
Pattern = Annotated[str, BeforeValidator(_read_pattern)]

#: Answers with that HTTP status; or the connection breaks before or after the call has taken
#: effect, or before it takes effect all the same; or there is no answer, or a late one.
CallFaultKind = Literal[
    400,
    403,
    404,
    409,
    429,
    500,
    503,
    504,
    "drop_before",
    "drop_after",
    "commit_late",
    "hang",
    "slow",
]

#: SIGKILL, as when a machine is lost; SIGTERM, and SIGKILL after the notice; the end of a program
#: that ran out of memory; SIGSTOP; an emptied working directory; no machine to start on, in the
#: location or by the project's quota.
ReplicaFaultKind = Literal[
    "kill", "preempt", "out_of_memory", "silence", "lose_disk", "stockout", "quota"
]
#: Those that come before any start.
SHORTAGES = ("stockout", "quota")


class TimedPace(Spec):
    """How long a job stays in each state before it runs."""

    queued: Duration = 0.0
    """Seconds in JOB_STATE_QUEUED."""
    pending: Duration = 0.0
    """Seconds in JOB_STATE_PENDING."""


class LocalImage(Spec):
    """What stands for a container image on this machine."""

    environment: Environment = "current"
    """Where the command runs."""
    command: Items[Text] = ()
    """What stands for the image's entry point and for any command of the job; absolute paths."""
    requirements: Items[Text] = ()
    """What pip installs into an isolated environment of this image."""


class _Fault(Spec):
    """How often a fault happens."""

    times: Count | None = 1
    """How often in all; null for every time."""
    skip: Annotated[Whole, Field(ge=0)] = 0
    """How many occasions pass before the first time."""
    probability: Annotated[Number, Field(ge=0, le=1)] = 1.0
    """Of each occasion after that."""
    seed: Annotated[Whole, Field(ge=0)] = 0
    """Of the draws, which are the same in every run."""


class CallFault(_Fault):
    """A call of an API that goes wrong."""

    call: Text
    """Service and method, or a request to storage, e.g. JobService.CreateCustomJob, storage.*."""
    fault: CallFaultKind
    """An error's HTTP status, or drop_before, drop_after, commit_late, hang, slow."""
    seconds: Duration = 2.0
    """How much later a slow call is answered, or a late one takes effect."""


class ReplicaFault(_Fault):
    """A replica to which something happens; at its start, unless a trigger is given."""

    replica: Text
    """Which ones, e.g. workerpool1-0, or * for all."""
    fault: ReplicaFaultKind
    """What happens."""
    trial: Text = "*"
    """Number of the trial, in a study; * for all."""
    after: Duration | None = None
    """Trigger: seconds after its start."""
    step: Annotated[Whole, Field(ge=0)] | None = None
    """Trigger: the metric step that the trial has reported."""
    log: Pattern | None = None
    """Trigger: a line of its output in which this regular expression is found."""
    checkpoint: Flag = False
    """Trigger: the job has written below its checkpoint directory, and stopped writing there."""
    notice: Duration = 30.0
    """Seconds between SIGTERM and SIGKILL of a preemption; Compute Engine gives up to 30."""


def _fault_kind(value: Any) -> str:
    of_replica = "replica" in value if isinstance(value, Mapping) else hasattr(value, "replica")
    return "replica fault" if of_replica else "call fault"


AnyFault = Annotated[
    Annotated[CallFault, Tag("call fault")] | Annotated[ReplicaFault, Tag("replica fault")],
    Discriminator(_fault_kind),
]


def _pace_kind(value: Any) -> str:
    return "timed" if isinstance(value, (Mapping, TimedPace)) else "named"


Pace = Annotated[
    Annotated[Literal["immediate", "stepped"], Tag("named")] | Annotated[TimedPace, Tag("timed")],
    Discriminator(_pace_kind),
]


def _one_trigger(faults: Sequence[CallFault | ReplicaFault]) -> Iterator[Fault]:
    for number, fault in enumerate(faults):
        given = [
            name
            for name in ("after", "step", "log", "checkpoint")
            if getattr(fault, name, None) not in (None, False)
        ]
        if len(given) > 1:
            rule = f"has the triggers {' and '.join(given)}, and a fault has one"
            yield Fault(f"faults.{number}", None, rule, "write one fault for each")
        elif given and fault.fault in SHORTAGES:
            rule = f"has the trigger {given[0]}, and a {fault.fault} fault comes before any start"
            yield Fault(f"faults.{number}", None, rule, "remove the trigger")


class LocalSettings(Spec):
    """Settings for Local Vertex only."""

    rules: ClassVar[Sequence[Rule]] = (_one_trigger,)

    seed: Annotated[Whole, Field(ge=0)] | None = None
    """Seed of the search; without it one is drawn per study and recorded."""
    environment: Environment = "current"
    """Where package jobs run."""
    images: Mapping[Text, LocalImage] = Field(default={})
    """Container image to the environment and command that stand for it."""
    share_accelerators: bool = False
    """Whether jobs and trials may use the same GPU at the same time."""
    initial_trials: Items[Mapping[Text, Value]] = ()
    """Assignments that the first trials try, in order."""
    warm_start: OneOrMore[Text] = ()
    """Ids of earlier studies on this machine, or gs:// files of trials, to learn from."""
    pace: Pace = "immediate"
    """How fast a job goes from QUEUED to RUNNING; stepped waits for a test."""
    faults: Items[AnyFault] = ()
    """What goes wrong, and when."""
