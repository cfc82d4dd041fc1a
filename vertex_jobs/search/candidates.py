"""Points to choose from: a broad draw, then rounds of mutation around the most promising ones.

For the Gaussian process search. It uses no gradients, so that it can move categories, integers and
conditional parameters like any other. It never repeats a trial's point while the space has others;
a finite space runs out.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vertex_jobs.search.arrays import Floats
from vertex_jobs.search.encoding import Encoding

#: Encoded points, ``[points, parameters]``, to their losses, ``[points]``.
Loss = Callable[[Floats], Floats]

#: Spaces up to this size are searched point by point.
ENUMERABLE = 2000
#: Uniform points, and points around each leader, of the first draw.
BROAD, NEAR = 1000, 40
#: Rounds of mutation, points kept in each, and children of each point kept.
ROUNDS, PARENTS, CHILDREN = 12, 24, 16
#: Step of the first round in coordinates, and how it shrinks from round to round.
FIRST_STEP, SHRINKAGE = 0.18, 0.62
#: Chance that a coordinate moves, and that a category, which has no neighbours, is redrawn.
MOVES, REDRAWS = 0.6, 0.15


class Candidates:
    """The points of one space that can be chosen.

    In every method ``taken`` is the set of the rows that trials have had, as bytes of their values.
    """

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._size = encoding.space.cardinality
        self._every: Floats | None = None
        if self._size is not None and self._size <= ENUMERABLE:
            self._every = encoding.rows(list(encoding.space.assignments()))
        kinds = [parameter.kind for parameter in encoding.space.parameters]
        self._redraws = np.array([REDRAWS if kind == "categorical" else 0.0 for kind in kinds])

    def at(
        self, coordinates: Floats, taken: set[bytes], random: np.random.Generator
    ) -> Floats | None:
        """Return the values at coordinates, ``[parameters]``, or elsewhere if they are taken.

        It is None where no point is left.
        """
        row: Floats = self._encoding.values(coordinates[None, :])[0]
        if row.tobytes() not in taken:
            return row
        draws = self._encoding.values(random.random((BROAD, len(coordinates))))
        return self._any(draws if self._every is None else self._every, taken, random)

    def best(
        self, loss: Loss, leaders: Floats, taken: set[bytes], random: np.random.Generator
    ) -> Floats | None:
        """Return the values with the least loss, ``[parameters]``; None where no point is left.

        More points are drawn around the leaders, the values of the best trials.
        """
        if self._every is not None:
            free = self._every[~_had(self._every, taken)]
            return free[np.argmin(loss(free))] if len(free) else None
        points, losses = self._evolve(loss, leaders, taken, random)
        row: Floats = points[np.argmin(losses)]
        return self._any(points, taken, random) if row.tobytes() in taken else row

    def _evolve(
        self, loss: Loss, leaders: Floats, taken: set[bytes], random: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Return points that survived, as values, and their losses."""
        points = self._first_draw(leaders, random)
        values = self._encoding.values(points)
        losses = _judge(loss, values, taken)
        for turn in range(ROUNDS):
            keep = np.argsort(losses, kind="stable")[:PARENTS]
            children = self._mutate(points[keep], FIRST_STEP * SHRINKAGE**turn, random)
            born = self._encoding.values(children)
            points = np.vstack([points[keep], children])
            values = np.vstack([values[keep], born])
            losses = np.concatenate([losses[keep], _judge(loss, born, taken)])
        return values, losses

    def _first_draw(self, leaders: Floats, random: np.random.Generator) -> Floats:
        near = np.repeat(self._encoding.coordinates(leaders), NEAR, axis=0)
        # Steps from a thousandth of the axis to a third of it.
        reach = np.exp(random.uniform(-7, -1.2, size=(len(near), 1)))
        near = np.clip(near + reach * random.normal(size=near.shape), 0, 1)
        return np.vstack([random.random((BROAD, self._encoding.dimension)), near])

    def _mutate(self, parents: Floats, step: float, random: np.random.Generator) -> Floats:
        children = np.repeat(parents, CHILDREN, axis=0)
        steps = step * random.choice([1, 0.3, 0.08], size=(len(children), 1))
        moves = random.random(children.shape) < MOVES
        children += moves * steps * random.normal(size=children.shape)
        redraws = random.random(children.shape) < self._redraws
        children = np.where(redraws, random.random(children.shape), children)
        return np.clip(children, 0, 1, out=children)

    def _any(self, points: Floats, taken: set[bytes], random: np.random.Generator) -> Floats | None:
        """Return a point that is not taken, else one from anywhere; None where none is left."""
        free = points[~_had(points, taken)]
        if self._size is None and not len(free):  # ranges so narrow that every draw is taken
            free = points
        if len(free):
            row: Floats = random.choice(free)
            return row
        if self._size is None or len(taken) >= self._size:
            return None
        every = (self._encoding.rows([point])[0] for point in self._encoding.space.assignments())
        return next((row for row in every if row.tobytes() not in taken), None)


def _judge(loss: Loss, values: Floats, taken: set[bytes]) -> Floats:
    losses = loss(values)
    losses[_had(values, taken)] = np.inf
    return losses


def _had(values: Floats, taken: set[bytes]) -> NDArray[np.bool_]:
    return np.fromiter((row.tobytes() in taken for row in values), dtype=bool, count=len(values))
