"""The jobs of a Python program: specs that also answer what would become of them.

For users, as ``vertex_jobs.CustomJob`` and the like. The fields of each kind, their checks and
their defaults are those of ``spec``; what is added here needs the packages above it. A config
becomes such a job by ``load``.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict

from vertex_jobs import packaging, requests, spec
from vertex_jobs.job_kinds import CUSTOM_JOB, CUSTOM_TRAINING_JOB, TUNING_JOB

if TYPE_CHECKING:
    from vertex_jobs.preflight import Report, Where
    from vertex_jobs.preflight.cost import Estimate

__all__ = ["CustomJob", "CustomTrainingJob", "HyperparameterTuningJob", "Job", "examine", "load"]


class Job(spec.JobSpec):
    """A job that can be asked about before it is submitted."""

    model_config = ConfigDict(defer_build=True)  # most programs make jobs of one kind

    def preview(self) -> requests.Request:
        """Return the request that would be sent, with ``{submission}`` for what is drawn then.

        Raises:
            PackagingError: If the script cannot be read.
        """
        package = packaging.describe(self) if self.script_path is not None else None
        return requests.build(self, package, requests.place_of(self, requests.LOCAL_PLACE))

    def check(
        self,
        on: "Where" = "vertex",
        *,
        location: str = requests.LOCAL_PLACE.location,
        staging_bucket: str | None = None,
    ) -> "Report":
        """Return every mistake that can be known before the job is paid for, and the cost.

        Nothing is contacted. The script runs as far as its argument parser, in a child process.

        Args:
            on: ``vertex``, or ``local`` for a run on this machine.
            location: Region where it will be submitted first.
            staging_bucket: ``gs://…`` of the later endpoint; default the job's own.
        """
        from vertex_jobs import preflight

        place = requests.Place("", location, "")
        place = requests.place_of(self, place, staging_bucket)
        return preflight.check(spec.Reading.of(self), on=on, place=place)

    def cost(self, *, location: str = requests.LOCAL_PLACE.location) -> "Estimate":
        """Return what the job costs on Vertex AI: an hour, a trial, and the worst case.

        Args:
            location: Region where it will be submitted first.
        """
        from vertex_jobs.preflight.cost import estimate

        return estimate(self, location)


# The spec comes first, so that its narrower fields count.
class CustomJob(spec.CustomJob, Job):
    """A training job."""


class CustomTrainingJob(spec.CustomTrainingJob, Job):
    """A training pipeline: a training job, and a model uploaded from what it wrote."""


class HyperparameterTuningJob(spec.HyperparameterTuningJob, Job):
    """A study: many trials of one training job, the best parameters searched for."""

    @classmethod
    def prepare(cls, written: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields with the SDK's own parameter specs turned into ours."""
        if isinstance(written.get("parameter_spec"), Mapping):
            return {**written, "parameter_spec": _flat(written["parameter_spec"])}
        return written


_KINDS: dict[str, type[Job]] = {
    CUSTOM_JOB.name: CustomJob,
    CUSTOM_TRAINING_JOB.name: CustomTrainingJob,
    TUNING_JOB.name: HyperparameterTuningJob,
}


def load(
    path: Path | str, overrides: Sequence[str] = (), overlays: Sequence[Path | str] = ()
) -> Job:
    """Read a config or gcloud's ``--config``; arguments and errors are those of ``spec.load``."""
    read = spec.load(path, overrides, overlays, requests.read_gcloud_form)
    return _KINDS[read.kind].model_construct(read.model_fields_set, **dict(read))


def examine(
    path: Path | str, overrides: Sequence[str] = (), overlays: Sequence[Path | str] = ()
) -> spec.Reading:
    """Read the same with its faults; arguments and errors are those of ``spec.examine``."""
    return spec.examine(path, overrides, overlays, requests.read_gcloud_form)


#: An object of ``google.cloud.aiplatform.hyperparameter_tuning`` is known by the member of
#: StudySpec.ParameterSpec that it fills: our type, and the fields to copy.
_SDK_SPECS = {
    "double_value_spec": ("double", ("min", "max", "scale")),
    "integer_value_spec": ("integer", ("min", "max", "scale")),
    "discrete_value_spec": ("discrete", ("values", "scale")),
    "categorical_value_spec": ("categorical", ("values",)),
}


def _flat(parameter_spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return each parameter by id, those included that hang on a parent in the SDK.

    What is no object of the SDK stays as it is. A child whose id is taken gets the id ``id (under
    parent)``, which no rule accepts, so that the repetition is reported.
    """
    flat: dict[str, Any] = {}
    for name, written, parent in _walk(parameter_spec, None):
        flat[name if name not in flat else f"{name} (under {parent})"] = written
    return flat


def _walk(specs: Mapping[str, Any], parent: str | None) -> Iterator[tuple[str, Any, str | None]]:
    for name, one in specs.items():
        known = _SDK_SPECS.get(getattr(one, "_parameter_spec_value_key", ""))
        if known is None:
            yield name, one, parent
            continue
        type_name, copied = known
        written: dict[str, Any] = {"type": type_name}
        written |= {field: getattr(one, field) for field in copied}
        if written.get("scale") == "unspecified":
            del written["scale"]
        if parent is not None:
            written["when"] = {parent: list(one.parent_values or ())}
        yield name, written, parent
        yield from _walk(one.conditional_parameter_spec or {}, name)
