"""``accelerator: T4:2``, the short way to say machine, accelerator and count.

For jobs, pools and fallbacks. The three fields replace it when a config is read, so nothing else
knows it. The machine is the default one if that takes the accelerators, else the smallest that
does: the fewest vCPUs, then the least memory. A ``machine_type`` in the config stays.
"""

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from vertex_jobs import catalog
from vertex_jobs.errors import Fault
from vertex_jobs.spec.fields import fault_error
from vertex_jobs.spec.machine_fields import DEFAULT_MACHINE
from vertex_jobs.spec.spelling import suggestion

_FORM = re.compile(r"\s*([A-Za-z0-9_-]+)\s*(?::\s*(\d+)\s*)?")


def expand(written: Any) -> Any:
    """Return the fields with ``accelerator`` replaced by what it stands for, if that is clear.

    It is not clear if a part of it is written as well, or if the pools have machines of their own;
    the rules and the field's own check then say so.
    """
    if not isinstance(written, Mapping) or written.get("worker_pools") is not None:
        return written
    if any(written.get(name) is not None for name in ("accelerator_type", "accelerator_count")):
        return written
    kind, count = _parsed(written.get("accelerator"))
    machine = _machine(kind, count)
    if machine is None:
        return written
    return {
        "machine_type": machine,
        **{name: value for name, value in written.items() if name != "accelerator"},
        "accelerator_type": kind,
        "accelerator_count": count,
    }


def short_name(accelerator_type: str) -> str:
    """Return the short name: ``T4`` for ``NVIDIA_TESLA_T4``."""
    return next(short for short, name in _names().items() if name == accelerator_type)


def shorthand_faults(prefix: str, accelerator: str | None, elsewhere: str) -> Iterator[Fault]:
    """Yield the fault of a shorthand that was not replaced, since its parts are given elsewhere."""
    if accelerator is not None:
        rule = f"is the short form of what {elsewhere} says"
        yield Fault(f"{prefix}accelerator", accelerator, rule, f"remove it or {elsewhere}")


def _check(value: Any) -> Any:
    match = _FORM.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise fault_error("must be an accelerator and a count", "write for example T4:2")
    kind, count = _parsed(value)
    if kind is None:
        choices = ", ".join(_names())
        remedy = suggestion(match[1], _names(), f"write one of {choices}")
        if match[1].upper().startswith(("TPU", "V5", "V6")):
            remedy = "name a TPU by its machine_type, and see the machines for what that needs"
        raise fault_error("is no GPU that a machine takes", remedy)
    if _machine(kind, count) is None:
        allowed = _counts(kind)
        listed = ", ".join(f"{short_name(kind)}:{one}" for one in allowed)
        raise fault_error(f"{kind} comes in counts of {_listed(allowed)}", f"write one of {listed}")
    return value


#: An accelerator's short or full name and, after a colon, its count; 1 without.
Accelerator = Annotated[
    str,
    BeforeValidator(_check),
    WithJsonSchema({"type": "string", "pattern": r"^[A-Za-z0-9_-]+(:[0-9]+)?$"}),
]


def _parsed(value: Any) -> tuple[str | None, int]:
    """Return type and count; no type if there is no such GPU."""
    match = _FORM.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None, 0
    word = match[1].upper().replace("-", "_")
    names = _names()
    kind = word if word in names.values() else names.get(word)
    return kind, int(match[2] or 1)


@functools.cache
def _names() -> dict[str, str]:
    """Return every GPU that a machine takes, by the shortest name that no other has."""
    taken = {name for machine in catalog.load().machines.values() for name in machine.accelerators}
    names: dict[str, str] = {}
    for name in catalog.load().accelerators:
        if name in taken:
            plain = name.removeprefix("NVIDIA_").removeprefix("TESLA_")
            short = re.sub(r"_\d+GB$", "", plain)
            names[plain if short in names else short] = name
    return names


def _machine(kind: str | None, count: int) -> str | None:
    if kind is None:  # the table of machines need not be read
        return None
    fitting = [
        (machine.name != DEFAULT_MACHINE, machine.vcpus, machine.memory_gb, machine.name)
        for machine in catalog.load().machines.values()
        if count in machine.accelerators.get(kind, ())
    ]
    return min(fitting)[-1] if fitting else None


def _counts(kind: str) -> list[int]:
    machines = catalog.load().machines.values()
    return sorted({count for machine in machines for count in machine.accelerators.get(kind, ())})


def _listed(counts: list[int]) -> str:
    *first, last = map(str, counts)
    return f"{', '.join(first)} or {last}" if first else last
