"""Admit a new job before it is kept: check it, put it into the API's own form, gather warnings.

One function for each kind. It refuses as the service does, refuses what is not emulated, and
refuses what this machine lacks, so that a job that is admitted can run, but for its image.
"""

from collections.abc import Callable
from datetime import date
from typing import Any

from google.protobuf import json_format

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.warm_start import EarlierStudies
from vertex_jobs.emulator.replicas.capacity import Capacity
from vertex_jobs.emulator.resources import study_validation, validation
from vertex_jobs.emulator.resources.dataset_lookup import DatasetLookup
from vertex_jobs.emulator.resources.fields import clear_outputs, stored_fields
from vertex_jobs.emulator.resources.job_settings import JobSettings
from vertex_jobs.emulator.resources.machine_checks import (
    check_flex_start,
    check_machines,
    machine_warnings,
)
from vertex_jobs.emulator.resources.model_registry import ModelRegistry
from vertex_jobs.emulator.resources.service_values import fill_boot_disks
from vertex_jobs.emulator.services.job_service import Admit
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.job_kinds import CUSTOM_JOB, CUSTOM_TRAINING_JOB, TUNING_JOB, JobKind
from vertex_jobs.names import ResourceName

Faults = list[tuple[str, str]]

_CUSTOM_TASK = "gs://google-cloud-aiplatform/schema/trainingjob/definition/custom_task_1.0.0.yaml"


class Admission:
    """The three kinds of job and what each must pass."""

    def __init__(
        self,
        capacity: Capacity,
        models: ModelRegistry,
        datasets: DatasetLookup,
        earlier: EarlierStudies,
        today: Callable[[], date],
    ) -> None:
        self._capacity = capacity
        self._models = models
        self._datasets = datasets
        self._earlier = earlier
        self._today = today

    def by_kind(self) -> dict[JobKind, Admit]:
        """Return what admits a job of each kind."""
        return {
            CUSTOM_JOB: self.custom_job,
            TUNING_JOB: self.tuning_job,
            CUSTOM_TRAINING_JOB: self.pipeline,
        }

    async def custom_job(
        self, job: protos.Message, parent: ResourceName, settings: JobSettings
    ) -> list[str]:
        """Admit a CustomJob."""
        clear_outputs(job)
        faults = validation.check_labels(job, "custom_job")
        warnings = self._check_spec(job.job_spec, "custom_job.job_spec", faults)
        warnings += _stored(job, "custom_job")
        fill_boot_disks(job.job_spec)
        await self._capacity.refuse_lacking(job.job_spec, settings)
        return warnings

    async def tuning_job(
        self, job: protos.Message, parent: ResourceName, settings: JobSettings
    ) -> list[str]:
        """Admit a HyperparameterTuningJob."""
        clear_outputs(job)
        kind = "hyperparameter_tuning_job"
        faults = validation.check_labels(job, kind) + study_validation.check_study(job)
        faults += self._earlier.faults(settings.local.warm_start)
        spec, path = job.trial_job_spec, f"{kind}.trial_job_spec"
        warnings = self._check_spec(spec, path, faults, tuned=True)
        warnings += _stored(job, kind)
        fill_boot_disks(job.trial_job_spec)
        await self._capacity.refuse_lacking(job.trial_job_spec, settings)
        return warnings

    async def pipeline(
        self, pipeline: protos.Message, parent: ResourceName, settings: JobSettings
    ) -> list[str]:
        """Admit a TrainingPipeline; its inputs are kept in the API's own spelling."""
        _refuse_other_tasks(pipeline.training_task_definition)
        clear_outputs(pipeline)
        spec = protos.CustomJobSpec()
        try:
            protos.from_json(_without_nulls(protos.to_json(pipeline.training_task_inputs)), spec)
        except json_format.ParseError as error:
            raise ApiError("INVALID_ARGUMENT", f"training_task_inputs: {error}") from error
        inputs = "training_pipeline.training_task_inputs"
        faults = validation.check_labels(pipeline, "training_pipeline")
        warnings = self._check_spec(spec, inputs, faults)
        warnings += _stored(pipeline, "training_pipeline") + _stored(spec, inputs)
        if pipeline.HasField("input_data_config"):
            self._datasets.check(pipeline.input_data_config, parent)
        if pipeline.HasField("model_to_upload"):
            self._models.check_upload(
                pipeline.model_to_upload,
                parent,
                model_id=pipeline.model_id,
                parent_model=pipeline.parent_model,
            )
        await self._capacity.refuse_lacking(spec, settings)
        pipeline.training_task_inputs.Clear()
        protos.from_json(protos.to_json(spec), pipeline.training_task_inputs)
        return warnings

    def _check_spec(
        self, spec: protos.Message, path: str, faults: Faults, *, tuned: bool = False
    ) -> list[str]:
        """Refuse the faults of a job with those of its spec; return warnings of what is retired."""
        faults = faults + validation.check_custom_job_spec(spec, path)
        faults += check_machines(spec, path, tuned=tuned) + check_flex_start(spec, path)
        validation.refuse_faults(faults)
        validation.refuse_reduction_server(spec, path)
        return machine_warnings(spec, self._today())


def _stored(resource: protos.Message, path: str) -> list[str]:
    warning = stored_fields(resource, path)
    return [warning] if warning else []


def _refuse_other_tasks(definition: str) -> None:
    if definition == _CUSTOM_TASK:
        return
    pointer = f"Local Vertex runs custom training ({_CUSTOM_TASK}); submit this to Vertex AI."
    if "hyperparameter_tuning" in definition:
        pointer = "create a HyperparameterTuningJob instead, which Local Vertex runs."
    elif "automl" in definition:
        pointer = f"AutoML needs Vertex AI; {pointer}"
    raise ApiError("UNIMPLEMENTED", f"training_task_definition {definition!r}: {pointer}")


def _without_nulls(form: Any) -> Any:
    """Return JSON without null members, which the SDK sends for unset scheduling options."""
    if isinstance(form, dict):
        return {key: _without_nulls(value) for key, value in form.items() if value is not None}
    if isinstance(form, list):
        return [_without_nulls(value) for value in form]
    return form
