"""Random spaces and results: the rules for every study, with asynchronous trials."""

import numpy as np
import pytest

from vertex_jobs.search import Completed, Parameter, Pending, Space, algorithm

KINDS = ("double", "integer", "discrete", "categorical")
SCALES = ("linear", "log", "reverse_log")


def some_parameter(name, random, above):
    kind, scale = KINDS[random.integers(4)], SCALES[random.integers(3)]
    low, span = int(random.integers(1, 5)), int(random.integers(0, 6))
    parents = [parameter for parameter in above if parameter.kind != "double"]
    condition = (None, ())
    if parents and random.random() < 0.5:
        parent = parents[random.integers(len(parents))]
        choices = list(parent.choices())
        condition = (parent.id, tuple(choices[: random.integers(1, len(choices) + 1)]))
    if kind == "categorical":
        return Parameter(name, kind, 0, 0, tuple("abcdef"[: span + 1]), "linear", *condition)
    if kind == "discrete":
        values = tuple(np.cumsum(random.random(span + 1) + 0.1).tolist())
        return Parameter(name, kind, 0, 0, values, scale, *condition)
    return Parameter(name, kind, low, low + span, (), scale, *condition)


def some_space(random):
    parameters = []
    for index in range(random.integers(1, 8)):
        parameters.append(some_parameter(f"p{index}", random, parameters))
    return Space(tuple(parameters))


def fits(space, assignment):
    active = [parameter for parameter in space.parameters if parameter.is_active(assignment)]
    return list(assignment) == [parameter.id for parameter in active] and all(
        parameter.holds(assignment[parameter.id]) for parameter in active
    )


@pytest.mark.parametrize("seed", range(10))
def test_suggestions_fit_the_space_and_end_when_it_is_used_up(seed):
    random = np.random.default_rng(seed)
    space, metrics = some_space(random), 1 + seed % 2
    engine = algorithm("gaussian_process", space, (True, False)[:metrics], seed)
    seen, completed, pending = set(), [], []
    while len(completed) < 20:
        first = len(completed) + len(pending) + 1
        points = engine.suggest([first, first + 1], completed, pending)
        for trial_id, point in enumerate(points):
            assert fits(space, point)
            key = tuple(point.items())
            assert key not in seen
            seen.add(key)
            pending.append(Pending(first + trial_id, point))
        if len(points) < 2:
            assert len(seen) == space.cardinality
            break
        while len(pending) > 3:
            trial = pending.pop(random.integers(len(pending)))
            values = tuple((random.normal(size=metrics) * 10.0 ** random.integers(-3, 6)).tolist())
            objectives = None if random.random() < 0.2 else values
            completed.append(Completed(trial.trial_id, trial.assignment, objectives))
