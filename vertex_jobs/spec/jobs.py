"""The three kinds of job, as a person writes them.

For everyone: a config is read into one of these, a Python program makes one. Names and defaults are
those of the SDK's arguments. A spec does no I/O and knows no project: what is sent to Vertex AI is
made of it by ``requests``.

Source: CustomJob, TrainingPipeline, HyperparameterTuningJob; the SDK's classes of the same names.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from vertex_jobs.spec.arguments import Arguments, tokens
from vertex_jobs.spec.base import Spec
from vertex_jobs.spec.fields import (
    Count,
    Flag,
    Items,
    Number,
    PathText,
    Seconds,
    Text,
    TextMap,
    Whole,
)
from vertex_jobs.spec.inspection import Rule
from vertex_jobs.spec.local import LocalSettings
from vertex_jobs.spec.parameters import ParameterSpec
from vertex_jobs.spec.pools import (
    DEFAULT_DISK_GB,
    DEFAULT_MACHINE,
    AcceleratorType,
    DiskSize,
    DiskType,
    PoolDefaults,
    WorkerPool,
    WorkerPools,
    WorkerPoolSpec,
)
from vertex_jobs.spec.rules import COMMON_RULES, MODEL_RULES, STUDY_RULES, WHOLE_STUDY_RULES
from vertex_jobs.spec.sdk_parameters import flatten

if TYPE_CHECKING:
    from vertex_jobs.requests import Request

__all__ = [
    "KINDS",
    "CustomJob",
    "CustomTrainingJob",
    "Fallback",
    "HyperparameterTuningJob",
    "JobSpec",
]

#: Source: CustomJob, HyperparameterTuningJob, TrainingPipeline.
DisplayName = Annotated[Text, Field(max_length=128, examples=["digits-search"])]
Goal = Literal["minimize", "maximize"]


class Fallback(Spec):
    """Where else to try when machines or quota are short; what is not given stays as it is."""

    location: Text | None = None
    """Another region."""
    machine_type: Text | None = None
    """Another machine, for every pool."""
    accelerator_type: AcceleratorType | None = None
    """Another accelerator, for every pool that has one."""
    accelerator_count: Count | None = None
    """Its count per replica."""


class JobSpec(Spec):
    """What the three kinds of job have in common."""

    rules: ClassVar[Sequence[Rule]] = COMMON_RULES

    kind: str
    display_name: DisplayName
    """Name for people, up to 128 characters."""

    script_path: PathText | None = None
    """Training script, or a package directory together with python_module_name."""
    python_module_name: Text | None = None
    """Module to run of a package directory, e.g. trainer.task."""
    requirements: Items[Text] = ()
    """Distributions that pip installs before the script runs."""
    args: Arguments = ()
    """Arguments of the program: a mapping, or a list of tokens."""
    environment_variables: TextMap = Field(default={})
    """Variables of the container, values in quotes."""
    container_uri: Text | None = None
    """Image; by default the newest prebuilt TensorFlow one."""
    command: Items[Text] = ()
    """Replaces the image's entry point, in a job without a script."""

    machine_type: Text = DEFAULT_MACHINE
    """Machine of each replica."""
    accelerator_type: AcceleratorType | None = None
    """Accelerator of each replica, with accelerator_count."""
    accelerator_count: Count | None = None
    """Accelerators per replica."""
    replica_count: Count = 1
    """Machines, chief included; more than one adds workers."""
    boot_disk_type: DiskType | None = None
    """Boot disk; by default the one that the machine takes."""
    boot_disk_size_gb: DiskSize = DEFAULT_DISK_GB
    """Size of the boot disk in GB."""
    worker_pools: WorkerPools | None = None
    """Instead of the six fields above: each pool by itself."""

    staging_bucket: Text | None = None
    """gs:// place for packages and default outputs; optional on local."""
    base_output_dir: Text | None = None
    """gs:// directory of the outputs; by default one per submission in the staging bucket."""
    labels: TextMap = Field(default={})
    """Labels of the job, lower case."""
    encryption_spec_key_name: Text | None = None
    """Customer-managed key for everything that the job creates."""

    timeout: Annotated[Seconds, Field(gt=0)] | None = None
    """Longest running time in seconds; 7 days by default."""
    restart_job_on_worker_restart: Flag = False
    """Restart the whole job when one worker restarts."""
    disable_retries: Flag = False
    """No retries after internal errors."""
    scheduling_strategy: Literal["standard", "spot", "flex_start"] | None = None
    """How machines are got; standard by default."""
    max_wait_duration: Seconds | None = None
    """Longest wait for machines in seconds, flex_start only; 0 waits without end."""

    service_account: Text | None = None
    """Account that the replicas run as."""
    network: Text | None = None
    """projects/NUMBER/global/networks/NAME to peer with."""
    reserved_ip_ranges: Items[Text] = ()
    """Names of reserved ranges in that network."""
    enable_web_access: Flag = False
    """Interactive shells in the replicas."""
    enable_dashboard_access: Flag = False
    """Access to dashboards in the replicas."""
    tensorboard: Text | None = None
    """Managed TensorBoard to upload logs to; needs service_account."""
    experiment: Text | None = None
    """Experiment to record the job in; needs service_account."""
    experiment_run: Text | None = None
    """Run of that experiment."""
    persistent_resource_id: Text | None = None
    """Held machines to run on."""

    fallback: Items[Fallback] = ()
    """Places tried in order when machines or quota are short."""
    max_cost_usd: Annotated[Number, Field(gt=0)] | None = None
    """Refuse to submit when the worst case costs more."""
    local: LocalSettings = LocalSettings()
    """Settings for Local Vertex only; no part of the request."""

    def argument_tokens(self) -> tuple[str, ...]:
        """The arguments of the program, one token each."""
        return tokens(self.args)

    def worker_pools_resolved(self) -> tuple[WorkerPoolSpec, ...]:
        """The pools in use in role order, chief first, whichever form was written."""
        defaults = PoolDefaults(
            has_script=self.script_path is not None,
            container_uri=self.container_uri,
            command=tuple(self.command),
            args=self.argument_tokens(),
            environment_variables=self.environment_variables,
        )
        if self.worker_pools is not None:
            return self.worker_pools.resolved(defaults)
        machines: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("machine_type", "accelerator_type", "accelerator_count")
        }
        machines |= {name: getattr(self, name) for name in ("boot_disk_type", "boot_disk_size_gb")}
        others = self.replica_count - 1
        workers = WorkerPool(**machines, replica_count=others) if others else None
        return WorkerPools(chief=WorkerPool(**machines), workers=workers).resolved(defaults)

    def preview(self) -> "Request":
        """The request that would be sent, with ``{submission}`` for what is drawn on sending.

        Raises:
            PackagingError: If the script cannot be read.
        """
        from vertex_jobs import packaging, requests

        package = packaging.describe(self) if self.script_path is not None else None
        return requests.build(self, package, requests.default_place(self))


