"""Rules on the places that are tried when machines or quota are short.

For the table in ``rules``. Whether a region has such machines is checked in ``preflight``.

Source: CustomJobSpec, whose resources have to be in the job's own region.
"""

import re
from collections.abc import Iterator, Sequence

from vertex_jobs.errors import Fault
from vertex_jobs.spec.accelerator_shorthand import shorthand_faults
from vertex_jobs.spec.attachments import PscInterfaceConfig
from vertex_jobs.spec.fallback import Fallback
from vertex_jobs.spec.rules.resources import accelerator_faults

_LOCATION = re.compile(r"[a-z]+(-[a-z]+)+\d+")
_REGION_IN_NAME = re.compile(r"/(?:locations|regions)/([^/]+)/")


def _places(fallback: Sequence[Fallback]) -> Iterator[Fault]:
    for number, place in enumerate(fallback):
        path = f"fallback.{number}"
        if all(value is None for _, value in place):
            rule = "says nothing that differs"
            yield Fault(path, {}, rule, "add location or machine_type, or remove it")
        if place.location is not None and not _LOCATION.fullmatch(place.location):
            remedy = "write a region, for example europe-west4"
            yield Fault(f"{path}.location", place.location, "is no region's name", remedy)
        accelerator = (place.accelerator_type, place.accelerator_count)
        yield from accelerator_faults(f"{path}.", *accelerator)
        yield from shorthand_faults(f"{path}.", place.accelerator, "accelerator_type")
        if place.max_wait_duration is not None and place.scheduling_strategy != "flex_start":
            rule = "only scheduling_strategy flex_start waits"
            remedy = "add scheduling_strategy: flex_start there, or remove it"
            yield Fault(f"{path}.max_wait_duration", place.max_wait_duration, rule, remedy)


def _regional_resources(
    fallback: Sequence[Fallback],
    encryption_spec_key_name: str | None,
    tensorboard: str | None,
    psc_interface_config: PscInterfaceConfig | None,
    persistent_resource_id: str | None,
) -> Iterator[Fault]:
    attachment = psc_interface_config.network_attachment if psc_interface_config else None
    named = {
        "encryption_spec_key_name": encryption_spec_key_name,
        "tensorboard": tensorboard,
        "psc_interface_config.network_attachment": attachment,
    }
    for number, place in enumerate(fallback):
        path = f"fallback.{number}.location"
        if place.location is None:
            continue
        for field, name in named.items():
            region = _REGION_IN_NAME.search(name or "")
            if region is not None and region[1] not in (place.location, "global"):
                rule = f"{field} is in {region[1]}, and a job's resources are in its own region"
                yield Fault(path, place.location, rule, f"remove this fallback or {field}")
        if persistent_resource_id is not None:
            rule = "persistent_resource_id names machines of one region"
            remedy = "remove this fallback or persistent_resource_id"
            yield Fault(path, place.location, rule, remedy)


FALLBACK_RULES = (_places, _regional_resources)
