"""The jobs of a Python program: specs that also answer what would become of them.

For users, as ``vertex_jobs.CustomJob`` and the like. The fields of each kind, their checks and
their defaults are those of ``spec``; what is added here needs the packages above it. A config
becomes such a job by ``load``.
"""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ConfigDict

from vertex_jobs import packaging, requests, spec
from vertex_jobs.job_kinds import CUSTOM_JOB, CUSTOM_TRAINING_JOB, TUNING_JOB

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


# The spec comes first, so that its narrower fields count.
class CustomJob(spec.CustomJob, Job):
    """A training job."""


class CustomTrainingJob(spec.CustomTrainingJob, Job):
    """A training pipeline: a training job, and a model uploaded from what it wrote."""


class HyperparameterTuningJob(spec.HyperparameterTuningJob, Job):
    """A study: many trials of one training job, the best parameters searched for."""


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
