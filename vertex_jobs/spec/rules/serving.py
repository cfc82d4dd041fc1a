"""Rules on the model that a training pipeline uploads.

For the table in ``rules``.

Source: TrainingPipeline, Model, ModelContainerSpec.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from vertex_jobs.errors import Fault
from vertex_jobs.spec.rules.identity import label_faults

__all__ = ["MODEL_RULES"]

_MODEL_ID = re.compile(r"[a-z_][a-z0-9_-]{0,62}")
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
            yield Fault(
                field,
                value,
                "describes a model, and none is uploaded without an image to serve it",
                "add model_serving_container_image_uri, or remove it",
            )


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
    name = display_name + _DEFAULT_SUFFIX
    if model_serving_container_image_uri and model_display_name is None and len(name) > 128:
        yield Fault(
            "model_display_name",
            None,
            "the job's name with -model has more than 128 characters",
            "add model_display_name",
        )


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
    _model_id_letters,
    _default_name_fits,
    _model_labels,
    _routes_are_paths,
)
