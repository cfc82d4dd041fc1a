"""What a study learns from earlier ones before its first trial.

For tuning jobs. Vertex AI's v1 API has no such thing (only v1beta1 has ``transfer_learning_config``
in its StudySpec), so it is a setting of Local Vertex.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.machinery import Machinery
from vertex_jobs.emulator.controllers.settings import JobSettings
from vertex_jobs.emulator.controllers.trial import assignment_of, objectives_of
from vertex_jobs.emulator.resources.trial_rules import check_parameters
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.names import ResourceName

__all__ = ["trials_to_start_from"]

#: The search knows trials by number; those of earlier studies are above all of this one's.
_FIRST_NUMBER = 1_000_000
_FINISHED = (protos.TrialState.SUCCEEDED, protos.TrialState.INFEASIBLE)


def trials_to_start_from(
    machinery: Machinery, job: protos.Message, options: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The finished trials of the studies in ``warm_start``, in the search's form.

    A trial is left out if it is not of this study's space, or has not all of its metrics; how many
    were taken is written to the job's log.
    """
    found: list[dict[str, Any]] = []
    job_id = ResourceName.parse(job.name).resource_id
    for earlier_id in JobSettings.read(options).local.warm_start:
        trials = machinery.store.trials(earlier_id)
        usable = _usable(job.study_spec, trials)
        text = f"The search starts from {len(usable)} of {len(trials)} trials of {earlier_id}."
        machinery.service_line(job_id, text, "NOTICE" if usable else "WARNING")
        found += usable
    return [{"trial_id": _FIRST_NUMBER + place, **form} for place, form in enumerate(found)]


def _usable(study_spec: protos.Message, trials: Sequence[protos.Message]) -> list[dict[str, Any]]:
    wanted = {metric.metric_id for metric in study_spec.metrics}
    forms = []
    for trial in trials:
        measured = {metric.metric_id for metric in trial.final_measurement.metrics}
        succeeded = trial.state == protos.TrialState.SUCCEEDED
        if trial.state not in _FINISHED or (succeeded and not wanted <= measured):
            continue
        assignment = assignment_of(study_spec, trial)
        try:
            check_parameters(study_spec, assignment)
        except ApiError:
            continue
        forms.append({"assignment": assignment, "objectives": objectives_of(study_spec, trial)})
    return forms
