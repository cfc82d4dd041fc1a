"""The default search: its promises about results, whatever its constants."""

import numpy as np
import pytest

from vertex_jobs.search import Completed, Parameter, Pending, Space, algorithm

PLANE = Space((Parameter("x", "double", 0, 1), Parameter("y", "double", 0, 1)))
CONDITIONAL = Space(
    (
        Parameter("rate", "double", 1e-4, 1, scale="log"),
        Parameter("optimizer", "categorical", values=("adam", "sgd")),
        Parameter("momentum", "double", 0, 1, parent="optimizer", parent_values=("sgd",)),
        Parameter("layers", "integer", 1, 3),
        Parameter("width", "integer", 8, 64, (), "log", "layers", (2, 3)),
    )
)
SMALL = Space(
    (
        Parameter("depth", "integer", 1, 3),
        Parameter("batch", "discrete", values=(16, 32, 64)),
        Parameter("norm", "categorical", 0, 0, ("a", "b"), "linear", "depth", (3,)),
    )
)


def search(space=PLANE, maximize=(False,), seed=0):
    return algorithm("gaussian_process", space, maximize, seed)


def bowl(point):
    return (point["x"] - 0.77) ** 2 + (point["y"] - 0.21) ** 2


def history(space, count, loss, seed=1):
    points = algorithm("random", space, (False,), seed).suggest(range(1, count + 1), [], [])
    return [Completed(i, point, (loss(point),)) for i, point in enumerate(points, 1)]


def run(engine, loss, trials, batch=1):
    completed = []
    while len(completed) < trials:
        first = len(completed) + 1
        points = engine.suggest(range(first, first + batch), completed, [])
        if not points:
            break
        completed += [Completed(first + i, point, (loss(point),)) for i, point in enumerate(points)]
    return completed


def test_the_first_trial_is_the_centre():
    assert search().suggest([1], [], []) == [{"x": 0.5, "y": 0.5}]


@pytest.mark.parametrize(("scale", "bound"), [("log", 0.001), ("log", 0.1), ("linear", 0.1)])
def test_a_bound_is_proposed_exactly_where_the_optimum_lies_there(scale, bound):
    """As the service does. Source: statmike/vertex-ai-mlops, notebooks 05g and 05i."""
    rate = Space((Parameter("rate", "double", 0.001, 0.1, scale=scale),))
    trials = run(search(rate), lambda point: abs(np.log(point["rate"] / bound)), 9)
    assert bound in [trial.assignment["rate"] for trial in trials]


def test_the_first_trials_cover_every_stretch_of_every_parameter():
    points = search().suggest(range(5, 9), [], [])
    assert sorted(int(point["x"] * 4) for point in points) == [0, 1, 2, 3]


def test_it_finds_the_least_of_a_bowl():
    completed = run(search(), bowl, 25)
    assert min(trial.objectives[0] for trial in completed) < 1e-5


def test_it_maximizes_when_asked():
    completed = run(search(maximize=(True,)), lambda point: -bowl(point), 25)
    assert max(trial.objectives[0] for trial in completed) > -1e-5


def test_it_finds_the_best_branch_of_a_conditional_space():
    def loss(point):
        rate = (np.log10(point["rate"]) + 2.5) ** 2
        return rate + (point["momentum"] - 0.3) ** 2 if "momentum" in point else rate + 0.5

    completed = run(search(CONDITIONAL), loss, 40, batch=4)
    assert min(trial.objectives[0] for trial in completed) < 0.01


def test_suggestions_hold_exactly_the_active_parameters():
    completed = run(search(CONDITIONAL), lambda point: point["rate"], 24, batch=4)
    for trial in completed:
        active = [p.id for p in CONDITIONAL.parameters if p.is_active(trial.assignment)]
        assert list(trial.assignment) == active


def test_a_resumed_search_goes_on_as_if_it_had_never_stopped():
    completed = history(PLANE, 12, bowl)
    engine = search()
    for count in range(8, 12):
        engine.suggest([count + 1], completed[:count], [])
    assert engine.suggest([13], completed, []) == search().suggest([13], completed, [])


def test_the_order_in_which_trials_are_given_does_not_matter():
    completed = history(CONDITIONAL, 15, lambda point: point["rate"])
    pending = [Pending(16 + i, trial.assignment) for i, trial in enumerate(completed[:2])]
    there = search(CONDITIONAL).suggest([18], completed, pending)
    assert search(CONDITIONAL).suggest([18], completed[::-1], pending[::-1]) == there


def test_another_seed_suggests_another_point():
    completed = history(PLANE, 12, bowl)
    assert search(seed=1).suggest([13], completed, []) != search().suggest([13], completed, [])


def test_a_batch_equals_its_members_asked_one_by_one():
    completed = history(PLANE, 12, bowl)
    pending = []
    for trial_id in (13, 14, 15):
        [point] = search().suggest([trial_id], completed, pending)
        pending.append(Pending(trial_id, point))
    batch = search().suggest([13, 14, 15], completed, [])
    for together, alone in zip(batch, pending, strict=True):
        assert together == pytest.approx(alone.assignment, abs=1e-9)


def test_a_batch_of_twenty_spreads():
    def rugged(point):
        return np.sin(9 * point["x"]) * np.sin(7 * point["y"])

    points = search().suggest(range(21, 41), history(PLANE, 20, rugged), [])
    places = np.array([[point["x"], point["y"]] for point in points])
    apart = np.linalg.norm(places[:, None] - places, axis=2)[np.triu_indices(20, 1)]
    assert apart.min() > 0
    assert np.median(apart) > 0.2


