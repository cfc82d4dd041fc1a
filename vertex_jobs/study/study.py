"""A study: the trials of one tuning job at one moment, with its decisions.

For users of ``handle.result()`` and for the verbs ``trials`` and ``best``. A study is a detached
copy: it stays valid when the endpoint has closed, and never contacts it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.study.confidence import LEAST_TRIALS, Confidence
from vertex_jobs.study.parsing import read_objectives, read_trials
from vertex_jobs.study.ranking import Ranking
from vertex_jobs.study.tables import html_table, trial_columns, trial_rows
from vertex_jobs.study.trials import JsonObject, Objective, Trial

if TYPE_CHECKING:
    import pandas as pd

    from vertex_jobs.search import Space
    from vertex_jobs.search.uncertainty import Beliefs

__all__ = ["Study"]


@dataclass(frozen=True)
class Study:
    """The trials of a tuning job and what they decide.

    Attributes:
        name: Resource name of the tuning job.
        display_name: The job's display name.
        state: The job's state when the copy was made.
        objectives: The metrics, in the order of the spec.
        trials: In the order of their ids.
        spec: The StudySpec in the API's JSON; empty where it is not known.
    """

    name: str
    display_name: str
    state: str
    objectives: tuple[Objective, ...]
    trials: tuple[Trial, ...]
    spec: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_resource(cls, resource: Mapping[str, Any]) -> "Study":
        """Read a HyperparameterTuningJob in the API's JSON form."""
        return cls(
            name=resource.get("name", ""),
            display_name=resource.get("displayName", ""),
            state=resource.get("state", "JOB_STATE_UNSPECIFIED"),
            objectives=read_objectives(resource),
            trials=read_trials(resource),
            spec=resource.get("studySpec", {}),
        )

    @property
    def best_trials(self) -> tuple[Trial, ...]:
        """The Pareto front in the order of ids; the best trial alone with one metric.

        Raises:
            NoFeasibleTrialError: If no trial could win.
        """
        return self.ranking.front()

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
        """Why this one of ``best_trials`` is there, and how sure that is, as a sentence or two."""
        text = self.ranking.explain(trial)
        return f"{text} {self.confidence.sentence(trial)}" if self.confidence else text

    def why_not(self, trial: Trial) -> str:
        """Why a trial is none of ``best_trials``, as a clause; empty if it is."""
        return self.ranking.why_not(trial)

    @cached_property
    def space(self) -> "Space | None":
        """The search space; None where the spec is not known or not complete."""
        from vertex_jobs.study.search_space import read_space

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
        from vertex_jobs.study.search_space import read_completed

        maximize = tuple(objective.maximize for objective in self.objectives)
        try:
            completed = read_completed(self.trials, self.objectives)
            return Beliefs.of(self.space, maximize, completed)
        except ValueError:  # a trial has values that the spec does not
            return None

    @cached_property
    def confidence(self) -> Confidence | None:
        """How sure the best trials are; None where there is no model."""
        if self.beliefs is None:
            return None
        return Confidence.of(self.beliefs, self.trials, self.objectives)

    def trial(self, trial_id: str) -> Trial:
        """The trial of that id.

        Raises:
            KeyError: If the study has no such trial.
        """
        for trial in self.trials:
            if trial.id == trial_id:
                return trial
        raise KeyError(f"{trial_id!r} is no trial of {self.name}; it has {len(self.trials)} trials")

    def to_json(self) -> list[JsonObject]:
        """What ``trials --format json`` prints."""
        return [trial.to_json() for trial in self.trials]

    def best_to_json(self) -> JsonObject | list[JsonObject]:
        """What ``best --format json`` prints: a trial and ``why``; a list with several metrics.

        Raises:
            NoFeasibleTrialError: If no trial could win.
        """
        best = [{**trial.to_json(), "why": self.explain(trial)} for trial in self.best_trials]
        return best if len(self.objectives) > 1 else best[0]

    def columns(self) -> list[str]:
        """The header of ``rows``; nested keys are joined by a dot, as ``metrics.accuracy``."""
        return trial_columns(self.trials, self.objectives)

    def rows(self) -> list[list[object]]:
        """One row per trial under ``columns``; absent values are None."""
        return trial_rows(self.trials, self.columns())

    def to_html(self) -> str:
        """A report with charts, as the text of one HTML file that needs no network.

        Raises:
            UnsupportedHereError: If plotly is not installed.
        """
        from vertex_jobs.study.report import report_html

        return report_html(self)

    def to_frame(self) -> "pd.DataFrame":
        """The trials as a pandas frame, one row each, under ``columns``.

        Raises:
            UnsupportedHereError: If pandas is not installed.
        """
        try:
            import pandas as pd
        except ModuleNotFoundError as error:
            raise UnsupportedHereError(
                "pandas is not installed, and to_frame needs it; "
                "install it with: pip install 'vertex-jobs[frames]'"
            ) from error
        return pd.DataFrame(self.rows(), columns=self.columns())

    def _repr_html_(self) -> str:
        """The trials as a table for notebooks, best first."""
        return html_table(self.display_name, self.state, self.ranking)

    @property
    def ranking(self) -> Ranking:
        """The trials in the order of their merit."""
        return Ranking(self.objectives, self.trials)
