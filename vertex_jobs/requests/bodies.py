"""The body of each kind of create call, built from a job and read back as a config.

For ``requests``. The labels by which a submission is found again are put in here, and left out
when a job is read.

Source: CustomJob, HyperparameterTuningJob, TrainingPipeline.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vertex_jobs.errors import Fault
from vertex_jobs.job_kinds import (
    CUSTOM_JOB,
    CUSTOM_TRAINING_JOB,
    JOB_KINDS,
    TUNING_JOB,
    JobKind,
)
from vertex_jobs.names import (
    CONTENT_LABEL,
    SUBMISSION_LABEL,
    SUBMISSION_PLACEHOLDER,
    GcsUri,
    ResourceName,
    location_name,
)
from vertex_jobs.requests.codecs import Codec
from vertex_jobs.requests.job_messages import CUSTOM_JOB_SPEC, sent_pools
from vertex_jobs.requests.mapping import (
    Entry,
    Message,
    MessageTable,
    choice,
    field,
    inner,
)
from vertex_jobs.requests.pipeline_messages import INPUT_DATA_CONFIG, MODEL, model_keys
from vertex_jobs.requests.places import Place, Request, package_uris
from vertex_jobs.requests.study_messages import STUDY_SPEC
from vertex_jobs.spec import CustomTrainingJob, JobSpec

if TYPE_CHECKING:
    from vertex_jobs.packaging import Package

#: Hexadecimal digits of the content label: 64 bits, far from chance repetition.
CONTENT_DIGITS = 16
#: Source: schema of custom training tasks.
TASK_DEFINITION = (
    "gs://google-cloud-aiplatform/schema/trainingjob/definition/custom_task_1.0.0.yaml"
)
#: Fields that the service fills in, of a job and of the model that it uploads. Source: CustomJob,
#: HyperparameterTuningJob, TrainingPipeline, Model, where they are marked as output only.
_OUTPUTS = frozenset(
    {
        "name",
        "state",
        "createTime",
        "startTime",
        "endTime",
        "updateTime",
        "error",
        "trials",
        "webAccessUris",
        "satisfiesPzs",
        "satisfiesPzi",
        "trainingTaskMetadata",
    }
)
_MODEL_OUTPUTS = frozenset(
    {
        "name",
        "versionId",
        "versionCreateTime",
        "versionUpdateTime",
        "createTime",
        "updateTime",
        "trainingPipeline",
        "artifactUri",
        "etag",
        "modelSourceInfo",
    }
)


def _own_labels(labels: Any) -> Any:
    if not isinstance(labels, Mapping):
        return labels
    ours = (SUBMISSION_LABEL, CONTENT_LABEL)
    return {key: value for key, value in labels.items() if key not in ours} or None


_NAME = field("displayName", "display_name")
_COMMON = (
    field("labels", "labels", Codec(decode=_own_labels)),
    inner(
        "encryptionSpec",
        MessageTable("EncryptionSpec", field("kmsKeyName", "encryption_spec_key_name")),
    ),
)


def _table(kind: JobKind, *entries: Entry) -> MessageTable:
    return MessageTable(kind.message, _NAME, *entries, *_COMMON)


#: By the kind's name.
TABLES = {
    CUSTOM_JOB.name: _table(CUSTOM_JOB, inner(CUSTOM_JOB.spec_field, CUSTOM_JOB_SPEC)),
    TUNING_JOB.name: _table(
        TUNING_JOB,
        inner("studySpec", STUDY_SPEC),
        field("maxTrialCount", "max_trial_count", absent=1),  # gcloud's own default for both
        field("parallelTrialCount", "parallel_trial_count", absent=1),
        field("maxFailedTrialCount", "max_failed_trial_count"),
        inner(TUNING_JOB.spec_field, CUSTOM_JOB_SPEC),
    ),
    CUSTOM_TRAINING_JOB.name: _table(
        CUSTOM_TRAINING_JOB,
        choice(("dataset", inner("inputDataConfig", INPUT_DATA_CONFIG))),
        field("trainingTaskDefinition", "_task_definition"),
        inner(CUSTOM_TRAINING_JOB.spec_field, CUSTOM_JOB_SPEC),
        choice(("model_serving_container_image_uri", inner("modelToUpload", MODEL))),
        field("modelId", "model_id"),
        field("parentModel", "parent_model"),
    ),
}
_COLLECTIONS = {kind.name: kind.collection for kind in JOB_KINDS}
#: A custom job as gcloud has it, whose spec stands at the top.
_FLAT_CUSTOM_JOB = MessageTable("CustomJobSpec", _NAME, *CUSTOM_JOB_SPEC.entries, *_COMMON)


def build(job: JobSpec, package: "Package | None", place: Place) -> Request:
    """Return the request that creates the job at a place whose staging bucket is already chosen.

    The same job, package and place always give the same request, down to the order of the keys. A
    job without a script has no package.
    """
    uris = package_uris(place, package) if package is not None else ()
    module = package.module_name if package is not None else ""
    keys = {
        **dict(job),
        "worker_pools": sent_pools(job.worker_pools_resolved(), uris, module),
        "base_output_dir": job.base_output_dir or _default_outputs(place),
        "experiment": _context(place, job.experiment),
        "experiment_run": _context(place, job.experiment, job.experiment_run),
        "labels": {**job.labels, SUBMISSION_LABEL: SUBMISSION_PLACEHOLDER},
        "_task_definition": TASK_DEFINITION,
        **(model_keys(job) if isinstance(job, CustomTrainingJob) else {}),
    }
    body = TABLES[job.kind].encode(keys)
    body["labels"] = body["labels"] | {CONTENT_LABEL: _content_hash(body)}
    if isinstance(job, CustomTrainingJob) and "modelToUpload" in body and job.model_labels is None:
        body["modelToUpload"]["labels"] = dict(body["labels"])  # as the SDK does
    return Request(_COLLECTIONS[job.kind], location_name(place.project, place.location), body)


def inputs_of(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return a job's resource without what the service says about it."""
    found = {name: value for name, value in resource.items() if name not in _OUTPUTS}
    model = found.get("modelToUpload")
    if model is not None:
        kept = {name: value for name, value in model.items() if name not in _MODEL_OUTPUTS}
        found["modelToUpload"] = kept
    return found


