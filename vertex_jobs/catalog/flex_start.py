"""What a job on the FLEX_START strategy must be like, by its machines and its time limit.

For the rules of ``check`` and for Local Vertex's admission, each of which has its own words.

Source: documentation page "Schedule training jobs based on resource availability".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from vertex_jobs.catalog.machine_rules import MachineUse
from vertex_jobs.catalog.table import load


@dataclass(frozen=True)
class FlexStartFault:
    """One requirement that is not met.

    Attributes:
        of: Its accelerator, its machines being equal in all pools, or its time limit.
        pool: Place of the pool among those given; 0 for the time limit.
    """

    of: Literal["accelerator", "machines", "timeout"]
    pool: int = 0


def flex_start_faults(
    pools: Sequence[MachineUse], timeout_seconds: float
) -> Iterator[FlexStartFault]:
    """Yield what such a job with these used pools does not meet."""
    limits = load().limits
    for number, use in enumerate(pools):
        if use.accelerator_type not in limits.flex_start_accelerators:
            yield FlexStartFault("accelerator", number)
        elif _configuration(use) != _configuration(pools[0]):
            yield FlexStartFault("machines", number)
    if timeout_seconds > limits.flex_start_max_timeout_seconds:
        yield FlexStartFault("timeout")


def _configuration(use: MachineUse) -> tuple[str, str, int]:
    return use.machine_type, use.accelerator_type, use.accelerator_count
