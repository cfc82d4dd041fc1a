"""One training pipeline: a backing custom job, then the model that it leaves.

Source: TrainingPipeline proto; "Prepare training code" (a model's artifacts default to
AIP_MODEL_DIR).
"""

import asyncio

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.custom_job import CustomJobs
from vertex_jobs.emulator.controllers.dataset_export import export
from vertex_jobs.emulator.controllers.stop import Stop
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.dataset_lookup import DatasetLookup, source_of
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.emulator.resources.job_records import JobRecord
from vertex_jobs.emulator.resources.model_registry import ModelRegistry
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.storage.objects.object_errors import ObjectStoreError
from vertex_jobs.emulator.storage.objects.object_listing import ListQuery
from vertex_jobs.emulator.storage.objects.object_store import ObjectStore
from vertex_jobs.names import GcsUri, ResourceName
from vertex_jobs.runtime.directories import Directories


class TrainingPipelineRun:
    """The life of one training pipeline."""

    def __init__(
        self,
        record: JobRecord,
        stop: Stop,
        custom_jobs: CustomJobs,
        models: ModelRegistry,
        objects: ObjectStore,
    ) -> None:
        self._record = record
        self._stop = stop
        self._custom_jobs = custom_jobs
        self._models = models
        self._objects = objects

    async def run(self) -> None:
        """Run to the end, which is written before this returns."""
        pipeline = self._record.load()
        if not _backing_job(pipeline):
            ending = await self._await_start(pipeline)
            if ending is not None:
                self._end(ending)
                return
            pipeline = self._record.load()
        try:
            job_name = _backing_job(pipeline) or await self._create_backing_job(pipeline)
        except ApiError as error:
            self._end(Ending(states.FAILED, "INVALID_ARGUMENT", error.message))
            return
        backing = self._record.owned(job_name)
        job = backing.load()
        if states.is_terminal(job):  # the server ended before the pipeline could
            self._end(Ending(job.state, "", job.error.message))
            return
        relay = asyncio.create_task(self._relay_cancel(backing))
        try:
            run = self._custom_jobs.controller(backing, self._stop, owner=self._record)
            ending = await run.run()
        finally:
            relay.cancel()
        self._end(ending)

    async def _await_start(self, pipeline: protos.Message) -> Ending | None:
        scheduling = _job_spec(pipeline).scheduling
        return await self._custom_jobs.pacing.await_start(self._record, scheduling, self._stop)

    async def _relay_cancel(self, backing: JobRecord) -> None:
        await self._stop.wait()
        backing.request_cancel()

    async def _create_backing_job(self, pipeline: protos.Message) -> str:
        record = self._record
        settings = {
            "warnings": record.settings.warnings,
            "data_variables": await self._export_data(pipeline),
        }
        job = record.new_custom_job(f"{pipeline.display_name}-custom-job", _job_spec(pipeline))
        job.labels.update(pipeline.labels)
        pipeline.training_task_metadata.struct_value["backingCustomJob"] = job.name
        states.advance(pipeline, states.RUNNING, record.now())
        with record.transaction():
            record.insert_owned(job, settings)
            record.save(pipeline)
        return str(job.name)

    async def _export_data(self, pipeline: protos.Message) -> dict[str, str]:
        """Write the dataset that the pipeline names; return the variables that lead to it."""
        if not pipeline.HasField("input_data_config"):
            return {}
        record, config, name = self._record, pipeline.input_data_config, self._record.name
        lookup, dataset_id = DatasetLookup(record.store), config.dataset_id.rpartition("/")[2]
        dataset = lookup.find(
            str(ResourceName(name.project, name.location, "datasets", dataset_id))
        )
        source = source_of(dataset_id, dataset, lookup.imported(dataset_id))
        # Source: InputDataConfig proto, "YYYY-MM-DDThh:mm:ss.sssZ".
        moment = f"{record.now().ToDatetime().isoformat(timespec='milliseconds')}Z"
        return await asyncio.to_thread(export, self._objects, source, config, moment)

    def _end(self, ending: Ending) -> None:
        pipeline = self._record.load()
        code, message = ending.code or "INTERNAL", ending.message
        state = ending.state
        with self._record.transaction():
            if state == states.SUCCEEDED and pipeline.HasField("model_to_upload"):
                message = self._upload_model(pipeline)
                state, code = (states.FAILED, "INVALID_ARGUMENT") if message else (state, code)
            states.advance(pipeline, state, self._record.now(), code=code, message=message)
            self._record.save(pipeline)

    def _upload_model(self, pipeline: protos.Message) -> str:
        """Create the model; return the fault, empty if there is none."""
        model = pipeline.model_to_upload
        if not model.artifact_uri:
            job = self._record.owned(_backing_job(pipeline)).load()
            base = job.job_spec.base_output_directory.output_uri_prefix
            model.artifact_uri = Directories.under(base).model_dir.rstrip("/")
        if not self._has_files(GcsUri.parse(model.artifact_uri)):
            return f'There are no files under "{model.artifact_uri}" to copy.'
        uploaded = protos.Model()
        uploaded.CopyFrom(model)
        uploaded.training_pipeline = pipeline.name
        try:
            kept = self._models.upload(
                uploaded,
                self._record.name,
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
            return bool(self._objects.list_objects(uri.bucket, query).objects)
        except ObjectStoreError:
            return False


def _job_spec(pipeline: protos.Message) -> protos.Message:
    """Return the CustomJobSpec in the pipeline's inputs, which admission has put into order."""
    return protos.from_json(protos.to_json(pipeline.training_task_inputs), protos.CustomJobSpec())


def _backing_job(pipeline: protos.Message) -> str:
    metadata = protos.to_json(pipeline.training_task_metadata)
    return str(metadata.get("backingCustomJob", "")) if isinstance(metadata, dict) else ""
