"""Drills: presets of faults under which a job is rehearsed, in one table.

For ``run --drill``. Some faults hold from before the submission, the others come with the job.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vertex_jobs.job_kinds import CUSTOM_TRAINING_JOB

if TYPE_CHECKING:
    from vertex_jobs.spec.job_spec import JobSpec

_Faults = tuple[Mapping[str, Any], ...]

#: What a script has reached when its machine is taken: the first reported step, the first
#: checkpoint, or, with neither, a minute. Each happens once.
_TRIGGERS: _Faults = ({"step": 1}, {"checkpoint": True}, {"after": "60s"})

_NOWHERE_ELSE = (
    "Vertex AI starts a job nowhere else by itself: name other places under fallback, e.g. "
    "fallback: [{location: europe-west4}]"
)


@dataclass(frozen=True)
class Drill:
    """One drill.

    Attributes:
        summary: What happens, a clause.
        permanent: Why a job that is hit does not come back; empty if it should.
        replica: What happens to a replica; empty for nothing.
        of_worker: Whether it is a worker's, where there are workers, else the chief's.
        standing: Faults that hold for whatever is submitted, in every place.
        of_pipelines: The same where a training pipeline is submitted; empty if they are no others.
    """

    summary: str
    permanent: str = ""
    replica: str = ""
    of_worker: bool = False
    standing: _Faults = ()
    of_pipelines: _Faults = ()

    def standing_faults(self, job: "JobSpec") -> _Faults:
        """Return the faults that hold from before the job's submission."""
        is_pipeline = job.kind == CUSTOM_TRAINING_JOB.name
        return (is_pipeline and self.of_pipelines) or self.standing

    def replica_faults(self, job: "JobSpec") -> list[dict[str, Any]]:
        """Return the faults that come with that job."""
        roles = {pool.role for pool in job.worker_pools_resolved()}
        number = 1 if self.of_worker and "workers" in roles else 0
        fault = {"replica": f"workerpool{number}-0", "fault": self.replica}
        return [{**fault, **trigger} for trigger in _TRIGGERS] if self.replica else []


DRILLS = {
    "preempt": Drill(
        "the chief's machine is taken away: SIGTERM, and SIGKILL 30 s later", replica="preempt"
    ),
    "kill-worker": Drill(
        "a worker's machine is lost without notice", replica="kill", of_worker=True
    ),
    "oom": Drill(
        "the chief runs out of memory",
        permanent="Vertex AI does not restart a program that ran out of memory: choose a machine "
        "with more, or a smaller batch; in a study, max_failed_trial_count lets the others go on",
        replica="out_of_memory",
    ),
    "api-faults": Drill(
        "calls of Vertex AI and of Cloud Storage fail, break and are slow",
        standing=(
            {"call": "*.Create*", "fault": "drop_after"},
            {"call": "*.List*", "fault": 503},
            {"call": "*.Get*", "fault": 503, "skip": 1, "times": 2},
            {"call": "*.Get*", "fault": "drop_before", "skip": 1},
            {"call": "*.Get*", "fault": 504, "skip": 1},
            {"call": "*.Get*", "fault": 429, "skip": 1},
            {"call": "*.Get*", "fault": "slow", "seconds": "1s", "skip": 1},
            {"call": "storage.objects.insert", "fault": 503, "times": 2},
            {"call": "storage.objects.insert", "fault": "drop_after", "skip": 1},
            {"call": "storage.objects.get", "fault": 503, "times": 2},
        ),
    ),
    "quota": Drill(
        "the first place refuses the job for want of quota",
        standing=({"call": "*.Create*", "fault": 429},),
        # A pipeline is created all the same, and fails when its machines are asked for. Source:
        # GoogleCloudPlatform/vertex-ai-samples issue 3479.
        of_pipelines=({"replica": "*", "fault": "quota"},),
    ),
    "stockout": Drill(
        "the first place takes the job and has no machines for it",
        permanent=_NOWHERE_ELSE,
        standing=({"replica": "*", "fault": "stockout"},),
    ),
}
