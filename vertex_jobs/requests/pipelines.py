"""The body of a training pipeline: its job, the data it reads, the model it leaves.

For ``bodies``. Source: TrainingPipeline, InputDataConfig, Model, ModelContainerSpec.
"""

from typing import Any

from vertex_jobs.requests.job_specs import set_fields
from vertex_jobs.spec import CustomTrainingJob

__all__ = ["training_pipeline"]

#: Source: schema of custom training tasks.
TASK_DEFINITION = (
    "gs://google-cloud-aiplatform/schema/trainingjob/definition/custom_task_1.0.0.yaml"
)


def training_pipeline(job: CustomTrainingJob, spec: dict[str, Any]) -> dict[str, Any]:
    """The TrainingPipeline of a job.

    Args:
        job: The job.
        spec: Its CustomJobSpec, which says where the outputs go.
    """
    return set_fields(
        displayName=job.display_name,
        inputDataConfig=_input_data(job, spec["baseOutputDirectory"]),
        trainingTaskDefinition=TASK_DEFINITION,
        trainingTaskInputs=spec,
        modelToUpload=_model(job),
        modelId=job.model_id,
        parentModel=job.parent_model,
    )


def _input_data(job: CustomTrainingJob, outputs: dict[str, Any]) -> dict[str, Any] | None:
    """The dataset, its split, and where the job finds its rows: by default among its outputs."""
    if job.dataset is None:
        return None
    tables = job.bigquery_destination
    return set_fields(
        datasetId=job.dataset.rpartition("/")[2],
        annotationSchemaUri=job.annotation_schema_uri,
        annotationsFilter=job.annotations_filter,
        savedQueryId=job.saved_query_id,
        persistMlUseAssignment=job.persist_ml_use_assignment,
        **_split(job),
        **({"bigqueryDestination": {"outputUri": tables}} if tables else {}),
        **({} if tables else {"gcsDestination": dict(outputs)}),
    )


def _split(job: CustomTrainingJob) -> dict[str, Any]:
    """The one way in which the rows are split, keyed by the member of the API."""
    fractions = set_fields(
        trainingFraction=job.training_fraction_split,
        validationFraction=job.validation_fraction_split,
        testFraction=job.test_fraction_split,
    )
    if job.training_filter_split is not None:
        filters = {
            "trainingFilter": job.training_filter_split,
            "validationFilter": job.validation_filter_split,
            "testFilter": job.test_filter_split,
        }
        return {"filterSplit": set_fields(**filters)}
    if job.predefined_split_column_name is not None:
        return {"predefinedSplit": {"key": job.predefined_split_column_name}}
    if job.timestamp_split_column_name is not None:
        return {"timestampSplit": fractions | {"key": job.timestamp_split_column_name}}
    if job.stratified_split_column_name is not None:
        return {"stratifiedSplit": fractions | {"key": job.stratified_split_column_name}}
    return {"fractionSplit": fractions} if fractions else {}


def _model(job: CustomTrainingJob) -> dict[str, Any] | None:
    """The model to upload, if there is an image to serve it."""
    if job.model_serving_container_image_uri is None:
        return None
    key = job.model_encryption_spec_key_name or job.encryption_spec_key_name
    default = ["default"] if job.is_default_version else []
    return set_fields(
        displayName=job.model_display_name or f"{job.display_name}-model",
        description=job.model_description,
        versionDescription=job.model_version_description,
        containerSpec=_serving_container(job),
        predictSchemata=set_fields(
            instanceSchemaUri=job.model_instance_schema_uri,
            parametersSchemaUri=job.model_parameters_schema_uri,
            predictionSchemaUri=job.model_prediction_schema_uri,
        ),
        explanationSpec=set_fields(
            metadata=dict(job.explanation_metadata or {}),
            parameters=dict(job.explanation_parameters or {}),
        ),
        encryptionSpec={"kmsKeyName": key} if key else None,
        labels=dict(job.model_labels or {}),
        versionAliases=list(dict.fromkeys([*job.model_version_aliases, *default])),
    )


def _serving_container(job: CustomTrainingJob) -> dict[str, Any]:
    variables = job.model_serving_container_environment_variables
    timeout = job.model_serving_container_deployment_timeout
    memory = job.model_serving_container_shared_memory_size_mb
    return set_fields(
        imageUri=job.model_serving_container_image_uri,
        command=list(job.model_serving_container_command),
        args=list(job.model_serving_container_args),
        env=[set_fields(name=name, value=value) for name, value in variables.items()],
        ports=[{"containerPort": port} for port in job.model_serving_container_ports],
        grpcPorts=[{"containerPort": port} for port in job.model_serving_container_grpc_ports],
        predictRoute=job.model_serving_container_predict_route,
        healthRoute=job.model_serving_container_health_route,
        deploymentTimeout=f"{timeout}s" if timeout is not None else None,
        sharedMemorySizeMb=str(memory) if memory is not None else None,
    )
