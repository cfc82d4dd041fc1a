"""The data that a training pipeline reads and the model it leaves.

For ``bodies``. Source: InputDataConfig, Model, ModelContainerSpec.
"""

from typing import Any

from vertex_jobs.requests.codecs import INT64, ITEMS, SECONDS, Codec
from vertex_jobs.requests.job_messages import ENVIRONMENT, GCS_DESTINATION
from vertex_jobs.requests.mapping import Entry, MessageTable, choice, field, inner, pairs
from vertex_jobs.spec import CustomTrainingJob

_MAPPING = Codec(encode=dict)
_PORTS = Codec(encode=lambda ports: [{"containerPort": port} for port in ports])

_FRACTIONS = (
    field("trainingFraction", "training_fraction_split"),
    field("validationFraction", "validation_fraction_split"),
    field("testFraction", "test_fraction_split"),
)


def _by_column(kind: str, key: str, *fractions: Entry) -> tuple[str, Entry]:
    name = f"{kind[0].lower()}{kind[1:]}"
    return key, inner(name, MessageTable(kind, *fractions, field("key", key)))


_FILTER_SPLIT = MessageTable(
    "FilterSplit",
    field("trainingFilter", "training_filter_split"),
    field("validationFilter", "validation_filter_split"),
    field("testFilter", "test_filter_split"),
)
_BIGQUERY_DESTINATION = MessageTable(
    "BigQueryDestination", field("outputUri", "bigquery_destination")
)
INPUT_DATA_CONFIG = MessageTable(
    "InputDataConfig",
    field("datasetId", "dataset", Codec(encode=lambda name: name.rpartition("/")[2])),
    field("annotationSchemaUri", "annotation_schema_uri"),
    field("annotationsFilter", "annotations_filter"),
    field("savedQueryId", "saved_query_id"),
    field("persistMlUseAssignment", "persist_ml_use_assignment"),
    choice(
        ("training_filter_split", inner("filterSplit", _FILTER_SPLIT)),
        _by_column("PredefinedSplit", "predefined_split_column_name"),
        _by_column("TimestampSplit", "timestamp_split_column_name", *_FRACTIONS),
        _by_column("StratifiedSplit", "stratified_split_column_name", *_FRACTIONS),
        ("", inner("fractionSplit", MessageTable("FractionSplit", *_FRACTIONS))),
    ),
    choice(
        ("bigquery_destination", inner("bigqueryDestination", _BIGQUERY_DESTINATION)),
        ("", inner("gcsDestination", GCS_DESTINATION)),  # by default among the job's outputs
    ),
)

_SERVING = "model_serving_container"
_MODEL_CONTAINER_SPEC = MessageTable(
    "ModelContainerSpec",
    field("imageUri", f"{_SERVING}_image_uri"),
    field("command", f"{_SERVING}_command", ITEMS),
    field("args", f"{_SERVING}_args", ITEMS),
    pairs("env", f"{_SERVING}_environment_variables", ENVIRONMENT),
    field("ports", f"{_SERVING}_ports", _PORTS),
    field("grpcPorts", f"{_SERVING}_grpc_ports", _PORTS),
    field("predictRoute", f"{_SERVING}_predict_route"),
    field("healthRoute", f"{_SERVING}_health_route"),
    field("deploymentTimeout", f"{_SERVING}_deployment_timeout", SECONDS),
    field("sharedMemorySizeMb", f"{_SERVING}_shared_memory_size_mb", INT64),
)
_PREDICT_SCHEMATA = MessageTable(
    "PredictSchemata",
    field("instanceSchemaUri", "model_instance_schema_uri"),
    field("parametersSchemaUri", "model_parameters_schema_uri"),
    field("predictionSchemaUri", "model_prediction_schema_uri"),
)
_EXPLANATION_SPEC = MessageTable(
    "ExplanationSpec",
    field("metadata", "explanation_metadata", _MAPPING),
    field("parameters", "explanation_parameters", _MAPPING),
)
MODEL = MessageTable(
    "Model",
    field("displayName", "model_display_name"),
    field("description", "model_description"),
    field("versionDescription", "model_version_description"),
    inner("containerSpec", _MODEL_CONTAINER_SPEC),
    inner("predictSchemata", _PREDICT_SCHEMATA),
    inner("explanationSpec", _EXPLANATION_SPEC),
    inner(
        "encryptionSpec",
        MessageTable("EncryptionSpec", field("kmsKeyName", "model_encryption_spec_key_name")),
    ),
    field("labels", "model_labels", _MAPPING),
    field("versionAliases", "model_version_aliases", ITEMS),
)


def model_keys(job: CustomTrainingJob) -> dict[str, Any]:
    """Return the keys of the model whose defaults depend on others."""
    default = ["default"] if job.is_default_version else []
    return {
        "model_display_name": job.model_display_name or f"{job.display_name}-model",
        "model_encryption_spec_key_name": job.model_encryption_spec_key_name
        or job.encryption_spec_key_name,
        "model_version_aliases": list(dict.fromkeys([*job.model_version_aliases, *default])),
    }
