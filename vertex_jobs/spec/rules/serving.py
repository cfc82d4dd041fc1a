"""Rules on the model that a training pipeline uploads.

For the table in ``rules``.

Source: TrainingPipeline, Model, ModelContainerSpec.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from vertex_jobs import catalog
from vertex_jobs.errors import Fault
from vertex_jobs.names import is_gcs_uri
from vertex_jobs.spec.rules.job_identity import key_faults, label_faults

_MODEL_ID = re.compile(r"[a-z_][a-z0-9_-]{0,62}")
_PARENT = re.compile(r"(projects/[^/]+/locations/[^/]+/models/)?[a-z0-9_][a-z0-9_-]{0,62}")
_DEFAULT_SUFFIX = "-model"


def _model_needs_image(
    model_serving_container_image_uri: str | None,
    model_display_name: str | None,
    model_labels: Mapping[str, str] | None,
    model_id: str | None,
    model_version_aliases: tuple[str, ...],
) -> Iterator[Fault]:
    written: dict[str, Any] = {
        "model_display_name": model_display_name,
        "model_labels": model_labels,
        "model_id": model_id,
        "model_version_aliases": model_version_aliases,
    }
    yield from _without_image(model_serving_container_image_uri, written)


def _version_needs_image(
    model_serving_container_image_uri: str | None,
    model_description: str | None,
    model_version_description: str | None,
    model_encryption_spec_key_name: str | None,
    parent_model: str | None,
    is_default_version: bool,
) -> Iterator[Fault]:
    written: dict[str, Any] = {
        "model_description": model_description,
        "model_version_description": model_version_description,
        "model_encryption_spec_key_name": model_encryption_spec_key_name,
        "parent_model": parent_model,
    }
    yield from _without_image(model_serving_container_image_uri, written)
    if model_serving_container_image_uri is None and not is_default_version:
        yield _no_model("is_default_version", False)


def _schemata_need_image(
    model_serving_container_image_uri: str | None,
    model_instance_schema_uri: str | None,
    model_parameters_schema_uri: str | None,
    model_prediction_schema_uri: str | None,
    explanation_metadata: Mapping[str, Any] | None,
    explanation_parameters: Mapping[str, Any] | None,
) -> Iterator[Fault]:
    schemata = {
        "model_instance_schema_uri": model_instance_schema_uri,
        "model_parameters_schema_uri": model_parameters_schema_uri,
        "model_prediction_schema_uri": model_prediction_schema_uri,
    }
    explanation: dict[str, Any] = {
        "explanation_metadata": explanation_metadata,
        "explanation_parameters": explanation_parameters,
    }
    yield from _without_image(model_serving_container_image_uri, {**schemata, **explanation})
    for field, uri in schemata.items():
        if uri is not None and not is_gcs_uri(uri):
            yield Fault(field, uri, "must be a Cloud Storage URI", "write gs://BUCKET/SCHEMA.yaml")


def _start_needs_image(
    model_serving_container_image_uri: str | None,
    model_serving_container_grpc_ports: tuple[int, ...],
    model_serving_container_deployment_timeout: int | None,
    model_serving_container_shared_memory_size_mb: int | None,
) -> Iterator[Fault]:
    prefix = "model_serving_container_"
    written: dict[str, Any] = {
        f"{prefix}grpc_ports": model_serving_container_grpc_ports,
        f"{prefix}deployment_timeout": model_serving_container_deployment_timeout,
        f"{prefix}shared_memory_size_mb": model_serving_container_shared_memory_size_mb,
    }
    yield from _without_image(model_serving_container_image_uri, written)


def _container_needs_image(
    model_serving_container_image_uri: str | None,
    model_serving_container_predict_route: str | None,
    model_serving_container_health_route: str | None,
    model_serving_container_command: tuple[str, ...],
    model_serving_container_args: tuple[str, ...],
    model_serving_container_environment_variables: Mapping[str, str],
    model_serving_container_ports: tuple[int, ...],
) -> Iterator[Fault]:
    prefix = "model_serving_container_"
    written: dict[str, Any] = {
        f"{prefix}predict_route": model_serving_container_predict_route,
        f"{prefix}health_route": model_serving_container_health_route,
        f"{prefix}command": model_serving_container_command,
        f"{prefix}args": model_serving_container_args,
        f"{prefix}environment_variables": model_serving_container_environment_variables,
        f"{prefix}ports": model_serving_container_ports,
    }
    yield from _without_image(model_serving_container_image_uri, written)


def _without_image(image: str | None, written: Mapping[str, Any]) -> Iterator[Fault]:
    if image is not None:
        return
    for field, value in written.items():
        if value:
            yield _no_model(field, value)


def _no_model(field: str, value: Any) -> Fault:
    return Fault(
        field,
        value,
        "describes a model, and none is uploaded without an image to serve it",
        "add model_serving_container_image_uri, or remove it",
    )


def _one_key_for_a_version(model_id: str | None, parent_model: str | None) -> Iterator[Fault]:
    if model_id is not None and parent_model is not None:
        rule = "is the id of a new model, and parent_model gets a new version"
        yield Fault("model_id", model_id, rule, "remove one of the two")


def _parent_is_a_model(parent_model: str | None) -> Iterator[Fault]:
    if parent_model is not None and not _PARENT.fullmatch(parent_model):
        remedy = "write its id, or projects/PROJECT/locations/LOCATION/models/ID"
        yield Fault("parent_model", parent_model, "must name a model, without a version", remedy)


def _model_key_is_a_resource(model_encryption_spec_key_name: str | None) -> Iterator[Fault]:
    yield from key_faults("model_encryption_spec_key_name", model_encryption_spec_key_name)


def _model_id_letters(model_id: str | None) -> Iterator[Fault]:
    if model_id is not None and not _MODEL_ID.fullmatch(model_id):
        yield Fault(
            "model_id",
            model_id,
            "has up to 63 of a-z, 0-9, _ and -, and starts with a letter or _",
            "choose another id",
        )


def _default_name_fits(
    display_name: str,
    model_display_name: str | None,
    model_serving_container_image_uri: str | None,
) -> Iterator[Fault]:
    most = catalog.load().limits.display_name_max_chars
    too_long = len(display_name + _DEFAULT_SUFFIX) > most
    if model_serving_container_image_uri and model_display_name is None and too_long:
        rule = f"the job's name with {_DEFAULT_SUFFIX} has more than {most} characters"
        yield Fault("model_display_name", None, rule, "add model_display_name")


def _model_labels(model_labels: Mapping[str, str] | None) -> Iterator[Fault]:
    yield from label_faults("model_labels", model_labels or {})


def _routes_are_paths(
    model_serving_container_predict_route: str | None,
    model_serving_container_health_route: str | None,
) -> Iterator[Fault]:
    routes = {
        "model_serving_container_predict_route": model_serving_container_predict_route,
        "model_serving_container_health_route": model_serving_container_health_route,
    }
    for field, route in routes.items():
        if route is not None and not route.startswith("/"):
            yield Fault(field, route, "must be an HTTP path", f"write /{route}")


MODEL_RULES = (
    _model_needs_image,
    _container_needs_image,
    _start_needs_image,
    _version_needs_image,
    _schemata_need_image,
    _one_key_for_a_version,
    _parent_is_a_model,
    _model_key_is_a_resource,
    _model_id_letters,
    _default_name_fits,
    _model_labels,
    _routes_are_paths,
)
