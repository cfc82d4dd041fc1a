"""Search engines behind one ask and tell: ours, Optuna's samplers, open-source Vizier.

For ``search.py``. A peer is imported when it is used.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from vertex_jobs.search import Assignment, Completed, Parameter, Space, algorithm

__all__ = ["ENGINES", "Engine"]


class Engine(Protocol):
    """An engine that is asked for points and told their losses, in turns."""

    def ask(self, count: int) -> Sequence[Assignment]:
        """Return the next points to try."""

    def tell(self, losses: Sequence[float]) -> None:
        """Take the losses of the points last asked for."""


class Ours:
    """One of the library's own algorithms."""

    def __init__(self, name: Any, space: Space, seed: int) -> None:
        self._search = algorithm(name, space, (False,), seed)
        self._completed: list[Completed] = []

    def ask(self, count: int) -> Sequence[Assignment]:
        first = len(self._completed) + 1
        self._asked = self._search.suggest(range(first, first + count), self._completed, [])
        return self._asked

    def tell(self, losses: Sequence[float]) -> None:
        for assignment, loss in zip(self._asked, losses, strict=True):
            self._completed.append(Completed(len(self._completed) + 1, assignment, (loss,)))


class Optuna:
    """An Optuna sampler with its defaults; version 5 imputes running trials by itself."""

    def __init__(self, name: str, space: Space, seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        samplers = {"tpe": optuna.samplers.TPESampler, "gp": optuna.samplers.GPSampler}
        self._space = space
        self._study = optuna.create_study(sampler=samplers[name](seed=seed))

    def ask(self, count: int) -> Sequence[Assignment]:
        self._trials = [self._study.ask() for _ in range(count)]
        return [self._assign(trial) for trial in self._trials]

    def tell(self, losses: Sequence[float]) -> None:
        for trial, loss in zip(self._trials, losses, strict=True):
            self._study.tell(trial, loss)

    def _assign(self, trial: Any) -> Assignment:
        chosen: dict[str, Any] = {}
        for parameter in self._space.parameters:
            if parameter.is_active(chosen):
                chosen[parameter.id] = self._value(trial, parameter)
        return chosen

    @staticmethod
    def _value(trial: Any, parameter: Parameter) -> Any:
        log, low, high = parameter.scale == "log", parameter.low, parameter.high
        if parameter.values:
            return trial.suggest_categorical(parameter.id, parameter.values)
        if parameter.kind == "integer":
            return trial.suggest_int(parameter.id, int(low), int(high), log=log)
        if parameter.scale == "reverse_log":
            return low + high - trial.suggest_float(parameter.id, low, high, log=True)
        return trial.suggest_float(parameter.id, low, high, log=log)


class Vizier:
    """Open-source Vizier's default: a Gaussian process with an upper confidence bound.

    It takes flat spaces only. Its module for the designer is private in this release.
    """

    def __init__(self, space: Space, seed: int) -> None:
        import jax
        from vizier import pyvizier
        from vizier._src.algorithms.designers import gp_ucb_pe

        jax.config.update("jax_enable_x64", True)  # as its own service does
        warnings.simplefilter("ignore")
        problem = pyvizier.ProblemStatement()
        for parameter in space.parameters:
            self._declare(problem.search_space.root, parameter, pyvizier.ScaleType)
        goal = pyvizier.ObjectiveMetricGoal.MINIMIZE
        problem.metric_information.append(pyvizier.MetricInformation("loss", goal=goal))
        key = jax.random.PRNGKey(seed)
        self._designer = gp_ucb_pe.VizierGPUCBPEBandit(problem, rng=key)
        self._space, self._count = space, 0

    @staticmethod
    def _declare(root: Any, parameter: Parameter, scales: Any) -> None:
        scale = scales.LOG if parameter.scale == "log" else scales.LINEAR
        if parameter.values:
            root.add_categorical_param(parameter.id, [str(value) for value in parameter.values])
        elif parameter.kind == "integer":
            low, high = int(parameter.low), int(parameter.high)
            root.add_int_param(parameter.id, low, high, scale_type=scale)
        else:
            root.add_float_param(parameter.id, parameter.low, parameter.high, scale_type=scale)

    def ask(self, count: int) -> Sequence[Assignment]:
        self._suggestions = self._designer.suggest(count)
        return [
            {
                parameter.id: suggestion.parameters[parameter.id].value
                for parameter in self._space.parameters
            }
            for suggestion in self._suggestions
        ]

    def tell(self, losses: Sequence[float]) -> None:
        from vizier import pyvizier
        from vizier.algorithms import ActiveTrials, CompletedTrials

        trials = []
        for suggestion, loss in zip(self._suggestions, losses, strict=True):
            self._count += 1
            trial = suggestion.to_trial(self._count)
            trial.complete(pyvizier.Measurement({"loss": loss}))
            trials.append(trial)
        self._designer.update(CompletedTrials(trials), ActiveTrials())


#: By name: the module that must be installed, and a builder from space and seed.
ENGINES: dict[str, tuple[str, Callable[[Space, int], Engine]]] = {
    "ours": ("scipy", lambda space, seed: Ours("gaussian_process", space, seed)),
    "random": ("numpy", lambda space, seed: Ours("random", space, seed)),
    "tpe": ("optuna", lambda space, seed: Optuna("tpe", space, seed)),
    "gp": ("torch", lambda space, seed: Optuna("gp", space, seed)),
    "vizier": ("equinox", Vizier),
}
