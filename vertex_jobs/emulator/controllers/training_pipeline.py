"""One training pipeline: a backing custom job, then the model that it leaves.

Source: TrainingPipeline proto; "Prepare training code" (a model's artifacts default to
AIP_MODEL_DIR).
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.custom_job import CustomJobRun
from vertex_jobs.emulator.controllers.dataset_export import export
from vertex_jobs.emulator.controllers.starting import await_start
from vertex_jobs.emulator.controllers.stopping import Stop
from vertex_jobs.emulator.replicas.machinery import Machinery
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.dataset_lookup import DatasetLookup, source_of
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.emulator.resources.job_settings import JobSettings
from vertex_jobs.emulator.resources.model_registry import ModelRegistry
from vertex_jobs.emulator.resources.tables.models import ModelTable
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.storage.objects.object_errors import ObjectStoreError
from vertex_jobs.emulator.storage.objects.object_listing import ListQuery
from vertex_jobs.names import GcsUri, ResourceName
from vertex_jobs.runtime.directories import Directories

__all__ = ["TrainingPipelineRun"]


class TrainingPipelineRun:
    """The life of one training pipeline."""

    def __init__(
        self,
        machinery: Machinery,
        pipeline_id: str,
        stop: Stop,
        settings: Mapping[str, Any],
    ) -> None:
        """Prepare to run.

        Args:
            machinery: The server's parts.
            pipeline_id: The pipeline's number.
            stop: Set to end the pipeline before its time.
            settings: The local settings: ``fresh``.
        """
        self._machinery = machinery
        self._pipeline_id = pipeline_id
        self._stop = stop
        self._settings = settings

    def _load(self) -> protos.Message:
        return self._machinery.store.load("trainingPipelines", self._pipeline_id)

    async def run(self) -> None:
        """Run to the end, which is written before this returns."""
        pipeline = self._load()
        if not _backing_job(pipeline):
            ending = await self._await_start(pipeline)
            if ending is not None:
                self._end(ending)
                return
            pipeline = self._load()
        try:
            job_name = _backing_job(pipeline) or await self._create_backing_job(pipeline)
        except ApiError as error:
            self._end(Ending(states.FAILED, "INVALID_ARGUMENT", error.message))
            return
        job_id = ResourceName.parse(job_name).resource_id
        job = self._machinery.store.load("customJobs", job_id)
        if states.is_terminal(job):  # the server ended before the pipeline could
            self._end(Ending(job.state, "", job.error.message))
            return
        relay = asyncio.create_task(self._relay_cancel(job_id))
        try:
            settings = JobSettings.read(self._settings)
            run = CustomJobRun(
                self._machinery,
                job_id,
                self._stop,
                settings,
                owner=("trainingPipelines", self._pipeline_id),
            )
            ending = await run.run()
        finally:
            relay.cancel()
        self._end(ending)

    async def _await_start(self, pipeline: protos.Message) -> Ending | None:
        spec = protos.from_json(
            protos.to_json(pipeline.training_task_inputs), protos.CustomJobSpec()
        )
        settings = JobSettings.read(self._settings)
        return await await_start(self._machinery, pipeline, spec.scheduling, settings, self._stop)

    async def _relay_cancel(self, job_id: str) -> None:
        """Make the backing job CANCELLING when the pipeline is."""
        await self._stop.wait()
        job = self._machinery.store.load("customJobs", job_id)
        if states.request_cancel(job, self._machinery.identity.now()):
            self._machinery.store.save(job)

    async def _create_backing_job(self, pipeline: protos.Message) -> str:
        machinery, name = self._machinery, ResourceName.parse(pipeline.name)
        settings = {
            "warnings": self._settings.get("warnings", ()),
            "data_variables": await self._export_data(pipeline),
        }
        now = machinery.identity.now()
        job = protos.CustomJob(
            name=str(machinery.identity.new_name(name.project, name.location, "customJobs")),
            display_name=f"{pipeline.display_name}-custom-job",
        )
        inputs = protos.to_json(pipeline.training_task_inputs)
        protos.from_json(inputs, job.job_spec)
        job.labels.update(pipeline.labels)
        job.create_time.CopyFrom(now)
        states.advance(job, states.PENDING, now)
        pipeline.training_task_metadata.struct_value["backingCustomJob"] = job.name
        states.advance(pipeline, states.RUNNING, now)
        project = machinery.store.project("trainingPipelines", self._pipeline_id)
        with machinery.store.transaction():
            machinery.store.insert(job, project=project, owner=pipeline.name, settings=settings)
            machinery.store.save(pipeline)
        return str(job.name)

    async def _export_data(self, pipeline: protos.Message) -> dict[str, str]:
        """Write the dataset that the pipeline names; answers the variables that lead to it."""
        if not pipeline.HasField("input_data_config"):
            return {}
        machinery, config = self._machinery, pipeline.input_data_config
        name = ResourceName.parse(pipeline.name)
        lookup, dataset_id = DatasetLookup(machinery.store), config.dataset_id.rpartition("/")[2]
        dataset = lookup.find(
            str(ResourceName(name.project, name.location, "datasets", dataset_id))
        )
        source = source_of(dataset_id, dataset, lookup.imported(dataset_id))
        # Source: InputDataConfig proto, "YYYY-MM-DDThh:mm:ss.sssZ".
        moment = f"{machinery.identity.now().ToDatetime().isoformat(timespec='milliseconds')}Z"
        return await asyncio.to_thread(export, machinery.objects, source, config, moment)

    def _end(self, ending: Ending) -> None:
        pipeline = self._load()
        code, message = ending.code or "INTERNAL", ending.message
        state = ending.state
        with self._machinery.store.transaction():
            if state == states.SUCCEEDED and pipeline.HasField("model_to_upload"):
                message = self._upload_model(pipeline)
                state, code = (states.FAILED, "INVALID_ARGUMENT") if message else (state, code)
            now = self._machinery.identity.now()
            states.advance(pipeline, state, now, code=code, message=message)
            self._machinery.store.save(pipeline)

    def _upload_model(self, pipeline: protos.Message) -> str:
        """Create the model; answers the fault, empty if there is none."""
        model, name = pipeline.model_to_upload, ResourceName.parse(pipeline.name)
        if not model.artifact_uri:
            job_id = ResourceName.parse(_backing_job(pipeline)).resource_id
            job = self._machinery.store.load("customJobs", job_id)
            base = job.job_spec.base_output_directory.output_uri_prefix
            model.artifact_uri = Directories.under(base).model_dir.rstrip("/")
        if not self._has_files(GcsUri.parse(model.artifact_uri)):
            return f'There are no files under "{model.artifact_uri}" to copy.'
        machinery = self._machinery
        registry = ModelRegistry(ModelTable(machinery.store.database), machinery.identity)
        uploaded = protos.Model()
        uploaded.CopyFrom(model)
        uploaded.training_pipeline = pipeline.name
        try:
            kept = registry.upload(
                uploaded,
                name,
                model_id=pipeline.model_id,
                parent_model=pipeline.parent_model,
            )
        except ApiError as error:  # taken since the pipeline was admitted
            return error.message
        model.CopyFrom(kept)
        return ""

    def _has_files(self, uri: GcsUri) -> bool:
        query = ListQuery(prefix=uri.directory().path, max_results=1)
        try:
            return bool(self._machinery.objects.list_objects(uri.bucket, query).objects)
        except ObjectStoreError:
            return False


def _backing_job(pipeline: protos.Message) -> str:
    metadata = protos.to_json(pipeline.training_task_metadata)
    return str(metadata.get("backingCustomJob", "")) if isinstance(metadata, dict) else ""
