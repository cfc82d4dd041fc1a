"""What a study learns from before its first trial: ``run --warm-start JOB`` or ``FILE.json``."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from vertex_jobs.cli.options import Options
from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.study.exported import read_exported

if TYPE_CHECKING:
    from vertex_jobs.endpoints import Endpoint
    from vertex_jobs.spec import JobSpec

__all__ = ["earlier_trials"]


def earlier_trials(options: Options, endpoint: "Endpoint", job: "JobSpec") -> dict[str, list[str]]:
    """The setting that names them: ids of jobs, and where exported trials have been put.

    Raises:
        InvalidJobError: If a file holds no exported trials.
    """
    bucket = endpoint.place_of(job).staging_bucket
    found = [
        _put(endpoint, Path(text), bucket)
        if text.endswith(".json")
        else endpoint.job(text).last_seen.job_id
        for text in options.warm_start
    ]
    return {"warm_start": found} if found else {}


def _put(endpoint: "Endpoint", path: Path, bucket: str) -> str:
    """Copy an export to the staging bucket, under a name made of its content."""
    try:
        content = path.read_bytes()
        read_exported(content.decode())
    except (OSError, ValueError) as error:
        rule = f"cannot be read as trials: {error}"
        remedy = "write it with: vertex-jobs trials JOB --format json > trials.json"
        raise InvalidJobError(
            [Fault("--warm-start", str(path), rule, remedy)], "command line"
        ) from (error)
    digest = hashlib.sha256(content).hexdigest()[:16]
    uri = f"{bucket.rstrip('/')}/vertex-jobs-trials/{digest}.json"
    endpoint.outputs().write_bytes(uri, content)
    return uri
