"""Experiments of TensorBoards.

An experiment's id is the user's choice, so it is unique within its TensorBoard alone.
"""

from collections.abc import Iterator

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.store.database import Database
from vertex_jobs.names import ResourceName


class TensorboardExperimentTable:
    """Experiments by the id of their TensorBoard; every message is a snapshot."""

    def __init__(self, database: Database) -> None:
        self._sql = database.sql

    def get(self, name: ResourceName) -> protos.Message | None:
        """Return the experiment of that name, or None."""
        row = self._sql.execute(
            "SELECT proto FROM tensorboard_experiments WHERE tensorboard = ? AND id = ?",
            (name.resource_id, name.child_id),
        ).fetchone()
        return protos.TensorboardExperiment.FromString(row[0]) if row else None

    def put(self, experiment: protos.Message) -> None:
        """Write an experiment, new or known."""
        name = ResourceName.parse(experiment.name)
        self._sql.execute(
            "INSERT INTO tensorboard_experiments (tensorboard, id, proto) VALUES (?, ?, ?)"
            " ON CONFLICT (tensorboard, id) DO UPDATE SET proto = excluded.proto",
            (name.resource_id, name.child_id, experiment.SerializeToString()),
        )

    def delete(self, name: ResourceName) -> None:
        """Forget one experiment."""
        self._sql.execute(
            "DELETE FROM tensorboard_experiments WHERE tensorboard = ? AND id = ?",
            (name.resource_id, name.child_id),
        )

    def delete_all(self, tensorboard_id: str) -> None:
        """Forget every experiment of a TensorBoard."""
        self._sql.execute(
            "DELETE FROM tensorboard_experiments WHERE tensorboard = ?", (tensorboard_id,)
        )

    def page(self, tensorboard_id: str, before: int | None) -> Iterator[tuple[int, protos.Message]]:
        """Yield the experiments of a TensorBoard, newest first, each after its place."""
        rows = self._sql.execute(
            "SELECT sequence, proto FROM tensorboard_experiments WHERE tensorboard = ?"
            " AND sequence < ? ORDER BY sequence DESC",
            (tensorboard_id, before or 2**63 - 1),
        )
        for sequence, blob in rows.fetchall():
            yield sequence, protos.TensorboardExperiment.FromString(blob)
