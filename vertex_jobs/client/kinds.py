"""The three kinds of job and their states: one table instead of three classes.

For the client's other modules and the command line. A kind says which collection holds the job and
what the generated client's methods are called; it holds no connection.

Source: JobState and PipelineState protos; the generated JobService and PipelineService clients.
"""

from dataclasses import dataclass

__all__ = ["KINDS", "JobKind", "is_success", "is_terminal", "kind_of_collection", "short_state"]

#: A job in one of these goes on; in any other, known today or not, waiting ends. An absent state
#: is UNSPECIFIED: an answer that does not say anything about the job, so it ends nothing.
_ACTIVE = frozenset({"UNSPECIFIED", "QUEUED", "PENDING", "RUNNING", "CANCELLING", "UPDATING"})
_SUCCESSFUL = frozenset({"SUCCEEDED", "PARTIALLY_SUCCEEDED"})


@dataclass(frozen=True)
class JobKind:
    """One kind of job.

    Attributes:
        name: As a config's ``kind`` says it.
        collection: Last but one component of its resource names.
        service: ``job`` or ``pipeline``: which generated client has the methods.
        noun: The resource in method names, e.g. ``create_<noun>``.
        message: The proto's name.
        sdk_class: The class of the same job in ``google.cloud.aiplatform``.
    """

    name: str
    collection: str
    service: str
    noun: str
    message: str
    sdk_class: str


KINDS = (
    JobKind("custom_job", "customJobs", "job", "custom_job", "CustomJob", "CustomJob"),
    JobKind(
        "custom_training_job",
        "trainingPipelines",
        "pipeline",
        "training_pipeline",
        "TrainingPipeline",
        "CustomPythonPackageTrainingJob",
    ),
    JobKind(
        "hyperparameter_tuning_job",
        "hyperparameterTuningJobs",
        "job",
        "hyperparameter_tuning_job",
        "HyperparameterTuningJob",
        "HyperparameterTuningJob",
    ),
)


def kind_of_collection(collection: str) -> JobKind:
    """The kind whose jobs live in that collection.

    Raises:
        ValueError: If it is none of the three.
    """
    for kind in KINDS:
        if kind.collection == collection:
            return kind
    known = ", ".join(kind.collection for kind in KINDS)
    raise ValueError(f"{collection!r} holds no jobs; the collections are {known}")


def short_state(state: str) -> str:
    """``RUNNING`` for ``JOB_STATE_RUNNING`` and for ``PIPELINE_STATE_RUNNING``."""
    return state.removeprefix("PIPELINE_STATE_").removeprefix("JOB_STATE_")


def is_terminal(state: str) -> bool:
    """Whether waiting for the job ends in this state."""
    return short_state(state) not in _ACTIVE


def is_success(state: str) -> bool:
    """Whether the job has produced what it was for, if only in part."""
    return short_state(state) in _SUCCESSFUL