def test_it_does_not_ask_again_for_what_runs():
    completed = history(PLANE, 12, bowl)
    [first] = search().suggest([13], completed, [])
    [second] = search().suggest([13], completed, [Pending(20, first)])
    assert abs(first["x"] - second["x"]) + abs(first["y"] - second["y"]) > 0.01


def distinct(trials):
    return len({tuple(trial.assignment.items()) for trial in trials})


@pytest.mark.parametrize("batch", [1, 5])
def test_a_finite_space_is_used_up_and_no_point_comes_again(batch):
    completed = run(search(SMALL), lambda point: point["batch"], 15, batch)
    assert distinct(completed) == len(completed) == SMALL.cardinality == 12


def test_what_runs_counts_as_used():
    points = list(SMALL.assignments())
    completed = [Completed(i, point, (0.5 * i,)) for i, point in enumerate(points[:9], 1)]
    pending = [Pending(i, point) for i, point in enumerate(points[9:11], 10)]
    assert search(SMALL).suggest([12, 13], completed, pending) == points[11:]
    assert search(SMALL).suggest([13], [], [Pending(i, p) for i, p in enumerate(points)]) == []


def test_a_large_finite_space_is_not_repeated_either():
    space = Space(tuple(Parameter(f"x{i}", "integer", 1, 50) for i in range(2)))
    completed = run(search(space), lambda point: point["x0"] + point["x1"], 60, batch=6)
    assert distinct(completed) == 60


def test_the_last_free_point_of_a_large_finite_space_is_found():
    space = Space((Parameter("x", "integer", 1, 2500),))
    completed = [Completed(i, {"x": i}, (abs(i - 99.0),)) for i in range(1, 2501) if i != 1234]
    assert search(space).suggest([2500, 2501], completed, []) == [{"x": 1234}]


def test_a_large_finite_space_ends_before_a_model_is_fitted():
    space = Space((Parameter("x", "integer", 1, 2001),))
    pending = [Pending(i, {"x": i}) for i in range(1, 2002)]
    assert search(space).suggest([2002], [], pending) == []


def test_a_space_of_one_point():
    space = Space((Parameter("x", "double", 3, 3),))
    assert [trial.assignment for trial in run(search(space), lambda point: 1.0, 6)] == [{"x": 3}]


def test_small_differences_on_a_large_offset_are_seen():
    completed = run(search(), lambda point: 1e9 + 1e-3 * bowl(point), 25)
    assert min(bowl(trial.assignment) for trial in completed) < 1e-3


def test_infeasible_regions_are_avoided():
    engine, completed = search(), []
    for trial_id in range(1, 41):
        [point] = engine.suggest([trial_id], completed, [])
        feasible = point["x"] < 0.6  # the best of the bowl is at 0.77
        completed.append(Completed(trial_id, point, (bowl(point),) if feasible else None))
    assert sum(trial.objectives is None for trial in completed[20:]) <= 14
    assert min(trial.objectives[0] for trial in completed if trial.objectives) < 0.17**2 + 0.01


def test_a_crash_without_a_reason_does_not_keep_it_from_the_optimum():
    random, completed, engine = np.random.default_rng(0), [], search()
    for trial_id in range(1, 41):
        [point] = engine.suggest([trial_id], completed, [])
        crashes = random.random() < 0.2
        completed.append(Completed(trial_id, point, None if crashes else (bowl(point),)))
    assert min(trial.objectives[0] for trial in completed if trial.objectives) < 1e-3


@pytest.mark.parametrize("objectives", [None, (float("nan"),), (float("inf"),)])
def test_it_goes_on_while_nothing_is_feasible(objectives):
    completed = [
        Completed(i, {"x": i / 20, "y": 0.5}, objectives if i < 11 else None) for i in range(1, 13)
    ]
    [point] = search().suggest([13], completed, [])
    assert set(point) == {"x", "y"}


def test_a_diverged_trial_does_not_blind_it():
    completed = run(search(), lambda p: bowl(p) if p["x"] + p["y"] < 1.4 else 1e30, 30)
    assert min(trial.objectives[0] for trial in completed) < 1e-4


def test_equal_objectives_are_no_trouble():
    completed = run(search(), lambda point: 0.25, 14)
    assert distinct(completed) == 14


def test_it_works_under_noise():
    random = np.random.default_rng(0)
    completed = run(search(), lambda point: bowl(point) + 0.02 * random.normal(), 60, batch=6)
    late = [bowl(trial.assignment) for trial in completed[-12:]]
    assert np.median(late) < 0.05


def test_several_metrics_fill_the_pareto_front():
    lengths = []
    for seed in range(12):  # a single one would pass or fail by luck
        engine, completed = search(maximize=(False, True), seed=seed), []
        for trial_id in range(1, 41):
            [point] = engine.suggest([trial_id], completed, [])
            cost = point["x"] ** 2 + point["y"] ** 2
            gain = -((point["x"] - 1) ** 2) - point["y"] ** 2
            completed.append(Completed(trial_id, point, (cost, gain)))
        # The front is y = 0; a search that knows it covers all of it.
        late = [trial.assignment for trial in completed[20:] if trial.assignment["y"] < 0.05]
        assert len(late) >= 10
        lengths.append(np.ptp([point["x"] for point in late]))
    assert np.median(lengths) > 0.6


def test_two_thousand_trials_are_no_trouble():
    [point] = search().suggest([2001], history(PLANE, 2000, bowl), [])
    assert bowl(point) < 0.01
