"""What the verbs need to know about a job and only its resource says.

For progress, footers and TensorBoard. It reads the API's JSON and asks nothing.

Source: CustomJobSpec; the inputs of custom training tasks.
"""

from vertex_jobs.client import Snapshot
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.names import GcsUri, ResourceName

__all__ = ["base_output_directory", "log_directory", "replica_count", "trial_of_job"]


def replica_count(snapshot: Snapshot) -> int:
    """Replicas of the job, or of each of its trials."""
    pools = snapshot.job_spec.get("workerPoolSpecs", ())
    return sum(int(pool.get("replicaCount") or 0) for pool in pools)


def base_output_directory(snapshot: Snapshot) -> str:
    """``gs://`` directory of everything that the job writes, with a slash at its end.

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
    """Where TensorBoard finds the job's logs: below the base for a study, else in ``logs/``."""
    base = base_output_directory(snapshot)
    return base if snapshot.is_study else str(GcsUri.parse(base).directory("logs"))


def trial_of_job(snapshot: Snapshot) -> dict[str, str]:
    """Trial ids by the id of the custom job that runs each."""
    trials = snapshot.resource.get("trials", ())
    names = ((trial.get("customJob"), str(trial.get("id", ""))) for trial in trials)
    return {ResourceName.parse(name).resource_id: trial_id for name, trial_id in names if name}
