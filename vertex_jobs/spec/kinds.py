"""The three kinds of job, as data: what a config of each kind can say.

For whoever reads configs or makes requests; programs make the classes of ``vertex_jobs.jobs``,
which extend these.

Source: CustomJob, HyperparameterTuningJob; the SDK's classes of the same names.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from vertex_jobs.job_kinds import CUSTOM_JOB, CUSTOM_TRAINING_JOB, TUNING_JOB
from vertex_jobs.spec.fields import Count, Text, Whole
from vertex_jobs.spec.inspection import Rule
from vertex_jobs.spec.job_spec import JobSpec
from vertex_jobs.spec.parameters import ParameterSpec
from vertex_jobs.spec.rules import COMMON_RULES, STUDY_RULES, WHOLE_STUDY_RULES
from vertex_jobs.spec.stopping import AutomatedStoppingSpec, StudyStoppingConfig
from vertex_jobs.spec.training import CustomTrainingJob

Goal = Literal["minimize", "maximize"]


class CustomJob(JobSpec):
    """A training job."""

    kind: Literal["custom_job"] = "custom_job"


class HyperparameterTuningJob(JobSpec):
    """A study: many trials of one training job, the best parameters searched for."""

    rules: ClassVar[Sequence[Rule]] = (*COMMON_RULES, *STUDY_RULES)
    whole_rules: ClassVar[Sequence[Rule]] = WHOLE_STUDY_RULES

    kind: Literal["hyperparameter_tuning_job"] = "hyperparameter_tuning_job"
    metric_spec: Annotated[
        Mapping[Text, Goal], Field(min_length=1, examples=["{accuracy: maximize}"])
    ]
    """Metric id to goal: minimize or maximize."""
    parameter_spec: Annotated[
        Mapping[Text, ParameterSpec],
        Field(
            min_length=1,
            examples=["{learning_rate: {type: double, min: 1e-4, max: 0.1, scale: log}}"],
        ),
    ]
    """Parameter id, which is the script's flag, to its spec; from_script reads the script's own."""
    search_algorithm: Literal["random", "grid"] | None = None
    """random, grid, or nothing for the default Bayesian search."""
    measurement_selection: Literal["best", "last"] = "best"
    """Which measurement of a trial counts."""
    automated_stopping_spec: AutomatedStoppingSpec | None = None
    """When a trial stops before its end."""
    study_stopping_config: StudyStoppingConfig | None = None
    """When the study stops before its last trial."""
    max_trial_count: Annotated[Count, Field(examples=[16])]
    """Trials in all."""
    parallel_trial_count: Annotated[Count, Field(examples=[2])]
    """Trials at the same time."""
    max_failed_trial_count: Annotated[Whole, Field(ge=0)] = 0
    """Failed trials that end the job; 0 lets the service decide."""


#: By the name that a config gives.
KINDS: dict[str, type[JobSpec]] = {
    CUSTOM_JOB.name: CustomJob,
    CUSTOM_TRAINING_JOB.name: CustomTrainingJob,
    TUNING_JOB.name: HyperparameterTuningJob,
}
