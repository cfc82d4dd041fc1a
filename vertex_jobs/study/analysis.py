"""The decision that a tuning job's trials allow: the best ones, the reasons, and how sure that is.

For `Study`, which adds the forms that a person sees, and for the charts of its report.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.search import Completed, Space
from vertex_jobs.search.study_spec import read_space
from vertex_jobs.study.confidence import LEAST_TRIALS, Confidence
from vertex_jobs.study.ranking import Ranking
from vertex_jobs.study.trial_records import Objective, Trial

if TYPE_CHECKING:
    from vertex_jobs.search.uncertainty import Beliefs

#: Which measurement of a trial is its final one. Source: StudySpec.MeasurementSelectionType.
_SELECTIONS = {"BEST_MEASUREMENT": "best", "LAST_MEASUREMENT": "last"}


@dataclass(frozen=True)
class StudyAnalysis:
    """The trials of a tuning job and what they decide.

    Attributes:
        name: Resource name of the tuning job.
        state: The job's when the copy was made.
        objectives: In the order of the spec.
        trials: In the order of their ids.
        spec: The StudySpec in the API's JSON; empty where it is not known.
    """

    name: str
    display_name: str
    state: str
    objectives: tuple[Objective, ...]
    trials: tuple[Trial, ...]
    spec: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def ranking(self) -> Ranking:
        """The trials in the order of their merit."""
        selection = str(self.spec.get("measurementSelectionType", ""))
        return Ranking(self.objectives, self.trials, _SELECTIONS.get(selection, ""))

    @property
    def best_trials(self) -> tuple[Trial, ...]:
        """The Pareto front in the order of ids; the best trial alone with one metric.

        Raises:
            NoFeasibleTrialError: If no trial could win.
        """
        return self.ranking.front()

    @property
    def best_ids(self) -> frozenset[str]:
        """The ids of ``best_trials``; empty if no trial could win."""
        return frozenset(
            trial.id for trial in (self.best_trials if self.ranking.candidates() else ())
        )

    @property
    def best_trial(self) -> Trial:
        """The trial with the best final measurement; ties go to the lowest id.

        Raises:
            NoFeasibleTrialError: If no trial could win.
            UnsupportedHereError: If several metrics leave more than one trial on the Pareto front.
        """
        front = self.best_trials
        if len(front) > 1:
            metrics = ", ".join(objective.metric_id for objective in self.objectives)
            raise UnsupportedHereError(
                f"{len(front)} trials share the Pareto front of {metrics}: "
                "one best trial exists only where one trial leads in every metric; "
                "choose one of `best_trials`"
            )
        return front[0]

    @property
    def why(self) -> str:
        """Why the best trial won, as a sentence; raises as ``best_trial`` does."""
        return self.explain(self.best_trial)

    def explain(self, trial: Trial) -> str:
        """Return why this one of ``best_trials`` is there, and how sure that is, in sentences."""
        text = self.ranking.explain(trial)
        return f"{text} {self.confidence.sentence(trial)}" if self.confidence else text

    def why_not(self, trial: Trial) -> str:
        """Return why a trial is none of ``best_trials``, as a clause; empty if it is one."""
        text = self.ranking.why_not(trial)
        confidence = self.confidence if text and len(self.objectives) == 1 else None
        if confidence is not None and trial.id in confidence.equals(self.best_trial):
            return f"{text}, within the noise"
        return text

    def trial(self, trial_id: str) -> Trial:
        """Return the trial of that id.

        Raises:
            KeyError: If the study has no such trial.
        """
        for trial in self.trials:
            if trial.id == trial_id:
                return trial
        raise KeyError(f"{trial_id!r} is no trial of {self.name}; it has {len(self.trials)} trials")

    @cached_property
    def space(self) -> Space | None:
        """The search space; None where the spec is not known or not complete."""
        try:
            return read_space(self.spec) if self.spec.get("parameters") else None
        except ValueError:
            return None

    @cached_property
    def beliefs(self) -> "Beliefs | None":
        """A model of the metrics, fitted once; None with too few trials or an unknown space."""
        if len(self.ranking.candidates()) < LEAST_TRIALS or self.space is None:
            return None
        from vertex_jobs.search.uncertainty import Beliefs

        maximize = tuple(objective.maximize for objective in self.objectives)
        try:
            return Beliefs.of(self.space, maximize, self._completed())
        except ValueError:  # a trial has values that the spec does not
            return None

    def _completed(self) -> list[Completed]:
        """Return the trials that have ended as the search knows them, numbered by place from 1."""
        return [
            Completed(place, trial.parameters, _values(trial, self.objectives))
            for place, trial in enumerate(self.trials, start=1)
            if trial.finished
        ]

    @cached_property
    def confidence(self) -> Confidence | None:
        """The confidence in the best trials; None where there is no model."""
        if self.beliefs is None:
            return None
        return Confidence.of(self.beliefs, self.trials, self.objectives)


def _values(trial: Trial, objectives: Sequence[Objective]) -> tuple[float, ...] | None:
    names = [objective.metric_id for objective in objectives]
    if trial.state != "SUCCEEDED" or any(name not in trial.metrics for name in names):
        return None
    return tuple(trial.metrics[name] for name in names)
