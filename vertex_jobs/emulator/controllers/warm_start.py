"""Warm start: the trials of earlier studies that a study learns from before its first trial.

For tuning jobs, and for admission, which refuses one that names earlier studies in vain. Vertex
AI's v1 API has no such thing (only v1beta1 has ``transfer_learning_config`` in its StudySpec), so
it is a setting of Local Vertex.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources import study_rules
from vertex_jobs.emulator.resources.job_records import JobRecord
from vertex_jobs.emulator.resources.trial_rules import assignment_faults
from vertex_jobs.emulator.storage.objects.object_errors import ObjectStoreError
from vertex_jobs.emulator.storage.objects.object_store import ObjectStore
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.emulator.study_search.session import trial_form
from vertex_jobs.job_kinds import TUNING_JOB
from vertex_jobs.names import GcsUri, is_gcs_uri
from vertex_jobs.study.exported import read_exported
from vertex_jobs.study.trial_records import Trial

#: The search knows trials by number; those of earlier studies are above all of this one's.
_FIRST_NUMBER = 1_000_000
#: As many of the trials that are left out are named, with the reason.
_NAMED = 3


class EarlierStudies:
    """The studies of this server and files of exported trials, by their names in ``warm_start``."""

    def __init__(self, store: Store, objects: ObjectStore) -> None:
        self._store = store
        self._objects = objects

    def faults(self, warm_start: Sequence[str]) -> list[tuple[str, str]]:
        """Return each of these studies and files that cannot be read, and why."""
        found = []
        for number, earlier in enumerate(warm_start):
            try:
                self.trials(earlier)
            except ValueError as error:
                found.append((f"local.warm_start[{number}]", f"{earlier!r}: {error}"))
        return found

    def trials(self, earlier: str) -> list[protos.Message]:
        """Return the trials of a study by its id, or in a file.

        Raises:
            ValueError: If there is no such thing; says why, and what to give instead.
        """
        if is_gcs_uri(earlier):
            return self._exported(earlier)
        collections = (TUNING_JOB.collection, "studies")
        if all(self._store.load(one, earlier) is None for one in collections):
            raise ValueError(
                "no study on this machine has that id; give the number at the end of a study's "
                "name, or gs://BUCKET/FILE with exported trials"
            )
        return self._store.trials(earlier)

    def _exported(self, uri: str) -> list[protos.Message]:
        try:
            place = GcsUri.parse(uri)
            _, stream = self._objects.open(place.bucket, place.path)
            with stream:
                exported = read_exported(stream.read().decode())
        except (ObjectStoreError, ValueError) as error:
            raise ValueError(
                f"cannot be read as trials: {error}; put there what this writes: "
                "vertex-jobs trials JOB --format json"
            ) from error
        return [_message(trial) for trial in exported]


def trials_to_start_from(
    record: JobRecord, study_spec: protos.Message, studies: EarlierStudies
) -> list[dict[str, Any]]:
    """Return the finished trials of the studies in ``warm_start``, in the search's form.

    A trial is left out if it is not of this study's space, or has not all of its metrics; how many
    were taken, and why others were not, is written to the job's log.
    """
    found: list[dict[str, Any]] = []
    for earlier_id in record.settings.local.warm_start:
        try:
            trials = studies.trials(earlier_id)
        except ValueError as error:  # it was there when the job was created
            record.say(f"The search starts without {earlier_id}: {error}.", "WARNING")
            continue
        usable, reasons = _usable(study_spec, trials)
        text = f"The search starts from {len(usable)} of {len(trials)} trials of {earlier_id}."
        text += _left_out(reasons)
        record.say(text, "NOTICE" if usable else "WARNING")
        found += usable
    return [{"trial_id": _FIRST_NUMBER + place, **form} for place, form in enumerate(found)]


def _message(exported: Trial) -> protos.Message:
    trial = protos.Trial(
        id=exported.id, parameters=study_rules.parameter_messages(exported.parameters)
    )
    trial.state = getattr(protos.TrialState, exported.state, 0)
    finite = {name: value for name, value in exported.metrics.items() if math.isfinite(value)}
    trial.final_measurement.CopyFrom(study_rules.measurement(0, finite, 0.0))
    return trial


def _usable(
    study_spec: protos.Message, trials: Sequence[protos.Message]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the trials that fit, in the search's form; and by id, why the others do not."""
    forms, reasons = [], {}
    for trial in trials:
        reason = _misfit(study_spec, trial)
        if reason:
            reasons[trial.id] = reason
            continue
        forms.append(trial_form(study_spec, trial))
    return forms, reasons


def _misfit(study_spec: protos.Message, trial: protos.Message) -> str:
    """Return why the study cannot learn from the trial; empty if it can."""
    if not study_rules.is_finished(trial):
        return "it has not ended"
    measured = {metric.metric_id for metric in trial.final_measurement.metrics}
    missing = [one.metric_id for one in study_spec.metrics if one.metric_id not in measured]
    if trial.state == protos.TrialState.SUCCEEDED and missing:
        return f"it has no value of {', '.join(missing)}"
    faults = assignment_faults(study_spec, study_rules.assignment_of(study_spec, trial))
    return "; ".join(text.rstrip(".") for _, text in faults)


def _left_out(reasons: Mapping[str, str]) -> str:
    """Return the first trials that are left out and why, as a sentence; empty if none is."""
    if not reasons:
        return ""
    named = [f"trial {trial} ({reason})" for trial, reason in list(reasons.items())[:_NAMED]]
    more = len(reasons) - len(named)
    return f" Left out: {', '.join([*named, *([f'{more} more'] if more else [])])}."
