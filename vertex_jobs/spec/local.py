"""The ``local:`` section: settings of Local Vertex that Vertex AI does not have.

For a config's author and for the local endpoint. Nothing here is part of a request.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from vertex_jobs.spec.base import Spec
from vertex_jobs.spec.fields import Items, Text, Value, Whole, fault_error

__all__ = ["Environment", "LocalImage", "LocalSettings", "TimedPace"]

Environment = Literal["current", "isolated", "docker", "podman"]

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)?")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def _read_duration(value: Any) -> Any:
    match = None if isinstance(value, bool) else _DURATION.fullmatch(str(value))
    if match is None:
        raise fault_error("must be a duration", "write a number of seconds, or 500ms, 5s, 2m, 1h")
    return float(match[1]) * _UNITS[match[2] or "s"]


#: Seconds; written as a number or with a unit.
Duration = Annotated[float, BeforeValidator(_read_duration)]


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


def _pace_kind(value: Any) -> str:
    return "timed" if isinstance(value, (Mapping, TimedPace)) else "named"


Pace = Annotated[
    Annotated[Literal["immediate", "stepped"], Tag("named")] | Annotated[TimedPace, Tag("timed")],
    Discriminator(_pace_kind),
]


class LocalSettings(Spec):
    """Settings for Local Vertex only."""

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
    pace: Pace = "immediate"
    """How fast a job goes from QUEUED to RUNNING; stepped waits for a test."""
    faults: Items[Mapping[str, Any]] = ()
    """Failures to inject; Local Vertex knows their kinds."""
