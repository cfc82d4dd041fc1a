"""The confidence that the best trial is the best: noise, chances, and both of them in words.

For `Study`. The search's own model of the metrics judges, whatever search made the trials.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vertex_jobs.study.trial_records import Objective, Trial

if TYPE_CHECKING:
    from vertex_jobs.search.uncertainty import Beliefs

#: With fewer trials the model knows little but its own assumptions.
LEAST_TRIALS = 5
#: Two values of one setting differ by less than that many times the deviation of one, in 95 of 100
#: cases: 1.96 times the square root of 2.
_SPREAD = 2.77
_MOST_NAMED = 4


@dataclass(frozen=True)
class Confidence:
    """The order of the trials as a model of all of them sees it.

    Attributes:
        chances: By trial id: that no other setting is truly better than the trial's, which it
            shares with trials of equal parameters. Those without one are absent; all are where the
            values of all trials are equal.
        noise: By metric: the standard deviation of one trial's value around the truth.
        settings: By trial id: one of the trials that have the same setting.
        values: By trial id: its metric, where there is one alone.
    """

    chances: Mapping[str, float]
    noise: Mapping[str, float]
    settings: Mapping[str, str]
    values: Mapping[str, float]

    @property
    def trial_count(self) -> int:
        """Trials that the model was fitted to."""
        return len(self.settings)

    @classmethod
    def of(
        cls, beliefs: "Beliefs", trials: tuple[Trial, ...], objectives: tuple[Objective, ...]
    ) -> "Confidence":
        """Ask the model about the trials; their ids in it are their places, counted from 1."""
        ids = {place: trial.id for place, trial in enumerate(trials, start=1)}
        settings = {ids[place]: ids[first] for place, first in beliefs.settings.items()}
        metric = objectives[0].metric_id
        noise = zip(objectives, beliefs.noise.tolist(), strict=True)
        return cls(
            {ids[place]: share for place, share in beliefs.chances().items()},
            {objective.metric_id: deviation for objective, deviation in noise},
            settings,
            {trial.id: trial.metrics[metric] for trial in trials if trial.id in settings}
            if len(objectives) == 1
            else {},
        )

    def equals(self, winner: Trial) -> list[str]:
        """Return the trials that differ from it by no more than two runs of one setting do.

        Nearest first; only where there is one metric.
        """
        if not self.values or not self.chances:
            return []
        (noise,) = self.noise.values()
        mine = self.values[winner.id]
        gaps = {key: abs(value - mine) for key, value in self.values.items() if key != winner.id}
        return sorted((key for key in gaps if gaps[key] <= _SPREAD * noise), key=gaps.__getitem__)

    def sentence(self, winner: Trial) -> str:
        """Return the model's view of one of the best trials; with one metric also of its rivals."""
        count = self.trial_count
        if not self.chances:
            return (
                f"The values of all {count} trials are equal up to rounding, so nothing tells "
                "which is truly the best."
            )
        own = self.chances.get(winner.id, 0.0)
        if len(self.noise) > 1:
            return (
                f"By a model of {count} trials the chance is {_percent(own)} that no "
                "other one truly beats it in every metric."
            )
        setting = self.settings[winner.id]
        rivals = {
            key: share for key, share in self.chances.items() if self.settings[key] != setting
        }
        rival = max(rivals, key=rivals.__getitem__, default=None)
        text = (
            f"By a model of {count} trials the chance that it is truly the best of "
            f"them is {_percent(own)}"
        )
        if rival is not None and rivals[rival] >= 0.01:
            text += f", against {_percent(rivals[rival])} for trial {rival}"
        (noise,) = self.noise.values()
        return f"{text}; one value scatters by about {noise:.2g}{self._equals_said(winner)}."

    def _equals_said(self, winner: Trial) -> str:
        equals = self.equals(winner)
        if not equals:
            return ", and no other trial is so near"
        named = [f"trial {key}" for key in equals[:_MOST_NAMED]]
        if len(equals) > _MOST_NAMED:
            named.append(f"{len(equals) - _MOST_NAMED} more")
        are = "is its equal" if len(equals) == 1 else "are its equals"
        text = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
        return f", and within that {text} {are}"


def _percent(share: float) -> str:
    if share < 0.01:
        return "below 1 %"
    return "over 99 %" if share > 0.99 else f"{share:.0%}".replace("%", " %")
