"""Models and their versions.

A model's id is the user's choice, so it is unique within project and location alone. Version
numbers count up and are never used twice.
"""

from collections.abc import Iterator

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.store.database import Database
from vertex_jobs.names import ResourceName


class ModelTable:
    """Versions by model; every message is a snapshot."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sql = database.sql

    def versions(self, name: ResourceName) -> list[protos.Message]:
        """Return all versions of a model, oldest first; empty when there is no such model.

        The name has the project's number.
        """
        rows = self._sql.execute(
            "SELECT proto FROM model_versions JOIN models ON model = sequence"
            " WHERE number = ? AND location = ? AND id = ? ORDER BY version",
            (name.project, name.location, name.resource_id),
        )
        return [protos.Model.FromString(blob) for (blob,) in rows]

    def next_version(self, name: ResourceName) -> str:
        """Return the number that the model's next version gets."""
        row = self._sql.execute(
            "SELECT last_version FROM models WHERE number = ? AND location = ? AND id = ?",
            (name.project, name.location, name.resource_id),
        ).fetchone()
        return str((row[0] if row else 0) + 1)

    def save(self, version: protos.Message) -> None:
        """Write one version, new or known; a new model begins with it."""
        name = ResourceName.parse(version.name)
        place, number = (name.project, name.location, name.resource_id), int(version.version_id)
        with self._database.transaction():
            self._sql.execute(
                "INSERT INTO models (number, location, id, last_version) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (number, location, id)"
                " DO UPDATE SET last_version = max(last_version, excluded.last_version)",
                (*place, number),
            )
            self._sql.execute(
                "INSERT INTO model_versions SELECT sequence, ?, ? FROM models"
                " WHERE number = ? AND location = ? AND id = ?"
                " ON CONFLICT (model, version) DO UPDATE SET proto = excluded.proto",
                (number, version.SerializeToString(), *place),
            )

    def delete_version(self, name: ResourceName, version: str) -> None:
        """Forget one version."""
        self._sql.execute(
            "DELETE FROM model_versions WHERE version = ? AND model IN"
            " (SELECT sequence FROM models WHERE number = ? AND location = ? AND id = ?)",
            (int(version), name.project, name.location, name.resource_id),
        )

    def delete(self, name: ResourceName) -> None:
        """Forget a model and all of its versions."""
        with self._database.transaction():
            for version in self.versions(name):
                self.delete_version(name, version.version_id)
            self._sql.execute(
                "DELETE FROM models WHERE number = ? AND location = ? AND id = ?",
                (name.project, name.location, name.resource_id),
            )

    def page(self, number: str, location: str, before: int | None) -> Iterator[tuple[int, str]]:
        """Yield the place in the order of creation, and the full name, of each model, newest first.

        The models are those of a project; location ``-`` stands for all.
        """
        rows = self._sql.execute(
            "SELECT sequence, location, id FROM models WHERE number = ?"
            " AND (? = '-' OR location = ?) AND sequence < ? ORDER BY sequence DESC",
            (number, location, location, before or 2**63 - 1),
        )
        for sequence, where, model_id in rows.fetchall():
            yield sequence, str(ResourceName(number, where, "models", model_id))
