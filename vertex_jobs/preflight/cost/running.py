"""What a job that exists has cost so far, from its resource and the time.

For ``describe`` and ``watch``. Only the time between a start and an end counts; the service may
bill the start of a machine, too, which is not published.

Source: CustomJob, HyperparameterTuningJob, TrainingPipeline, Trial protos.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from vertex_jobs import catalog
from vertex_jobs.names import ResourceName
from vertex_jobs.preflight.cost.amounts import CostRange
from vertex_jobs.preflight.cost.rates import MachineUse, rate

__all__ = ["so_far"]

#: Where each collection keeps its job spec.
_SPEC_KEYS = {
    "customJobs": "jobSpec",
    "hyperparameterTuningJobs": "trialJobSpec",
    "trainingPipelines": "trainingTaskInputs",
}


def so_far(resource: Mapping[str, Any], now: datetime) -> CostRange:
    """The estimated cost of a job up to now, or of all of it once it has ended.

    A tuning job costs what its trials cost, each for its own time.

    Args:
        resource: The API's JSON of a custom job, tuning job or training pipeline.
        now: An aware time.

    Raises:
        ValueError: If the resource's name is none of a job.
    """
    name = ResourceName.parse(str(resource["name"]))
    if name.collection not in _SPEC_KEYS:
        raise ValueError(f"{name} is no job; expected one of {', '.join(_SPEC_KEYS)}")
    spec = resource.get(_SPEC_KEYS[name.collection]) or {}
    spec = _get(spec, "trialJobSpec") or spec  # a pipeline may hold a study
    tuning = name.collection == "hyperparameterTuningJobs"
    timed = resource.get("trials", ()) if tuning else (resource,)
    hours = sum(_hours(one, now) for one in timed)
    strategy = str(_get(_get(spec, "scheduling") or {}, "strategy") or "").lower()
    hourly = rate(
        _uses(spec), location=name.location, strategy=strategy, catalog=catalog.load()
    ).hourly
    return hourly.times(hours)


def _uses(spec: Mapping[str, Any]) -> Iterator[MachineUse]:
    for pool in _get(spec, "workerPoolSpecs") or ():
        machine = _get(pool, "machineSpec") or {}
        disk = _get(pool, "diskSpec") or {}
        if not machine:  # an unused role
            continue
        yield MachineUse(
            machine_type=str(_get(machine, "machineType") or ""),
            replica_count=int(_get(pool, "replicaCount") or 1),
            accelerator_type=str(_get(machine, "acceleratorType") or ""),
            accelerator_count=int(_get(machine, "acceleratorCount") or 0),
            boot_disk_type=str(_get(disk, "bootDiskType") or "pd-ssd"),
            boot_disk_size_gb=int(_get(disk, "bootDiskSizeGb") or 100),
        )


def _get(message: Mapping[str, Any], key: str) -> Any:
    """A field under its JSON name, or under the proto's, which free-form inputs may have."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
    return message.get(key, message.get(snake))


def _hours(timed: Mapping[str, Any], now: datetime) -> float:
    start, end = timed.get("startTime"), timed.get("endTime")
    if not start:
        return 0.0
    until = _moment(str(end)) if end else now
    return max(0.0, (until - _moment(str(start))).total_seconds() / 3600)


def _moment(text: str) -> datetime:
    """A time of the API to the second; Python 3.10 reads no nine decimals."""
    return datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
