"""What a study learns from earlier ones before its first trial.

For tuning jobs. Vertex AI's v1 API has no such thing (only v1beta1 has ``transfer_learning_config``
in its StudySpec), so it is a setting of Local Vertex.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.machinery import Machinery
from vertex_jobs.emulator.controllers.settings import JobSettings
from vertex_jobs.emulator.objects.refusals import ObjectStoreError
from vertex_jobs.emulator.resources import study
from vertex_jobs.emulator.resources.trial_rules import check_parameters
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.names import GcsUri, ResourceName, is_gcs_uri
from vertex_jobs.study.exported import read_exported
from vertex_jobs.study.trials import Trial

__all__ = ["trials_to_start_from"]

#: The search knows trials by number; those of earlier studies are above all of this one's.
_FIRST_NUMBER = 1_000_000


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
        trials = _trials(machinery, earlier_id)
        usable = _usable(job.study_spec, trials)
        text = f"The search starts from {len(usable)} of {len(trials)} trials of {earlier_id}."
        machinery.service_line(job_id, text, "NOTICE" if usable else "WARNING")
        found += usable
    return [{"trial_id": _FIRST_NUMBER + place, **form} for place, form in enumerate(found)]


def _trials(machinery: Machinery, earlier: str) -> list[protos.Message]:
    """The trials of a study by its id, or in a file; none if there is no such thing."""
    if not is_gcs_uri(earlier):
        return machinery.store.trials(earlier)
    place = GcsUri.parse(earlier)
    try:
        _, stream = machinery.objects.open(place.bucket, place.path)
        with stream:
            exported = read_exported(stream.read().decode())
    except (ObjectStoreError, ValueError):
        return []
    return [_message(trial) for trial in exported]


def _message(exported: Trial) -> protos.Message:
    trial = protos.Trial(id=exported.id, parameters=study.parameter_messages(exported.parameters))
    trial.state = getattr(protos.TrialState, exported.state, 0)
    finite = {name: value for name, value in exported.metrics.items() if math.isfinite(value)}
    trial.final_measurement.CopyFrom(study.measurement(0, finite, 0.0))
    return trial


def _usable(study_spec: protos.Message, trials: Sequence[protos.Message]) -> list[dict[str, Any]]:
    wanted = {metric.metric_id for metric in study_spec.metrics}
    forms = []
    for trial in trials:
        measured = {metric.metric_id for metric in trial.final_measurement.metrics}
        succeeded = trial.state == protos.TrialState.SUCCEEDED
        if not study.is_finished(trial) or (succeeded and not wanted <= measured):
            continue
        assignment = study.assignment_of(study_spec, trial)
        try:
            check_parameters(study_spec, assignment)
        except ApiError:
            continue
        forms.append(
            {"assignment": assignment, "objectives": study.objectives_of(study_spec, trial)}
        )
    return forms
