"""What happens to a new job before it is kept: checked, canonicalised, warned about.

One function for each kind. It refuses as the service does, refuses what is not emulated, and
refuses what this machine lacks, so that a job that is admitted can run.
"""

from collections.abc import Mapping
from typing import Any

from google.protobuf import json_format

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.packages import Packages
from vertex_jobs.emulator.controllers.tasks import pool_task
from vertex_jobs.emulator.resources import validation
from vertex_jobs.emulator.services.jobs import Collection
from vertex_jobs.emulator.status import ApiError

__all__ = ["Admission"]

_CUSTOM_TASK = "gs://google-cloud-aiplatform/schema/trainingjob/definition/custom_task_1.0.0.yaml"


class Admission:
    """The three kinds of job and what each must pass."""

    def __init__(self, packages: Packages) -> None:
        """Look into packages with the given cache."""
        self._packages = packages

    def collections(self) -> list[Collection]:
        """The collections that the server offers."""
        return [
            Collection(
                "customJobs",
                "JobService",
                "CustomJob",
                "custom_job",
                "custom_jobs",
                self.custom_job,
            ),
            Collection(
                "hyperparameterTuningJobs",
                "JobService",
                "HyperparameterTuningJob",
                "hyperparameter_tuning_job",
                "hyperparameter_tuning_jobs",
                self.tuning_job,
            ),
            Collection(
                "trainingPipelines",
                "PipelineService",
                "TrainingPipeline",
                "training_pipeline",
                "training_pipelines",
                self.pipeline,
            ),
        ]

    def custom_job(self, job: protos.Message, project: str, options: Mapping[str, Any]) -> None:
        """Admit a CustomJob."""
        validation.refuse_faults(
            validation.check_labels(job, "custom_job")
            + validation.check_custom_job_spec(job.job_spec, "custom_job.job_spec")
        )
        self._admit_spec(job.job_spec)

    def tuning_job(self, job: protos.Message, project: str, options: Mapping[str, Any]) -> None:
        """Admit a HyperparameterTuningJob."""
        job.ClearField("trials")
        validation.refuse_faults(
            validation.check_labels(job, "hyperparameter_tuning_job")
            + validation.check_study(job)
            + validation.check_custom_job_spec(
                job.trial_job_spec, "hyperparameter_tuning_job.trial_job_spec"
            )
        )
        for field in (
            "decay_curve_stopping_spec",
            "median_automated_stopping_spec",
            "convex_automated_stopping_spec",
            "study_stopping_config",
        ):
            if job.study_spec.HasField(field):
                raise ApiError(
                    "UNIMPLEMENTED",
                    f"study_spec.{field}: Local Vertex does not stop trials or studies early yet; "
                    "leave it out to rehearse, or submit to Vertex AI.",
                )
        self._admit_spec(job.trial_job_spec)

    def pipeline(self, pipeline: protos.Message, project: str, options: Mapping[str, Any]) -> None:
        """Admit a TrainingPipeline; its inputs are kept in the API's own spelling."""
        if pipeline.training_task_definition != _CUSTOM_TASK:
            raise ApiError(
                "UNIMPLEMENTED",
                f"training_task_definition {pipeline.training_task_definition!r}: Local Vertex "
                f"runs custom training ({_CUSTOM_TASK}); AutoML needs Vertex AI.",
            )
        if pipeline.HasField("input_data_config"):
            raise ApiError(
                "UNIMPLEMENTED",
                "input_data_config: Local Vertex has no managed datasets yet; pass the data's "
                "gs:// URI as an argument, or submit to Vertex AI.",
            )
        spec = protos.CustomJobSpec()
        try:
            protos.from_json(_without_nulls(protos.to_json(pipeline.training_task_inputs)), spec)
        except json_format.ParseError as error:
            raise ApiError("INVALID_ARGUMENT", f"training_task_inputs: {error}") from error
        validation.refuse_faults(
            validation.check_labels(pipeline, "training_pipeline")
            + validation.check_custom_job_spec(spec, "training_pipeline.training_task_inputs")
        )
        self._admit_spec(spec)
        pipeline.training_task_inputs.Clear()
        protos.from_json(protos.to_json(spec), pipeline.training_task_inputs)

    def _admit_spec(self, spec: protos.Message) -> None:
        validation.refuse_unemulated(spec)
        missing: dict[str, str] = {}
        for number, pool in enumerate(spec.worker_pool_specs):
            if pool.WhichOneof("task") is None:
                continue
            for uri in pool_task(pool, f"worker_pool_specs[{number}]").package_uris:
                for requirement in self._packages.get(uri).missing():
                    missing[requirement] = uri
        if missing:
            listed = ", ".join(f"{name} (of {uri})" for name, uri in missing.items())
            raise ApiError(
                "INVALID_ARGUMENT",
                f"Not installed here: {listed}. Install it into the environment that runs "
                "vertex-jobs, then submit again.",
            )


def _without_nulls(form: Any) -> Any:
    """JSON without members that are null, as the SDK sends for unset scheduling options."""
    if isinstance(form, dict):
        return {key: _without_nulls(value) for key, value in form.items() if value is not None}
    if isinstance(form, list):
        return [_without_nulls(value) for value in form]
    return form
