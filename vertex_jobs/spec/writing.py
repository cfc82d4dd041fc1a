"""A job written as the config that a person would write.

For verbs that print a config, such as ``best --retrain``. What is at its default is left out, so
the form is the shortest that reads back to the same job.
"""

from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from vertex_jobs.spec.base import Spec
from vertex_jobs.spec.job_spec import JobSpec
from vertex_jobs.spec.yaml_text import render


def to_mapping(job: JobSpec) -> dict[str, Any]:
    """Return the keys of a config, in the models' order, as plain data.

    ``from_mapping`` makes an equal job of it. A ``script_path`` stays as the job has it: absolute,
    if the job came from a file.
    """
    mapping: dict[str, Any] = _plain(job)
    return mapping


def to_yaml(job: JobSpec) -> str:
    """Return the text of a config, which ``load`` reads back to an equal job."""
    return render(to_mapping(job))


def _plain(value: Any) -> Any:
    if isinstance(value, Spec):
        fields = type(value).model_fields.items()
        written = {
            name: getattr(value, name) for name, field in fields if _counts(value, name, field)
        }
        return {name: _plain(one) for name, one in written.items()}
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


def _counts(spec: Spec, name: str, field: FieldInfo) -> bool:
    """Return whether a field says something: it is no default, or tells its spec's kind."""
    is_tag = get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1
    return is_tag or field.is_required() or getattr(spec, name) != field.default
