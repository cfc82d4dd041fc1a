"""What the verbs need to know about a job and only its resource says.

For progress, footers and TensorBoard. It reads the API's JSON and asks nothing.

Source: CustomJobSpec; the inputs of custom training tasks.
"""

from collections.abc import Mapping
from typing import Any

from vertex_jobs.client import Snapshot
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.names import GcsUri, ResourceName

__all__ = ["base_output_directory", "is_study", "log_directory", "replica_count", "trial_of_job"]

_JOB_SPECS = {
    "custom_job": "jobSpec",
    "custom_training_job": "trainingTaskInputs",
    "hyperparameter_tuning_job": "trialJobSpec",
}


def is_study(snapshot: Snapshot) -> bool:
    """Whether the job has trials."""
    return snapshot.kind.name == "hyperparameter_tuning_job"


def replica_count(snapshot: Snapshot) -> int:
    """Replicas of the job, or of each of its trials."""
    pools = _field(_job_spec(snapshot), "workerPoolSpecs", "worker_pool_specs") or ()
    counts = (_field(pool, "replicaCount", "replica_count") for pool in pools)
    return sum(int(replicas or 0) for replicas in counts)


def base_output_directory(snapshot: Snapshot) -> str:
    """``gs://`` directory of everything that the job writes, with a slash at its end.

    Raises:
        UnsupportedHereError: If the job was created without one.
    """
    base = _field(_job_spec(snapshot), "baseOutputDirectory", "base_output_directory") or {}
    uri = _field(base, "outputUriPrefix", "output_uri_prefix")
    if not uri:
        raise UnsupportedHereError(
            f"{snapshot.name} has no base output directory, so it is not known where it wrote; "
            "give the next one a base_output_dir"
        )
    return str(GcsUri.parse(uri).directory())


def log_directory(snapshot: Snapshot) -> str:
    """Where TensorBoard finds the job's logs: below the base for a study, else in ``logs/``."""
    base = base_output_directory(snapshot)
    return base if is_study(snapshot) else str(GcsUri.parse(base).directory("logs"))


def trial_of_job(snapshot: Snapshot) -> dict[str, str]:
    """Trial ids by the id of the custom job that runs each."""
    trials = snapshot.resource.get("trials", ())
    names = ((trial.get("customJob"), str(trial.get("id", ""))) for trial in trials)
    return {ResourceName.parse(name).resource_id: trial_id for name, trial_id in names if name}


def _job_spec(snapshot: Snapshot) -> Mapping[str, Any]:
    spec: Mapping[str, Any] = snapshot.resource.get(_JOB_SPECS[snapshot.kind.name], {})
    return spec


def _field(message: Mapping[str, Any], camel: str, snake: str) -> Any:
    """A field in either spelling: pipelines of other clients hold snake_case."""
    return message.get(camel, message.get(snake))
