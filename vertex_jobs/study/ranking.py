"""The order of trials: the ones that win, and a sentence that says why.

For `Study`. A trial can win only when it has succeeded and every metric of its final measurement is
finite; ties go to the lowest id. Nothing in the API marks the best trial, so this is where it is
decided.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vertex_jobs.errors import NoFeasibleTrialError
from vertex_jobs.study.trial_records import Objective, Trial
from vertex_jobs.wording import count, number


@dataclass(frozen=True)
class Ranking:
    """The trials of a study, in the order of their ids, under its objectives.

    At least one objective is needed for any trial to win.

    Attributes:
        selection: Which measurement of a trial counts: ``best`` or ``last``; empty for unknown.
    """

    objectives: tuple[Objective, ...]
    trials: tuple[Trial, ...]
    selection: str = ""

    def candidates(self) -> tuple[Trial, ...]:
        """Return the trials that could win, best first for one objective, else by id."""
        able = [trial for trial in self.trials if not self._obstacle(trial)]
        if len(self.objectives) == 1:
            able.sort(key=self._losses)  # stable, so equal trials stay in the order of their ids
        return tuple(able)

    def front(self) -> tuple[Trial, ...]:
        """Return the trials that no other beats in one metric without losing in another.

        With one objective that is the best trial alone. Trials with equal metrics keep the lowest
        id only.

        Raises:
            NoFeasibleTrialError: If no trial could win.
        """
        able = self.candidates()
        if not able:
            raise NoFeasibleTrialError(self._nobody())
        if len(self.objectives) == 1:
            return able[:1]
        front: list[Trial] = []
        # In this order only an earlier trial can dominate a later one.
        for trial in sorted(able, key=lambda trial: (self._losses(trial), trial.order)):
            losses = self._losses(trial)
            if not any(_at_least_as_good(self._losses(other), losses) for other in front):
                front.append(trial)
        return tuple(sorted(front, key=lambda trial: trial.order))

    def explain(self, winner: Trial) -> str:
        """Return a sentence: metric, goal, value, runner-up, margin, and who could not win."""
        text = self._reason(winner)
        unable = self._unable()
        return f"{text}; {unable}." if unable else f"{text}."

    def why_not(self, trial: Trial) -> str:
        """Return why a trial is not on the front, as a clause; empty if it is.

        Raises:
            NoFeasibleTrialError: If no trial could win.
        """
        if obstacle := self._obstacle(trial):
            reason = trial.infeasible_reason
            at = f" at step {trial.step}" if trial.step and trial.metrics else ""
            return f"{obstacle}: {reason}" if reason else f"{obstacle}{at}"
        front = self.front()
        if trial in front:
            return ""
        losses = self._losses(trial)
        if len(self.objectives) > 1:
            better = next(one for one in front if _at_least_as_good(self._losses(one), losses))
            equal = self._losses(better) == losses
            return f"equal to trial {better.id}" if equal else f"beaten by trial {better.id}"
        gap = losses[0] - self._losses(front[0])[0]
        if gap == 0:
            return f"equal to trial {front[0].id}, and the lower id wins"
        return f"{number(gap)} {'lower' if self.objectives[0].maximize else 'higher'}"

    def _reason(self, winner: Trial) -> str:
        if len(self.objectives) > 1:
            values = " and ".join(
                f"{objective.metric_id} {number(winner.metrics[objective.metric_id])} "
                f"(goal: {objective.goal})"
                for objective in self.objectives
            )
            return (
                f"Trial {winner.id} has {values}{self._measured(winner)}, and no other trial is "
                "better in one metric without being worse in another"
            )
        objective = self.objectives[0]
        metric, value = objective.metric_id, winner.metrics[objective.metric_id]
        word = "highest" if objective.maximize else "lowest"
        text = f"Trial {winner.id} has the {word} {metric}, {number(value)} "
        text += f"(goal: {objective.goal}){self._measured(winner)}"
        others = [trial for trial in self.candidates() if trial.id != winner.id]
        if not others:
            return f"{text}, and no other trial could win"
        runner_up, second = others[0], others[0].metrics[metric]
        if second == value:
            return f"{text}, as has trial {runner_up.id}, and the lower id wins"
        margin = number(abs(value - second))
        return f"{text}, {margin} better than trial {runner_up.id} with {number(second)}"

    def _measured(self, trial: Trial) -> str:
        """Return which measurement decided, as a part of a sentence; empty without a step."""
        if not trial.step:
            return ""
        which = f"its {self.selection} measurement" if self.selection else "its final measurement"
        return f", in {which}, at step {trial.step}"

    def _unable(self) -> str:
        """Return ``2 of 16 trials could not win (1 infeasible, ...)``; empty when all could."""
        obstacles = Counter(filter(None, map(self._obstacle, self.trials)))
        if not obstacles:
            return ""
        reasons = ", ".join(f"{amount} {reason}" for reason, amount in sorted(obstacles.items()))
        trials = count(len(self.trials), "trial")
        return f"{obstacles.total()} of {trials} could not win ({reasons})"

    def _nobody(self) -> str:
        if not self.objectives:
            return "no trial can be the best: the study has no metric; give it a metric_spec"
        if not self.trials:
            return "no trial can be the best: the study has no trials yet"
        names = ", ".join(objective.metric_id for objective in self.objectives)
        return (
            f"no trial can be the best: {self._unable()}; "
            f"a trial wins with state SUCCEEDED and a finite {names}; "
            "read the infeasible reasons with `vertex-jobs trials`, the output with "
            "`vertex-jobs logs`"
        )

    def _obstacle(self, trial: Trial) -> str:
        """Return why this trial cannot win, as a clause after a count; empty when it can."""
        if trial.state == "INFEASIBLE":
            return "infeasible"
        if trial.state != "SUCCEEDED":
            return "not finished"
        if not self.objectives:
            return "without a metric to compare"
        for objective in self.objectives:
            metric = objective.metric_id
            if metric not in trial.metrics:
                return f"without {metric}"
            if not math.isfinite(trial.metrics[metric]):
                is_number = not math.isnan(trial.metrics[metric])
                return f"with {metric} {'infinite' if is_number else 'not a number'}"
        return ""

    def _losses(self, trial: Trial) -> tuple[float, ...]:
        return tuple(
            objective.loss(trial.metrics[objective.metric_id]) for objective in self.objectives
        )


def _at_least_as_good(losses: Sequence[float], others: Sequence[float]) -> bool:
    return all(mine <= theirs for mine, theirs in zip(losses, others, strict=True))
