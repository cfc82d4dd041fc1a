"""``accelerator: T4:2`` and ``cpus: 8``, the short ways to say which machine.

For jobs, pools and fallbacks. Machine, accelerator and count replace ``accelerator`` when a config
is read, so nothing else knows it; of a TPU, as ``v5e:2x4``, machine and topology, on the fewest
machines. The machine of a GPU is the default one if that takes it, else the smallest that does: the
fewest vCPUs, then the least memory. If ``cpus`` or ``memory_gb`` are given it is the cheapest of
those that are large enough. A ``machine_type`` in the config stays.
"""

import functools
import math
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from vertex_jobs import catalog
from vertex_jobs.catalog import Machine
from vertex_jobs.errors import Fault
from vertex_jobs.spec.fields import fault_error
from vertex_jobs.spec.machine_fields import DEFAULT_MACHINE
from vertex_jobs.spec.spelling import suggestion

_FORM = re.compile(r"\s*([A-Za-z0-9_-]+)\s*(?::\s*(\d+)\s*)?")
_TPU_FORM = re.compile(r"\s*(?:tpu[-_ ]?)?(v?\w+)\s*:\s*(\d+x\d+(?:x\d+)?)\s*", re.IGNORECASE)


def expand(written: Any) -> Any:
    """Return the fields with ``accelerator`` replaced by what it stands for, if that is clear.

    It is not clear if a part of it is written as well, or if the pools have machines of their own;
    the rules and the field's own check then say so.
    """
    if not isinstance(written, Mapping) or written.get("worker_pools") is not None:
        return written
    cpus, memory_gb = _number(written.get("cpus")), _number(written.get("memory_gb"))
    short = written.get("accelerator")
    kind, count = written.get("accelerator_type"), written.get("accelerator_count")
    if short is None:
        machine = choose_machine(kind, count or 0, cpus, memory_gb) if cpus or memory_gb else None
        return _with_machine(written, machine)
    if kind is not None or count is not None:
        return written
    tpu = _tpu(short)
    if tpu is not None and written.get("tpu_topology") is None:
        return {**_with_machine(written, tpu[0]), "tpu_topology": tpu[1]}
    kind, count = _parsed(short)
    any_size = choose_machine(kind, count) if kind else None
    if any_size is None:
        return written
    machine = choose_machine(kind, count, cpus, memory_gb) or any_size
    return {**_with_machine(written, machine), "accelerator_type": kind, "accelerator_count": count}


def choose_machine(
    kind: str | None, count: int, cpus: float = 0, memory_gb: float = 0
) -> str | None:
    """Return the machine for GPUs, or for none, of the size asked for; None if there is none."""
    fitting = [
        machine
        for machine in catalog.load().machines.values()
        if (count in machine.accelerators.get(kind, ()) if kind else True)
        and (kind or not machine.accelerator_required)
        and machine.vcpus >= cpus
        and machine.memory_gb >= memory_gb
    ]
    if not (cpus or memory_gb):
        fitting.sort(key=lambda one: (one.name != DEFAULT_MACHINE, one.vcpus, one.memory_gb))
    else:
        fitting.sort(key=lambda one: (_price(one), one.vcpus, one.memory_gb))
    return fitting[0].name if fitting else None


def _price(machine: Machine) -> float:
    return math.inf if machine.price is None else machine.price.usd_per_hour


def _number(value: Any) -> float:
    """Return a size as written; 0 for what the field's own check refuses."""
    return value if isinstance(value, (int, float)) and math.isfinite(value) else 0


def _tpu(value: Any) -> tuple[str, str] | None:
    """Return machine and topology of ``v5e:2x4``, None if it is no TPU's."""
    match = _TPU_FORM.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    fitting = [
        (machine.virtual_machines[match[2]], machine.name)
        for machine in catalog.load().tpu_machines.values()
        if machine.generation.lstrip("v") == match[1].lower().lstrip("v")
        and match[2] in machine.topologies
    ]
    return (min(fitting)[1], match[2]) if fitting else None


def _with_machine(written: Mapping[str, Any], machine: str | None) -> dict[str, Any]:
    """Return the fields with a machine, unless there is one, and without the accelerator."""
    others = {name: value for name, value in written.items() if name != "accelerator"}
    return {"machine_type": machine, **others} if machine else others


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
    if isinstance(value, str) and _TPU_FORM.fullmatch(value):
        return _check_tpu(value)
    if match is None:
        raise fault_error("must be an accelerator and a count", "write for example T4:2")
    kind, count = _parsed(value)
    if kind is None:
        choices = ", ".join(_names())
        remedy = suggestion(match[1], _names(), f"write one of {choices}")
        if match[1].upper().startswith(("TPU", "V5", "V6")):
            remedy = "name a TPU by its generation and topology, as v5e:2x4, or by its machine_type"
        raise fault_error("is no GPU that a machine takes", remedy)
    if choose_machine(kind, count) is None:
        allowed = _counts(kind)
        listed = ", ".join(f"{short_name(kind)}:{one}" for one in allowed)
        raise fault_error(f"{kind} comes in counts of {_listed(allowed)}", f"write one of {listed}")
    return value


def _check_tpu(value: str) -> str:
    if _tpu(value) is None:
        machines = catalog.load().tpu_machines.values()
        known = [f"{one.generation}:{shape}" for one in machines for shape in one.topologies]
        listed = ", ".join(dict.fromkeys(known))
        raise fault_error("is no TPU that a machine has", suggestion(value, known, f"use {listed}"))
    return value


#: An accelerator's short or full name and, after a colon, its count; 1 without.
Accelerator = Annotated[
    str,
    BeforeValidator(_check),
    WithJsonSchema({"type": "string", "pattern": r"^[A-Za-z0-9_-]+(:[0-9]+(x[0-9]+)*)?$"}),
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


def _counts(kind: str) -> list[int]:
    machines = catalog.load().machines.values()
    return sorted({count for machine in machines for count in machine.accelerators.get(kind, ())})


def _listed(counts: list[int]) -> str:
    *first, last = map(str, counts)
    return f"{', '.join(first)} or {last}" if first else last
