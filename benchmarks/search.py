"""How good is a search engine per trial, and what does it cost? Ours beside random and Optuna.

    python benchmarks/search.py --functions branin hart6 --engines ours random tpe --seeds 10

Simple regret is the best true value seen minus the known optimum; the table shows medians over
seeds and the CPU milliseconds that one suggestion costs. Every seed moves the optimum, so that an
engine that starts at the centre gains nothing by it; ``--fixed`` leaves it where it is published.
In the noisy functions an engine sees noise, and its regret is that of the point that looked best.
Optuna's engines are left out with a line when they cannot be imported.
"""

import argparse
import importlib.util
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from search_functions import FUNCTIONS, Problem

from vertex_jobs.search import Assignment, Completed, Parameter, Space, algorithm


class Ours:
    """One of the library's own algorithms behind ask and tell."""

    def __init__(self, name: Any, space: Space, seed: int) -> None:
        self._search = algorithm(name, space, (False,), seed)
        self._completed: list[Completed] = []

    def ask(self, count: int) -> Sequence[Assignment]:
        """Return the next points to try."""
        first = len(self._completed) + 1
        self._asked = self._search.suggest(range(first, first + count), self._completed, [])
        return self._asked

    def tell(self, losses: Sequence[float]) -> None:
        """Take the losses of the points last asked for."""
        for assignment, loss in zip(self._asked, losses, strict=True):
            self._completed.append(Completed(len(self._completed) + 1, assignment, (loss,)))


class Optuna:
    """An Optuna sampler behind ask and tell."""

    def __init__(self, name: str, space: Space, seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        # Version 5 is multivariate and lies about running trials by default.
        samplers: dict[str, Callable[[], Any]] = {
            "tpe": lambda: optuna.samplers.TPESampler(seed=seed),
            "tpe_group": lambda: optuna.samplers.TPESampler(
                seed=seed, multivariate=True, group=True
            ),
            "gp": lambda: optuna.samplers.GPSampler(seed=seed),
        }
        self._space = space
        self._study = optuna.create_study(sampler=samplers[name]())

    def ask(self, count: int) -> Sequence[Assignment]:
        """Return the next points to try."""
        self._trials = [self._study.ask() for _ in range(count)]
        return [self._assign(trial) for trial in self._trials]

    def tell(self, losses: Sequence[float]) -> None:
        """Take the losses of the points last asked for."""
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


ENGINES: dict[str, tuple[str, Callable[[Space, int], Ours | Optuna]]] = {
    "ours": ("scipy", lambda space, seed: Ours("gaussian_process", space, seed)),
    "random": ("numpy", lambda space, seed: Ours("random", space, seed)),
    "tpe": ("optuna", lambda space, seed: Optuna("tpe", space, seed)),
    "tpe_group": ("optuna", lambda space, seed: Optuna("tpe_group", space, seed)),
    "gp": ("torch", lambda space, seed: Optuna("gp", space, seed)),
}


@dataclass(frozen=True)
class Course:
    """One run: true regret of the best point so far after each trial, CPU of each suggestion."""

    regrets: list[float]
    milliseconds: list[float]


def run(engine: Ours | Optuna, problem: Problem, trials: int, batch: int, seed: int) -> Course:
    noise = np.random.default_rng(100 + seed)
    seen: list[float] = []
    true: list[float] = []
    spent: list[float] = []
    while len(true) < trials:
        started = time.process_time()
        asked = engine.ask(min(batch, trials - len(true)))
        suggested = time.process_time() - started
        values = [problem.value(assignment) for assignment in asked]
        losses = [value + problem.noise * noise.normal() for value in values]
        started = time.process_time()
        engine.tell(losses)
        spent += [1e3 * (suggested + time.process_time() - started) / len(asked)] * len(asked)
        true += values
        seen += losses
    best = [int(np.argmin(seen[: count + 1])) for count in range(trials)]
    return Course([true[index] - problem.optimum for index in best], spent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--functions", nargs="+", choices=FUNCTIONS, default=list(FUNCTIONS))
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 10])
    parser.add_argument("--rows", nargs="+", type=int, default=[20, 50, 100], help="trial counts")
    parser.add_argument("--fixed", action="store_true", help="optima where they are published")
    options = parser.parse_args()
    rows = [row for row in options.rows if row <= options.trials]
    heads = "".join(f"{f'at {row}':>10}" for row in rows)
    print(f"{'function':<13}{'engine':<18}{'batch':>5}{heads}{'ms/trial':>10}{'last ms':>9}")
    for engine_name in options.engines:
        needs, build = ENGINES[engine_name]
        if importlib.util.find_spec(needs) is None:
            print(f"{engine_name}: left out, {needs} is not installed")
            continue
        for name in options.functions:
            for batch in options.batches:
                courses = []
                for seed in range(options.first_seed, options.first_seed + options.seeds):
                    problem = FUNCTIONS[name](np.random.default_rng(seed), not options.fixed)
                    engine = build(problem.space, seed)
                    courses.append(run(engine, problem, options.trials, batch, seed))
                regrets = np.median([course.regrets for course in courses], axis=0)
                cells = "".join(f"{regrets[row - 1]:>10.2g}" for row in rows)
                mean = np.mean([course.milliseconds for course in courses])
                last = np.mean([course.milliseconds[-1] for course in courses])
                print(f"{name:<13}{engine_name:<18}{batch:>5}{cells}{mean:>10.1f}{last:>9.1f}")


if __name__ == "__main__":
    main()
