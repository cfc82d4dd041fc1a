"""The training pipeline: a job that may read a managed dataset and leave a model behind.

For ``kinds``. Names are those of the arguments of the SDK's CustomTrainingJob and its ``run``; a
field that the SDK lacks is called as in the API.

Source: TrainingPipeline, InputDataConfig, Model, ModelContainerSpec.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from vertex_jobs import catalog
from vertex_jobs.spec.fields import (
    AnyText,
    Count,
    Flag,
    Items,
    Number,
    Seconds,
    Text,
    TextMap,
    Whole,
)
from vertex_jobs.spec.inspection import Rule
from vertex_jobs.spec.job_spec import JobSpec
from vertex_jobs.spec.rules import COMMON_RULES, DATA_RULES, MODEL_RULES

Port = Annotated[Whole, Field(ge=1, le=65535)]
ModelName = Annotated[Text, Field(max_length=catalog.load().limits.display_name_max_chars)]
Fraction = Annotated[Number, Field(ge=0, le=1)]


class CustomTrainingJob(JobSpec):
    """A training pipeline: a training job, and a model uploaded from what it wrote."""

    rules: ClassVar[Sequence[Rule]] = (*COMMON_RULES, *MODEL_RULES, *DATA_RULES)

    kind: Literal["custom_training_job"] = "custom_training_job"
    model_display_name: ModelName | None = None
    """Name of the model; by default the job's with -model."""
    model_description: Text | None = None
    """Description of the model."""
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
    model_serving_container_ports: Items[Port] = ()
    """Ports of the serving container; the first takes predictions."""
    model_serving_container_grpc_ports: Items[Port] = ()
    """Ports of the serving container for gRPC; the first takes predictions."""
    model_serving_container_deployment_timeout: Annotated[Seconds, Field(gt=0)] | None = None
    """Longest time in seconds that the serving container may take to start."""
    model_serving_container_shared_memory_size_mb: Count | None = None
    """Shared memory of the serving container in MB."""
    model_instance_schema_uri: Text | None = None
    """gs:// schema of one instance of a prediction."""
    model_parameters_schema_uri: Text | None = None
    """gs:// schema of the parameters of a prediction."""
    model_prediction_schema_uri: Text | None = None
    """gs:// schema of one prediction."""
    explanation_metadata: Mapping[Text, Any] | None = None
    """How inputs and outputs are explained, in the API's JSON form."""
    explanation_parameters: Mapping[Text, Any] | None = None
    """Method of explanation, in the API's JSON form."""
    model_labels: TextMap | None = None
    """Labels of the model; by default the job's."""
    model_encryption_spec_key_name: Text | None = None
    """Customer-managed key of the model; by default the job's."""
    model_id: Text | None = None
    """Id of the model in the registry; by default the service chooses."""
    parent_model: Text | None = None
    """Model that gets a new version, by id or full name; without it a new model."""
    is_default_version: Flag = True
    """Whether the version becomes the default one."""
    model_version_aliases: Items[Text] = ()
    """Aliases of the model's version, beside default."""
    model_version_description: Text | None = None
    """Description of the model's version."""

    dataset: Text | None = None
    """Managed dataset to train on, by id or full name."""
    annotation_schema_uri: Text | None = None
    """gs:// schema of the annotations to train on."""
    annotations_filter: Text | None = None
    """Which annotations are trained on."""
    saved_query_id: Text | None = None
    """Saved query of the dataset that says which annotations are trained on."""
    bigquery_destination: Text | None = None
    """bq:// project for the data's tables; by default files in the base output directory."""
    training_fraction_split: Fraction | None = None
    """Fraction of the data to train on."""
    validation_fraction_split: Fraction | None = None
    """Fraction of the data to validate on."""
    test_fraction_split: Fraction | None = None
    """Fraction of the data to test on."""
    training_filter_split: AnyText | None = None
    """Filter of the data items to train on; - for none."""
    validation_filter_split: AnyText | None = None
    """Filter of the data items to validate on; - for none."""
    test_filter_split: AnyText | None = None
    """Filter of the data items to test on; - for none."""
    predefined_split_column_name: Text | None = None
    """Column that says training, validation or test."""
    timestamp_split_column_name: Text | None = None
    """Column with times: the oldest rows train, the newest test; with all three fractions."""
    stratified_split_column_name: Text | None = None
    """Column whose values are spread alike over the sets; with all three fractions."""
    persist_ml_use_assignment: Flag = False
    """Write into the dataset which set each item went to."""
