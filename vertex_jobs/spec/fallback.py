"""Another place to try a job at when machines or quota are short: one item of ``fallback``.

For ``job_spec``; ``attempting`` makes the jobs of it.
"""

from typing import Annotated, Any

from pydantic import Field, model_validator

from vertex_jobs.spec.accelerator_shorthand import Accelerator, expand
from vertex_jobs.spec.base import Spec
from vertex_jobs.spec.fields import Count, Seconds, Text
from vertex_jobs.spec.machine_fields import AcceleratorType, SchedulingStrategy


class Fallback(Spec):
    """One other place; what is not given stays as it is."""

    location: Annotated[Text, Field(examples=["europe-west4"])] | None = None
    """Another region."""
    machine_type: Text | None = None
    """Another machine; with an accelerator, for the pools that have one."""
    accelerator: Accelerator | None = None
    """Another accelerator and its machine, as in T4:2."""
    accelerator_type: AcceleratorType | None = None
    """Another accelerator, for every pool that has one."""
    accelerator_count: Count | None = None
    """Its count per replica."""
    scheduling_strategy: SchedulingStrategy | None = None
    """Another way to get machines."""
    max_wait_duration: Seconds | None = None
    """Longest wait for machines in seconds, flex_start only."""

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, written: Any) -> Any:
        return expand(written)
