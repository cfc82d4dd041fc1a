"""IAM policies that were set on resources; a resource without one has the empty policy."""

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.store.database import Database


class PolicyTable:
    """Policies by resource name."""

    def __init__(self, database: Database) -> None:
        self._sql = database.sql

    def get(self, resource: str) -> protos.Message:
        """Return the policy of that resource."""
        row = self._sql.execute(
            "SELECT proto FROM policies WHERE resource = ?", (resource,)
        ).fetchone()
        return protos.Policy.FromString(row[0]) if row else protos.Policy()

    def put(self, resource: str, policy: protos.Message) -> None:
        """Set the policy of that resource."""
        self._sql.execute(
            "INSERT INTO policies VALUES (?, ?)"
            " ON CONFLICT (resource) DO UPDATE SET proto = excluded.proto",
            (resource, policy.SerializeToString()),
        )

    def delete(self, resource: str) -> None:
        """Forget the policy of a resource that is gone."""
        self._sql.execute("DELETE FROM policies WHERE resource = ?", (resource,))
