"""The three kinds of job: one table of what sets them apart, and what their states mean.

For every module that must tell a custom job from a tuning job or a training pipeline. It holds no
connection and imports none of Google's libraries.

Source: JobState and PipelineState protos; the generated JobService and PipelineService clients.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vertex_jobs.names import ResourceName

#: A job in one of these goes on; in any other, known today or not, waiting ends. An absent state
#: is UNSPECIFIED: an answer that does not say anything about the job, so it ends nothing.
_ACTIVE = frozenset({"UNSPECIFIED", "QUEUED", "PENDING", "RUNNING", "CANCELLING", "UPDATING"})
_SUCCESSFUL = frozenset({"SUCCEEDED", "PARTIALLY_SUCCEEDED"})


@dataclass(frozen=True)
class JobKind:
    """One kind of job.

    Attributes:
        name: As a config's ``kind`` says it.
        word: The same where there is little room.
        collection: Last but one component of its resource names.
        service: ``job`` or ``pipeline``: which generated client has the methods.
        noun: The resource in method names, e.g. ``create_<noun>``.
        message: The proto's name.
        sdk_class: The class of the same job in ``google.cloud.aiplatform``.
        spec_field: Where a resource has its CustomJobSpec, in the API's JSON.
    """

    name: str
    word: str
    collection: str
    service: str
    noun: str
    message: str
    sdk_class: str
    spec_field: str

    def job_spec(self, resource: Mapping[str, Any]) -> dict[str, Any]:
        """Return the CustomJobSpec of a resource in the API's JSON, empty if it has none.

        A pipeline's inputs are a free-form value that other clients write in snake_case; they may
        hold a study. Either way the answer is one job's spec in camelCase.
        """
        spec: dict[str, Any] = camel_case(resource.get(self.spec_field) or {})
        return spec.get(TUNING_JOB.spec_field) or spec


CUSTOM_JOB = JobKind(
    name="custom_job",
    word="custom",
    collection="customJobs",
    service="job",
    noun="custom_job",
    message="CustomJob",
    sdk_class="CustomJob",
    spec_field="jobSpec",
)
CUSTOM_TRAINING_JOB = JobKind(
    name="custom_training_job",
    word="training",
    collection="trainingPipelines",
    service="pipeline",
    noun="training_pipeline",
    message="TrainingPipeline",
    sdk_class="CustomPythonPackageTrainingJob",
    spec_field="trainingTaskInputs",
)
TUNING_JOB = JobKind(
    name="hyperparameter_tuning_job",
    word="tuning",
    collection="hyperparameterTuningJobs",
    service="job",
    noun="hyperparameter_tuning_job",
    message="HyperparameterTuningJob",
    sdk_class="HyperparameterTuningJob",
    spec_field="trialJobSpec",
)
JOB_KINDS = (CUSTOM_JOB, CUSTOM_TRAINING_JOB, TUNING_JOB)


def kind_of_collection(collection: str) -> JobKind:
    """Return the kind whose jobs live in that collection.

    Raises:
        ValueError: If it is none of the three.
    """
    for kind in JOB_KINDS:
        if kind.collection == collection:
            return kind
    known = ", ".join(kind.collection for kind in JOB_KINDS)
    raise ValueError(f"{collection!r} holds no jobs; the collections are {known}")


def kind_of_name(name: str) -> JobKind:
    """Return the kind of the job with that full resource name.

    Raises:
        ValueError: If it is no resource name, or names no job.
    """
    return kind_of_collection(ResourceName.parse(name).collection)


def camel_case(node: Any) -> Any:
    """Return a JSON value whose keys are in camelCase; keys that are so already stay."""
    if isinstance(node, Mapping):
        return {_camel_key(str(key)): camel_case(value) for key, value in node.items()}
    return [camel_case(item) for item in node] if isinstance(node, list) else node


def _camel_key(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def short_state(state: str) -> str:
    """Return ``RUNNING`` for ``JOB_STATE_RUNNING`` and for ``PIPELINE_STATE_RUNNING``."""
    return state.removeprefix("PIPELINE_STATE_").removeprefix("JOB_STATE_")


def is_terminal(state: str) -> bool:
    """Return whether waiting for the job ends in this state."""
    return short_state(state) not in _ACTIVE


def is_success(state: str) -> bool:
    """Return whether the job has produced what it was for, if only in part."""
    return short_state(state) in _SUCCESSFUL
