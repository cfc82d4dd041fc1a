"""How sure it is that the best trial is the best: noise, chances, and what they say in words.

For `Study`. The search's own model of the metrics judges, whatever search made the trials.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vertex_jobs.study.trials import Objective, Trial

if TYPE_CHECKING:
    from vertex_jobs.search.uncertainty import Beliefs

__all__ = ["Confidence"]

#: With fewer trials the model knows little but its own assumptions.
LEAST_TRIALS = 5


@dataclass(frozen=True)
class Confidence:
    """What a model of all trials says about their order.

    Attributes:
        chances: By trial id: that no other trial is truly better; those without one are absent.
        noise: By metric: the standard deviation of one trial's value around the truth.
        trial_count: Trials that the model was fitted to.
    """

    chances: Mapping[str, float]
    noise: Mapping[str, float]
    trial_count: int

    @classmethod
    def of(
        cls, beliefs: "Beliefs", trials: tuple[Trial, ...], objectives: tuple[Objective, ...]
    ) -> "Confidence":
        """Ask the model about the trials, whose places from 1 it knows as their ids."""
        chances = {trials[place - 1].id: share for place, share in beliefs.chances().items()}
        noise = zip(objectives, beliefs.noise.tolist(), strict=True)
        return cls(
            chances,
            {objective.metric_id: deviation for objective, deviation in noise},
            len(beliefs.trial_ids),
        )

    def sentence(self, winner: Trial) -> str:
        """What the model says about one of the best trials; with one metric also of its rivals."""
        own = self.chances.get(winner.id, 0.0)
        if len(self.noise) > 1:
            return (
                f"By a model of {self.trial_count} trials the chance is {_percent(own)} that no "
                "other one truly beats it in every metric."
            )
        rivals = sorted(
            ((share, key) for key, share in self.chances.items() if key != winner.id), reverse=True
        )
        text = (
            f"By a model of {self.trial_count} trials the chance that it is truly the best of "
            f"them is {_percent(own)}"
        )
        if rivals and rivals[0][0] >= 0.01:
            text += f", against {_percent(rivals[0][0])} for trial {rivals[0][1]}"
        (noise,) = self.noise.values()
        return f"{text}; one value scatters by about {noise:.2g}."


def _percent(share: float) -> str:
    if share < 0.01:
        return "below 1 %"
    return "over 99 %" if share > 0.99 else f"{share:.0%}".replace("%", " %")
