"""The rules of the ``local:`` section within a job; those of the section alone stand with it.

For the table in ``rules``.
"""

from collections.abc import Iterator

from vertex_jobs.errors import Fault
from vertex_jobs.job_kinds import TUNING_JOB
from vertex_jobs.spec.local import LocalSettings, ReplicaFault

__all__ = ["LOCAL_RULES"]


def _settings(local: LocalSettings) -> Iterator[Fault]:
    yield from local.faults_at("local")


def _only_trials_have_steps(kind: str, local: LocalSettings) -> Iterator[Fault]:
    if kind == TUNING_JOB.name:
        return
    for number, fault in enumerate(local.faults):
        if isinstance(fault, ReplicaFault) and fault.step is not None:
            yield Fault(
                f"local.faults.{number}.step",
                fault.step,
                "only the trials of a study report steps",
                "use log with a line that the script prints at that step",
            )


LOCAL_RULES = (_settings, _only_trials_have_steps)
