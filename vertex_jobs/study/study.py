"""A study: the trials of one tuning job at one moment, with its decisions.

For users of ``handle.result()`` and for the verbs ``trials`` and ``best``. A study is a detached
copy: it stays valid when the endpoint has closed, and never contacts it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.study.analysis import StudyAnalysis
from vertex_jobs.study.parsing import read_objectives, read_trials
from vertex_jobs.study.trial_records import JsonObject
from vertex_jobs.study.trial_tables import short_table, trial_columns, trial_rows

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Study(StudyAnalysis):
    """The trials of a tuning job and what they decide, in every form that a person reads."""

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

    def to_json(self) -> list[JsonObject]:
        """Return what ``trials --format json`` prints."""
        return [trial.to_json() for trial in self.trials]

    def best_to_json(self) -> JsonObject | list[JsonObject]:
        """Return what ``best --format json`` prints: a trial and ``why``, or several.

        Raises:
            NoFeasibleTrialError: If no trial could win.
        """
        best = [{**trial.to_json(), "why": self.explain(trial)} for trial in self.best_trials]
        return best if len(self.objectives) > 1 else best[0]

    def columns(self) -> list[str]:
        """Return the header of ``rows``; a dot joins nested keys, as in ``metrics.accuracy``."""
        return trial_columns(self)

    def rows(self) -> list[list[object]]:
        """Return one row per trial under ``columns``; absent values are None."""
        return trial_rows(self.trials, self.columns())

    def to_frame(self) -> "pd.DataFrame":
        """Return the trials as a pandas frame, one row each, under ``columns``.

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

    def to_html(self) -> str:
        """Return a report with charts, as the text of one HTML file that needs no network.

        Raises:
            UnsupportedHereError: If plotly is not installed.
        """
        from vertex_jobs.study.report import report_html

        return report_html(self)

    def _repr_html_(self) -> str:
        """Return the trials as a table for notebooks, best first."""
        return short_table(self)
