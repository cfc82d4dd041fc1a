"""The cost so far of a job that exists, from its resource and the time.

For ``describe`` and ``watch``. Only the time between a start and an end counts; the service may
also bill the start of a machine; that is not published.

Source: CustomJob, HyperparameterTuningJob, TrainingPipeline, Trial protos.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from vertex_jobs import catalog
from vertex_jobs.catalog.machine_rules import MachineUse
from vertex_jobs.job_kinds import TUNING_JOB, kind_of_collection
from vertex_jobs.names import ResourceName
from vertex_jobs.preflight.cost.own_prices import priced_catalog
from vertex_jobs.preflight.cost.rates import CostRange, rate
from vertex_jobs.timestamps import read_second


def so_far(resource: Mapping[str, Any], now: datetime) -> CostRange:
    """Return the estimated cost of a job up to now, or of all of it once it has ended.

    The resource is the API's JSON of a custom job, tuning job or training pipeline, ``now`` an
    aware time. A tuning job costs what its trials cost, each for its own time.

    Raises:
        ValueError: If the resource's name is not that of a job.
    """
    name = ResourceName.parse(str(resource["name"]))
    kind = kind_of_collection(name.collection)
    spec = kind.job_spec(resource)
    timed = resource.get("trials", ()) if kind is TUNING_JOB else (resource,)
    hours = sum(_hours(one, now) for one in timed)
    strategy = str(spec.get("scheduling", {}).get("strategy", "")).lower()
    hourly = rate(
        _uses(spec), location=name.location, strategy=strategy, catalog=priced_catalog()
    ).hourly
    return hourly.times(hours)


def _uses(spec: Mapping[str, Any]) -> Iterator[MachineUse]:
    usual_gb = catalog.load().limits.boot_disk_gb_default
    for pool in spec.get("workerPoolSpecs", ()):
        machine, disk = pool.get("machineSpec", {}), pool.get("diskSpec", {})
        if not machine:  # an unused role
            continue
        yield MachineUse(
            machine_type=str(machine.get("machineType") or ""),
            replica_count=int(pool.get("replicaCount") or 1),
            accelerator_type=str(machine.get("acceleratorType") or ""),
            accelerator_count=int(machine.get("acceleratorCount") or 0),
            boot_disk_type=str(disk.get("bootDiskType") or ""),
            boot_disk_size_gb=int(disk.get("bootDiskSizeGb") or usual_gb),
        )


def _hours(timed: Mapping[str, Any], now: datetime) -> float:
    start, end = timed.get("startTime"), timed.get("endTime")
    if not start:
        return 0.0
    until = read_second(str(end)) if end else now
    return max(0.0, (until - read_second(str(start))).total_seconds() / 3600)
