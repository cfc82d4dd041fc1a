"""The body of each kind of create call, with the labels by which a submission is found again.

For ``requests``. Source: CustomJob, HyperparameterTuningJob.
"""

import hashlib
import json
from typing import TYPE_CHECKING, Any

from vertex_jobs.names import (
    CONTENT_LABEL,
    SUBMISSION_LABEL,
    SUBMISSION_PLACEHOLDER,
    location_name,
)
from vertex_jobs.requests.job_specs import job_spec, set_fields
from vertex_jobs.requests.pipelines import training_pipeline
from vertex_jobs.requests.places import Place, Request, package_uris
from vertex_jobs.requests.studies import study_spec
from vertex_jobs.spec import CustomTrainingJob, HyperparameterTuningJob, JobSpec

if TYPE_CHECKING:
    from vertex_jobs.packaging import Package

__all__ = ["build", "content_hash"]

#: Hexadecimal digits of the content label: 64 bits, far from chance repetition.
CONTENT_DIGITS = 16


def build(job: JobSpec, package: "Package | None", place: Place) -> Request:
    """The request that creates the job.

    The same job, package and place always give the same request, down to the order of the keys.

    Args:
        job: The job.
        package: Of the job's script; None when the job has none.
        place: Where it is submitted, the staging bucket already chosen.
    """
    uris = package_uris(place, package) if package is not None else ()
    module = package.module_name if package is not None else ""
    spec = job_spec(job, place, uris, module)
    if isinstance(job, HyperparameterTuningJob):
        collection, body = "hyperparameterTuningJobs", _tuning_job(job, spec)
    elif isinstance(job, CustomTrainingJob):
        collection, body = "trainingPipelines", training_pipeline(job, spec)
    else:
        collection, body = "customJobs", {"displayName": job.display_name, "jobSpec": spec}
    labels = {**job.labels, SUBMISSION_LABEL: SUBMISSION_PLACEHOLDER}
    key = job.encryption_spec_key_name
    body |= set_fields(labels=labels, encryptionSpec={"kmsKeyName": key} if key else None)
    labels[CONTENT_LABEL] = content_hash(body)
    if isinstance(job, CustomTrainingJob) and "modelToUpload" in body and job.model_labels is None:
        body["modelToUpload"]["labels"] = dict(labels)  # as the SDK does
    return Request(collection, location_name(place.project, place.location), body)


def content_hash(body: dict[str, Any]) -> str:
    """What is submitted, as one short text: equal for equal packages and requests.

    The body names the package by the hash of its files and requirements, so the body says it all.

    Args:
        body: A request's body before it carries the content label.
    """
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:CONTENT_DIGITS]


def _tuning_job(job: HyperparameterTuningJob, spec: dict[str, Any]) -> dict[str, Any]:
    return set_fields(
        displayName=job.display_name,
        studySpec=study_spec(job),
        maxTrialCount=job.max_trial_count,
        parallelTrialCount=job.parallel_trial_count,
        maxFailedTrialCount=job.max_failed_trial_count,
        trialJobSpec=spec,
    )
