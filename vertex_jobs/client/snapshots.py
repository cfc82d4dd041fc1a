"""A job at one moment, taken out of the API's JSON.

For progress displays, lists and results. A snapshot is a detached copy and contacts nothing.

Source: CustomJob, HyperparameterTuningJob and TrainingPipeline protos.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from vertex_jobs.client.log_lines import LogSource
from vertex_jobs.errors import NoFeasibleTrialError, UnsupportedHereError
from vertex_jobs.job_kinds import (
    CUSTOM_TRAINING_JOB,
    TUNING_JOB,
    JobKind,
    is_success,
    is_terminal,
    kind_of_name,
)
from vertex_jobs.names import ResourceName
from vertex_jobs.study import Study, Trial


@dataclass(frozen=True)
class Snapshot:
    """The endpoint's answer about a job; ``resource``, the API's JSON, is not to be changed."""

    resource: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The full resource name."""
        return str(self.resource["name"])

    @property
    def job_id(self) -> str:
        """The last component of the name."""
        return ResourceName.parse(self.name).resource_id

    @property
    def kind(self) -> JobKind:
        """The kind, one of three."""
        return kind_of_name(self.name)

    @property
    def is_study(self) -> bool:
        """True if the job has trials."""
        return self.kind is TUNING_JOB

    @cached_property
    def job_spec(self) -> Mapping[str, Any]:
        """The job's CustomJobSpec, or that of each of its trials; empty if it has none."""
        return self.kind.job_spec(self.resource)

    @property
    def log_job_ids(self) -> tuple[str, ...]:
        """The ids under which the job's lines are logged.

        A pipeline logs under its backing custom job; a tuning job under its own id, and under
        those of its trials' custom jobs where the service names them.
        """
        if self.kind is CUSTOM_TRAINING_JOB:
            backing = self.resource.get("trainingTaskMetadata", {}).get("backingCustomJob", "")
            return (ResourceName.parse(backing).resource_id,) if backing else ()
        trials = self.resource.get("trials", ())
        return (self.job_id, *(job_id for trial in trials for job_id in _trial_job_ids(trial)))

    def log_source(self, replica: str = "", trial: str = "") -> tuple[tuple[str, ...], LogSource]:
        """Return under which job ids lines are logged, and which of those lines are meant.

        A trial's lines are found by their label, and by its custom job where the service names it.
        An empty replica, e.g. ``workerpool0-0``, or trial id stands for all.

        Raises:
            UnsupportedHereError: If the job has no such trial.
        """
        if not trial:
            return self.log_job_ids, LogSource(replica)
        trials = {str(one.get("id", "")): one for one in self.resource.get("trials", ())}
        if trial not in trials:
            raise UnsupportedHereError(
                f"{self.name} has no trial {trial!r}; it has {', '.join(trials) or 'none'}"
            )
        own = _trial_job_ids(trials[trial])
        return (self.job_id, *own), LogSource(replica, trial, own)

    @property
    def package_uri(self) -> str | None:
        """The job's package, which comes after its wheels; None for a container job."""
        pools: Sequence[Mapping[str, Any]] = self.job_spec.get("workerPoolSpecs") or ({},)
        uris = pools[0].get("pythonPackageSpec", {}).get("packageUris")
        return str(uris[-1]) if uris else None

    @property
    def display_name(self) -> str:
        """The display name."""
        return str(self.resource.get("displayName", ""))

    @property
    def state(self) -> str:
        """The full name, e.g. ``JOB_STATE_RUNNING`` or ``PIPELINE_STATE_RUNNING``."""
        return str(self.resource.get("state", "JOB_STATE_UNSPECIFIED"))

    @property
    def done(self) -> bool:
        """True if the job has ended, however it did."""
        return is_terminal(self.state)

    @property
    def succeeded(self) -> bool:
        """True if it ended with its results, all or in part."""
        return is_success(self.state)

    @property
    def create_time(self) -> str | None:
        """RFC 3339 text."""
        return self.resource.get("createTime")

    @property
    def start_time(self) -> str | None:
        """The time of its first run, RFC 3339 text."""
        return self.resource.get("startTime")

    @property
    def end_time(self) -> str | None:
        """RFC 3339 text."""
        return self.resource.get("endTime")

    @property
    def update_time(self) -> str | None:
        """The time of its last change, RFC 3339 text."""
        return self.resource.get("updateTime")

    @property
    def error(self) -> tuple[int, str] | None:
        """The code of google.rpc.Code and the message; None without an error."""
        error = self.resource.get("error")
        return (int(error.get("code", 0)), str(error.get("message", ""))) if error else None

    @property
    def trial_counts(self) -> dict[str, int]:
        """The number of trials by state; empty for jobs without trials."""
        states = (trial.get("state", "REQUESTED") for trial in self.resource.get("trials", ()))
        return dict(Counter(states))

    @cached_property
    def study(self) -> Study:
        """The trials of a tuning job.

        Raises:
            UnsupportedHereError: If the job is of another kind.
        """
        if not self.is_study:
            raise UnsupportedHereError(
                f"{self.name} is a {self.kind.name}, which has no trials; "
                f"only a {TUNING_JOB.name} has"
            )
        return Study.from_resource(self.resource)

    @property
    def best_so_far(self) -> Trial | None:
        """The best trial yet; None without one, and for jobs with several metrics."""
        if not self.is_study:
            return None
        try:
            return self.study.best_trial
        except (NoFeasibleTrialError, UnsupportedHereError):
            return None


def _trial_job_ids(trial: Mapping[str, Any]) -> tuple[str, ...]:
    name = trial.get("customJob", "")
    return (ResourceName.parse(name).resource_id,) if name else ()
