"""Details of a job that only its resource says, and its log lines as they are shown.

For the verbs of a job and for progress. It reads the API's JSON and asks nothing.

Source: CustomJobSpec; the inputs of custom training tasks.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from vertex_jobs.client import LogEntry, Snapshot
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.names import GcsUri, ResourceName
from vertex_jobs.runtime.cluster import ROLES


def replica_count(snapshot: Snapshot) -> int:
    """Return the number of replicas of the job, or of each of its trials."""
    pools = snapshot.job_spec.get("workerPoolSpecs", ())
    return sum(int(pool.get("replicaCount") or 0) for pool in pools)


def replicas(snapshot: Snapshot) -> list[tuple[str, str, str]]:
    """Return id, role and machine of each replica of the job, the chief first."""
    return [
        (f"workerpool{number}-{index}", ROLES[number], _machine(pool))
        for number, pool in enumerate(snapshot.job_spec.get("workerPoolSpecs", ()))
        for index in range(int(pool.get("replicaCount") or 0))
    ]


def _machine(pool: Mapping[str, Any]) -> str:
    machine = pool.get("machineSpec", {})
    count = machine.get("acceleratorCount", 0)
    gpus = f" with {count} {machine.get('acceleratorType')}" if count else ""
    return f"{machine.get('machineType', '')}{gpus}"


def base_output_directory(snapshot: Snapshot) -> str:
    """Return the ``gs://`` directory of all that the job writes, with a slash at its end.

    Raises:
        UnsupportedHereError: If the job was created without one.
    """
    uri = snapshot.job_spec.get("baseOutputDirectory", {}).get("outputUriPrefix")
    if not uri:
        raise UnsupportedHereError(
            f"{snapshot.name} has no base output directory, so it is not known where it wrote; "
            "give the next one a base_output_dir"
        )
    return str(GcsUri.parse(uri).directory())


def log_directory(snapshot: Snapshot) -> str:
    """Return where TensorBoard finds the logs: below the base for a study, else in ``logs/``."""
    base = base_output_directory(snapshot)
    return base if snapshot.is_study else str(GcsUri.parse(base).directory("logs"))


def trial_of_job(snapshot: Snapshot) -> dict[str, str]:
    """Return trial ids by the id of the custom job that runs each."""
    trials = snapshot.resource.get("trials", ())
    names = ((trial.get("customJob"), str(trial.get("id", ""))) for trial in trials)
    return {ResourceName.parse(name).resource_id: trial_id for name, trial_id in names if name}


def cost_so_far(snapshot: Snapshot, now: datetime) -> str:
    """Return what the job has cost in list prices; empty before it has cost anything."""
    from vertex_jobs.preflight.cost import so_far

    cost = so_far(snapshot.resource, now)
    return str(cost) if cost.high or cost.unknown else ""


def line_format(job: Callable[[], Snapshot]) -> Callable[[LogEntry], str]:
    """Return how a job's lines are shown: with trial and replica where there are several.

    ``job`` gives the job as it was last seen, so that new trials are known.
    """
    prefixes: dict[tuple[str, str, str], str] = {}

    def as_line(entry: LogEntry) -> str:
        key = entry.job_id, entry.trial, entry.replica
        prefix = prefixes.get(key)
        if prefix is None:
            snapshot = job()
            trials = trial_of_job(snapshot)
            prefix = _source(entry, trials, replica_count(snapshot))
            if entry.job_id in (*trials, snapshot.job_id) or not snapshot.is_study:
                prefixes[key] = prefix  # that of a trial that is not listed yet may change
        return prefix + entry.text

    return as_line


def _source(entry: LogEntry, trials: Mapping[str, str], replicas: int) -> str:
    trial = entry.trial or trials.get(entry.job_id)
    source = [f"trial {trial}"] if trial else []
    if entry.replica == "service" or replicas > 1:
        source.append(entry.replica)
    return f"{' '.join(source)} | " if source else ""
