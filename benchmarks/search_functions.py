"""Test functions for search engines: spaces like those of tuning jobs, with known optima.

For ``search.py``. Each builder takes a random stream and whether to move the optimum.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vertex_jobs.search import Parameter, Space

__all__ = ["FUNCTIONS", "Problem"]

Function = Callable[[Mapping[str, Any]], float]


@dataclass(frozen=True)
class Problem:
    """One instance of a test function: its space, its true value, its optimum, its noise."""

    space: Space
    value: Function
    optimum: float
    noise: float = 0.0


def cube(dimension: int, low: float, high: float) -> Space:
    return Space(tuple(Parameter(f"x{i}", "double", low, high) for i in range(dimension)))


def branin(random: np.random.Generator, moved: bool) -> Problem:
    """Build Branin. Source: "Towards Global Optimisation 2" (Dixon, Szegö, 1978)."""
    shift = random.uniform(-2, 2, 2) * moved
    b, c, t = 5.1 / (4 * np.pi**2), 5 / np.pi, 1 / (8 * np.pi)

    def value(x: Mapping[str, Any]) -> float:
        x0, x1 = x["x0"] - shift[0], x["x1"] - shift[1]
        return float((x1 - b * x0**2 + c * x0 - 6) ** 2 + 10 * (1 - t) * np.cos(x0) + 10)

    ranges = (Parameter("x0", "double", -5, 10), Parameter("x1", "double", 0, 15))
    return Problem(Space(ranges), value, 0.39788735772973816)


def hart6(random: np.random.Generator, moved: bool, noise: float = 0.0) -> Problem:
    """Build Hartmann 6. Source: "Towards Global Optimisation 2" (Dixon, Szegö, 1978)."""
    shift = random.uniform(-0.14, 0.3, 6) * moved
    alpha = np.array([1, 1.2, 3, 3.2])
    a = np.array(
        [
            [10, 3, 17, 3.5, 1.7, 8],
            [0.05, 10, 17, 0.1, 8, 14],
            [3, 3.5, 1.7, 10, 17, 8],
            [17, 8, 0.05, 10, 0.1, 14],
        ]
    )
    p = 1e-4 * np.array(
        [
            [1312, 1696, 5569, 124, 8283, 5886],
            [2329, 4135, 8307, 3736, 1004, 9991],
            [2348, 1451, 3522, 2883, 3047, 6650],
            [4047, 8828, 8732, 5743, 1091, 381],
        ]
    )

    def value(x: Mapping[str, Any]) -> float:
        point = np.array([x[f"x{i}"] for i in range(6)]) - shift
        return float(-alpha @ np.exp(-(a * (point - p) ** 2).sum(axis=1)))

    return Problem(cube(6, 0, 1), value, -3.322368011415515, noise)


def levy4(random: np.random.Generator, moved: bool) -> Problem:
    """Build Levy's function. Source: Surjanovic and Bingham's virtual library."""
    shift = random.uniform(-8, 6, 4) * moved

    def value(x: Mapping[str, Any]) -> float:
        w = 1 + (np.array([x[f"x{i}"] for i in range(4)]) - shift - 1) / 4
        middle = (w[:3] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[:3] + 1) ** 2)
        last = (w[3] - 1) ** 2 * (1 + np.sin(2 * np.pi * w[3]) ** 2)
        return float(np.sin(np.pi * w[0]) ** 2 + middle.sum() + last)

    return Problem(cube(4, -10, 10), value, 0.0)


def mixed(random: np.random.Generator, moved: bool, noise: float = 0.0) -> Problem:
    """Build a learning rate, two integers and an optimizer, like the loss of a small network."""
    offset, layers, units = 0.0, 3, 0.78  # the published place
    names = ["sgd", "momentum", "rmsprop", "adam"]
    if moved:
        offset, layers, units = (
            random.uniform(-1, 0.8),
            int(random.integers(1, 7)),
            random.uniform(0, 1),
        )
        random.shuffle(names)
    centres, widths = np.array([-0.8, -1.6, -3.0, -2.8]), np.array([0.7, 0.6, 0.8, 1.0])
    floors = np.array([0.06, 0.03, 0.02, 0])

    def centre(kind: int, h: int) -> float:
        return float(np.clip(centres[kind] + offset - 0.08 * (h - layers), -5, 0))

    def shape(kind: int, h: int, n: float, distance: float) -> float:
        n = np.log(n) / np.log(300) - units
        bowl = 0.4 * n**2 + 0.012 * (h - layers) ** 2 + 0.05 * n * (h - layers) / 3
        return float(0.05 + floors[kind] + 0.5 * (1 - np.exp(-(distance**2) / 2)) + bowl)

    def value(x: Mapping[str, Any]) -> float:
        kind = names.index(x["optimizer"])
        far = (np.log10(x["learning_rate"]) - centre(kind, x["n_hidden"])) / widths[kind]
        return shape(kind, x["n_hidden"], x["n_neurons"], far)

    every = [(k, h, n) for k in range(4) for h in range(9) for n in range(1, 301)]
    space = Space(
        (
            Parameter("learning_rate", "double", 1e-5, 1, scale="log"),
            Parameter("n_neurons", "integer", 1, 300, scale="log"),
            Parameter("n_hidden", "integer", 0, 8),
            Parameter("optimizer", "categorical", values=("sgd", "momentum", "rmsprop", "adam")),
        )
    )
    return Problem(space, value, min(shape(*point, 0.0) for point in every), noise)


def conditional(random: np.random.Generator, moved: bool) -> Problem:
    """Build optimizers with their own parameters, and layers with a width each if they exist."""
    at = random.uniform(0.15, 0.85, 6) if moved else np.full(6, 0.4)
    best = ("adam", "sgd", "rmsprop")[random.integers(3) if moved else 0]
    depth = int(random.integers(1, 4)) if moved else 2

    def value(x: Mapping[str, Any]) -> float:
        rate = (np.log10(x["learning_rate"]) + 5) / 5
        total = 0.5 * (1 - np.exp(-8 * (rate - at[0]) ** 2)) + 0.05 * abs(x["n_layers"] - depth)
        total += 0.0 if x["optimizer"] == best else 0.05
        if x["optimizer"] == "sgd":
            total += 0.5 * (x["momentum"] - at[1]) ** 2
        if x["optimizer"] == "adam":
            total += 0.1 * (np.log10(1 - x["beta_2"]) / -4 - at[2]) ** 2
        for layer in range(1, x["n_layers"] + 1):
            total += 0.3 * (np.log(x[f"units_{layer}"] / 8) / np.log(64) - at[2 + layer]) ** 2
        return float(total)

    space = Space(
        (
            Parameter("learning_rate", "double", 1e-5, 1, scale="log"),
            Parameter("optimizer", "categorical", values=("adam", "sgd", "rmsprop")),
            Parameter("momentum", "double", 0, 1, parent="optimizer", parent_values=("sgd",)),
            Parameter(
                "beta_2",
                "double",
                1e-4,
                1 - 1e-4,
                scale="reverse_log",
                parent="optimizer",
                parent_values=("adam",),
            ),
            Parameter("n_layers", "integer", 1, 3),
            Parameter("units_1", "integer", 8, 512, scale="log"),
            Parameter("units_2", "integer", 8, 512, (), "log", "n_layers", (2, 3)),
            Parameter("units_3", "integer", 8, 512, (), "log", "n_layers", (3,)),
        )
    )
    return Problem(space, value, 0.0)


FUNCTIONS: dict[str, Callable[[np.random.Generator, bool], Problem]] = {
    "branin": branin,
    "hart6": hart6,
    "levy4": levy4,
    "mixed": mixed,
    "conditional": conditional,
    "noisy_hart6": lambda random, moved: hart6(random, moved, 0.15),
    "noisy_mixed": lambda random, moved: mixed(random, moved, 0.02),
}
