"""Operations that were answered, so that they can be asked for again.

The newest thousand are kept: a client asks again within seconds, and the table must not grow for
ever. The service itself keeps operations for a limited time.
"""

from collections.abc import Iterator

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.store.database import Database

_KEPT = 1000


class OperationTable:
    """The last operations of the server."""

    def __init__(self, database: Database, kept: int = _KEPT) -> None:
        self._database = database
        self._kept = kept

    def add(self, operation: protos.Message) -> None:
        """Keep an operation; the oldest one over the limit is forgotten."""
        sql = self._database.sql
        with self._database.transaction():
            added = sql.execute(
                "INSERT INTO operations (name, proto) VALUES (?, ?)",
                (operation.name, operation.SerializeToString()),
            )
            sql.execute(
                "DELETE FROM operations WHERE sequence <= ?", ((added.lastrowid or 0) - self._kept,)
            )

    def get(self, name: str) -> protos.Message | None:
        """Return the operation of that name; None when it is unknown or was forgotten."""
        row = self._database.sql.execute(
            "SELECT proto FROM operations WHERE name = ?", (name,)
        ).fetchone()
        return protos.Operation.FromString(row[0]) if row else None

    def delete(self, name: str) -> bool:
        """Forget an operation; return whether it was known."""
        cursor = self._database.sql.execute("DELETE FROM operations WHERE name = ?", (name,))
        return cursor.rowcount > 0

    def under(self, parent: str, before: int | None) -> Iterator[tuple[int, protos.Message]]:
        """Yield place and operation, newest first, for each name that starts with the parent."""
        prefix = f"{parent}/"
        rows = self._database.sql.execute(
            "SELECT sequence, proto FROM operations WHERE substr(name, 1, ?) = ? AND sequence < ?"
            " ORDER BY sequence DESC",
            (len(prefix), prefix, before or 2**63 - 1),
        )
        for sequence, blob in rows.fetchall():
            yield sequence, protos.Operation.FromString(blob)