class CustomJob(JobSpec):
    """A training job."""

    kind: Literal["custom_job"] = "custom_job"


class CustomTrainingJob(JobSpec):
    """A training pipeline: a training job, and a model uploaded from what it wrote."""

    rules: ClassVar[Sequence[Rule]] = (*COMMON_RULES, *MODEL_RULES)

    kind: Literal["custom_training_job"] = "custom_training_job"
    model_display_name: Annotated[Text, Field(max_length=128)] | None = None
    """Name of the model; by default the job's with -model."""
    model_serving_container_image_uri: Text | None = None
    """Image that serves the model; without it no model is uploaded."""
    model_serving_container_predict_route: Text | None = None
    """HTTP path for predictions, in a custom serving image."""
    model_serving_container_health_route: Text | None = None
    """HTTP path for health checks, in a custom serving image."""
    model_serving_container_command: Items[Text] = ()
    """Replaces the serving image's entry point."""
    model_serving_container_args: Items[Text] = ()
    """Arguments of the serving image's entry point."""
    model_serving_container_environment_variables: TextMap = Field(default={})
    """Variables of the serving container."""
    model_serving_container_ports: Items[Annotated[Whole, Field(ge=1, le=65535)]] = ()
    """Ports of the serving container; the first takes predictions."""
    model_labels: TextMap | None = None
    """Labels of the model; by default the job's."""
    model_id: Text | None = None
    """Id of the model in the registry; by default the service chooses."""
    model_version_aliases: Items[Text] = ()
    """Aliases of the model's version, beside default."""


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
    """Parameter id to its spec; the id is the flag that each trial passes to the script."""
    search_algorithm: Literal["random", "grid"] | None = None
    """random, grid, or nothing for the default Bayesian search."""
    measurement_selection: Literal["best", "last"] = "best"
    """Which measurement of a trial counts."""
    max_trial_count: Annotated[Count, Field(examples=[16])]
    """Trials in all."""
    parallel_trial_count: Annotated[Count, Field(examples=[2])]
    """Trials at the same time."""
    max_failed_trial_count: Annotated[Whole, Field(ge=0)] = 0
    """Failed trials that end the job; 0 lets the service decide."""

    @classmethod
    def prepare(cls, written: Mapping[str, Any]) -> Mapping[str, Any]:
        """The SDK's own parameter specs become ours."""
        if isinstance(written.get("parameter_spec"), Mapping):
            return {**written, "parameter_spec": flatten(written["parameter_spec"])}
        return written


KINDS: dict[str, type[JobSpec]] = {
    "custom_job": CustomJob,
    "custom_training_job": CustomTrainingJob,
    "hyperparameter_tuning_job": HyperparameterTuningJob,
}
