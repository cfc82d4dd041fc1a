"""The fields of training pipelines, of their data and of the models that they upload."""

from vertex_jobs.emulator.resources.fields.custom_jobs import RESOURCE_OUTPUT
from vertex_jobs.emulator.resources.fields.records import Field, rows

_SERVING = "for serving, which is not emulated; kept with the model"
_SPLIT = "checked; how rows are split"

PIPELINE_FIELDS: list[Field] = [
    *rows(
        "TrainingPipeline",
        acted={
            "display_name": "checked; filters find it",
            "input_data_config": "writes the dataset's shards and sets AIP_*_DATA_URI",
            "training_task_definition": "custom training; any other is refused",
            "training_task_inputs": "read as a CustomJobSpec, answered in camelCase",
            "model_to_upload": "the model, once the job has succeeded",
            "model_id": "checked; the model's id",
            "parent_model": "the model that gets a new version",
            "labels": "checked; filters find them",
        },
        stored={"encryption_spec": "a key of the customer's; nothing here is encrypted"},
        output={**RESOURCE_OUTPUT, "training_task_metadata": "names the backing custom job"},
    ),
    *rows(
        "InputDataConfig",
        acted={
            "fraction_split": _SPLIT,
            "predefined_split": _SPLIT,
            "timestamp_split": _SPLIT,
            "stratified_split": _SPLIT,
            "gcs_destination": "where the shards are written",
            "dataset_id": "the dataset that is read",
            "annotation_schema_uri": "names the shards' folder",
        },
        refused={
            "filter_split": "splits by filters over data items",
            "bigquery_destination": "tables of BigQuery",
            "annotations_filter": "filters over annotations",
            "saved_query_id": "saved queries",
            "persist_ml_use_assignment": "writes the split back into the dataset",
        },
    ),
    *(
        field
        for kind in ("FractionSplit", "TimestampSplit", "StratifiedSplit")
        for field in rows(
            kind,
            acted={
                "training_fraction": "checked",
                "validation_fraction": "checked",
                "test_fraction": "checked",
            },
        )
    ),
    *rows("TimestampSplit", acted={"key": "the column with the times"}),
    *rows("StratifiedSplit", acted={"key": "the column whose values are spread alike"}),
    *rows("PredefinedSplit", acted={"key": "the column with the names of the sets"}),
    *rows(
        "Model",
        acted={
            "version_aliases": "checked; find the version",
            "display_name": "checked; filters find it",
            "description": "answered",
            "version_description": "answered",
            "artifact_uri": "AIP_MODEL_DIR by default; checked to hold files",
            "labels": "filters find them",
        },
        stored={
            "default_checkpoint_id": _SERVING,
            "predict_schemata": _SERVING,
            "metadata_schema_uri": _SERVING,
            "metadata": _SERVING,
            "pipeline_job": "a run of another product's",
            "container_spec": _SERVING,
            "explanation_spec": _SERVING,
            "etag": "updates are not compared with it",
            "data_stats": "counts of another product's",
            "encryption_spec": "a key of the customer's; nothing here is encrypted",
            "base_model_source": "a model of the model garden",
            "checkpoints": _SERVING,
        },
        output={
            "name": "project number and id",
            "version_id": "counts from 1",
            "version_create_time": "set at upload",
            "version_update_time": "set at every change",
            "create_time": "of the first version",
            "update_time": "set at every change",
            "training_pipeline": "the pipeline that uploaded it",
            "supported_export_formats": "never set: nothing is exported",
            "supported_deployment_resources_types": "never set: nothing is deployed",
            "supported_input_storage_formats": "never set: nothing is served",
            "supported_output_storage_formats": "never set: nothing is served",
            "deployed_models": "never set: nothing is deployed",
            "model_source_info": "never set",
            "original_model_info": "never set: nothing is copied",
            "metadata_artifact": "never set",
            "satisfies_pzs": "never set",
            "satisfies_pzi": "never set",
        },
    ),
]