def read_body(written: Mapping[str, Any]) -> tuple[dict[str, Any], list[Fault]]:
    """Return the keys that a CustomJob, CustomJobSpec or HyperparameterTuningJob says.

    Beside them are the faults of what no key can say.
    """
    kind = TUNING_JOB if "trialJobSpec" in written or "studySpec" in written else CUSTOM_JOB
    is_flat = kind is CUSTOM_JOB and CUSTOM_JOB.spec_field not in written
    faults: list[Fault] = []
    table = _FLAT_CUSTOM_JOB if is_flat else TABLES[kind.name]
    return {"kind": kind.name, **table.decode(Message(written, "", faults))}, faults


def read_job(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return the config of a CustomJob or HyperparameterTuningJob in the API's JSON.

    For what is made of a job that ran, on either endpoint. A package stays where it lies: the
    config names its ``python_package_gcs_uri``. What belongs to the one submission, what the
    service says about the job and what no config can say is left out.
    """
    config, _ = read_body(resource)
    config.pop("base_output_dir", None)
    return config


def _content_hash(body: dict[str, Any]) -> str:
    """Return a short text of what is submitted: equal for equal packages and requests.

    The body, before it carries the content label, names the package by the hash of its files and
    requirements, so the body says it all.
    """
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:CONTENT_DIGITS]


def _default_outputs(place: Place) -> str:
    return str(GcsUri.parse(place.staging_bucket).join("vertex-jobs", SUBMISSION_PLACEHOLDER))


def _context(place: Place, *names: str | None) -> str | None:
    """Return the full name of an experiment, or of a run, which is named after its experiment."""
    present = [name for name in names if name is not None]
    if not present or len(present) < len(names):
        return None
    if "/" in present[-1]:
        return present[-1]
    context_id = "-".join(name.rpartition("/")[2] for name in present)
    parent = (place.project, place.location)
    return str(ResourceName(*parent, "metadataStores", "default", "contexts", context_id))
