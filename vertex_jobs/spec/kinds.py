"""The kinds of job by the name that a config gives.

For whoever reads configs or says what can be in one.
"""

from vertex_jobs.spec.jobs import CustomJob, HyperparameterTuningJob, JobSpec
from vertex_jobs.spec.training import CustomTrainingJob

__all__ = ["KINDS"]

KINDS: dict[str, type[JobSpec]] = {
    "custom_job": CustomJob,
    "custom_training_job": CustomTrainingJob,
    "hyperparameter_tuning_job": HyperparameterTuningJob,
}
