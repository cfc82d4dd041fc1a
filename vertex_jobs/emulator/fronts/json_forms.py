"""Answers as JSON, the finished trials of a tuning job made once.

For the REST front. A watched study is asked for at every change, and each answer carries all of
its trials: without this the work would grow with the square of their number.
"""

from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.study import is_finished

__all__ = ["JsonForms"]

#: Of a kilobyte each; several studies of 2,000 trials.
_MOST_TRIALS = 10_000


class JsonForms:
    """Turns answers into JSON and remembers what cannot change any more."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._trials: dict[tuple[str, bool], dict[str, Any]] = {}

    def form(self, answer: protos.Message, integers_for_enums: bool) -> dict[str, Any]:
        """The answer's JSON form; not to be changed by the caller."""
        if not isinstance(answer, protos.HyperparameterTuningJob) or not answer.trials:
            return protos.to_json(answer, integers_for_enums=integers_for_enums)
        bare = protos.HyperparameterTuningJob()
        bare.CopyFrom(answer)
        bare.ClearField("trials")
        form = protos.to_json(bare, integers_for_enums=integers_for_enums)
        form["trials"] = [self._trial(trial, integers_for_enums) for trial in answer.trials]
        return form

    def _trial(self, trial: protos.Message, integers_for_enums: bool) -> dict[str, Any]:
        key = (trial.name, integers_for_enums)
        known = self._trials.get(key)
        if known is not None:
            return known
        form = protos.to_json(trial, integers_for_enums=integers_for_enums)
        if is_finished(trial):
            if len(self._trials) >= _MOST_TRIALS:
                self._trials.pop(next(iter(self._trials)))
            self._trials[key] = form
        return form
