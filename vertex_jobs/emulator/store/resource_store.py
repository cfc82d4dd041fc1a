"""Every resource of Local Vertex, durable before it is answered.

One transaction of the ``database`` per event. A resource is read anew from its row each time, so
a caller gets a snapshot of its own, and a server that starts after a crash sees exactly what was
answered. Trials have rows of their own: a change of one trial never rewrites the others.

It holds neither logs (``logbook``) nor objects (``storage``). Used from one thread, the server's
event loop.
"""

import asyncio
import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.store.database import Database
from vertex_jobs.job_kinds import CUSTOM_JOB, JOB_KINDS, TUNING_JOB
from vertex_jobs.names import ResourceName

_CLASSES = {kind.collection: protos.message_class(kind.message) for kind in JOB_KINDS}
_CLASSES |= {"studies": protos.Study, "datasets": protos.Dataset}
_CLASSES["tensorboards"] = protos.Tensorboard


class Store:
    """The resources, their trials and their local settings; ``database`` has further tables."""

    def __init__(self, path: Path) -> None:
        """Open or create the store.

        Raises:
            UnsupportedHereError: If the file is damaged or of another version.
        """
        self.database = Database(path)
        self._connection = self.database.sql
        self.transaction = self.database.transaction
        self._waiters: dict[tuple[str, str], set[asyncio.Event]] = {}

    def close(self) -> None:
        """Close the database file."""
        self.database.close()

    def insert(
        self,
        resource: protos.Message,
        *,
        project: str,
        settings: Mapping[str, Any] | None = None,
        owner: str = "",
    ) -> None:
        """Add a resource under its name.

        ``project`` is the project id of the request, since names carry the number; ``settings``
        are the job's that the API does not know; ``owner`` is the name of the resource that this
        one works for, e.g. a trial's tuning job.
        """
        name = ResourceName.parse(resource.name)
        self._connection.execute(
            "INSERT INTO resources"
            " (collection, id, project, number, location, owner, settings, proto)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                name.collection,
                name.resource_id,
                project,
                name.project,
                name.location,
                owner,
                json.dumps(dict(settings or {})),
                resource.SerializeToString(),
            ),
        )

    def save(self, resource: protos.Message) -> None:
        """Write a changed resource without its trials, and wake the callers that wait for it."""
        name = ResourceName.parse(resource.name)
        key = (name.collection, name.resource_id)
        if name.collection == TUNING_JOB.collection and resource.trials:
            bare = protos.HyperparameterTuningJob()
            bare.CopyFrom(resource)
            bare.ClearField("trials")
            resource = bare
        self._connection.execute(
            "UPDATE resources SET proto = ? WHERE collection = ? AND id = ?",
            (resource.SerializeToString(), *key),
        )
        for waiter in self._waiters.get(key, ()):
            waiter.set()

    def load(self, collection: str, resource_id: str) -> protos.Message:
        """Return a snapshot of one resource without its trials, found by its number, or None."""
        row = self._connection.execute(
            "SELECT proto FROM resources WHERE collection = ? AND id = ?",
            (collection, resource_id),
        ).fetchone()
        if row is None:
            return None
        return _CLASSES[collection].FromString(row[0])

    def has(self, name: ResourceName) -> bool:
        """Return whether the named resource exists; its project is given by number."""
        row = self._connection.execute(
            "SELECT 1 FROM resources WHERE collection = ? AND id = ? AND number = ?"
            " AND location = ?",
            (name.collection, name.resource_id, name.project, name.location),
        ).fetchone()
        return row is not None

    def job_number(self, job_id: str) -> str:
        """Return the number of a job's or study's project; empty if it is unknown."""
        row = self._connection.execute(
            "SELECT number FROM resources WHERE id = ? AND collection IN (?, ?, 'studies')",
            (job_id, CUSTOM_JOB.collection, TUNING_JOB.collection),
        ).fetchone()
        return str(row[0]) if row else ""

    def settings(self, collection: str, resource_id: str) -> dict[str, Any]:
        """Return the settings of a job that the API does not know."""
        (text,) = self._connection.execute(
            "SELECT settings FROM resources WHERE collection = ? AND id = ?",
            (collection, resource_id),
        ).fetchone()
        settings: dict[str, Any] = json.loads(text)
        return settings

    def save_settings(self, collection: str, resource_id: str, settings: Mapping[str, Any]) -> None:
        """Replace the settings of a job that the API does not know."""
        self._connection.execute(
            "UPDATE resources SET settings = ? WHERE collection = ? AND id = ?",
            (json.dumps(dict(settings)), collection, resource_id),
        )

    def project(self, collection: str, resource_id: str) -> str:
        """Return the project id under which the resource was created."""
        (project,) = self._connection.execute(
            "SELECT project FROM resources WHERE collection = ? AND id = ?",
            (collection, resource_id),
        ).fetchone()
        return str(project)

    def page(
        self, collection: str, number: str, location: str, before: int | None
    ) -> Iterator[tuple[int, protos.Message]]:
        """Yield snapshots of a collection, newest first, without those that work for another one.

        Each comes after its place in the sequence, which is less than ``before``. ``number`` is the
        project's; ``-`` stands for all locations.
        """
        rows = self._connection.execute(
            "SELECT sequence, id FROM resources WHERE collection = ? AND number = ?"
            " AND (? = '-' OR location = ?) AND owner = '' AND sequence < ?"
            " ORDER BY sequence DESC",
            (collection, number, location, location, before or 2**63 - 1),
        ).fetchall()
        for sequence, resource_id in rows:
            resource = self.load(collection, resource_id)
            if resource is not None:
                yield sequence, resource

    def job_places(self) -> list[tuple[str, str, int]]:
        """Return each project and location that holds jobs, and how many."""
        kinds = [kind.collection for kind in JOB_KINDS]
        return self._connection.execute(
            "SELECT project, location, COUNT(*) FROM resources WHERE owner = ''"
            f" AND collection IN ({', '.join('?' * len(kinds))}) GROUP BY 1, 2 ORDER BY 1, 2",
            kinds,
        ).fetchall()

    def unfinished(self, collection: str, terminal_states: frozenset[int]) -> list[str]:
        """Return the ids of unfinished jobs that work for no other, oldest first."""
        rows = self._connection.execute(
            "SELECT id, proto FROM resources WHERE collection = ? AND owner = '' ORDER BY sequence",
            (collection,),
        )
        return [
            resource_id
            for resource_id, blob in rows
            if _CLASSES[collection].FromString(blob).state not in terminal_states
        ]

    def owned(self, owner: str) -> list[tuple[str, str]]:
        """Return collection and id of everything that works for the named resource."""
        return self._connection.execute(
            "SELECT collection, id FROM resources WHERE owner = ?", (owner,)
        ).fetchall()

    def delete(self, collection: str, resource_id: str) -> None:
        """Forget a resource and its trials."""
        with self.transaction():
            self._connection.execute(
                "DELETE FROM resources WHERE collection = ? AND id = ?", (collection, resource_id)
            )
            self._connection.execute("DELETE FROM trials WHERE job = ?", (resource_id,))

    def save_trial(self, job: str, trial: protos.Message, *, finished: bool = False) -> None:
        """Write one trial of a tuning job; the first time it is finished sets its place."""
        order = None
        if finished:
            (order,) = self._connection.execute(
                "SELECT coalesce(max(finished), 0) + 1 FROM trials WHERE job = ?", (job,)
            ).fetchone()
        self._connection.execute(
            "INSERT INTO trials VALUES (?, ?, ?, ?) ON CONFLICT (job, id) DO UPDATE SET"
            " finished = coalesce(finished, excluded.finished), proto = excluded.proto",
            (job, int(trial.id), order, trial.SerializeToString()),
        )

    def trials(self, job: str) -> list[protos.Message]:
        """Return snapshots of a job's trials, in order of completion, unfinished ones last."""
        rows = self._connection.execute(
            "SELECT proto FROM trials WHERE job = ? ORDER BY finished IS NULL, finished, id",
            (job,),
        )
        return [protos.Trial.FromString(blob) for (blob,) in rows]

    def trial(self, job: str, trial_id: str) -> protos.Message | None:
        """Return a snapshot of one trial, or None."""
        row = self._connection.execute(
            "SELECT proto FROM trials WHERE job = ? AND id = ?", (job, int(trial_id))
        ).fetchone()
        return protos.Trial.FromString(row[0]) if row else None

    def delete_trial(self, job: str, trial_id: str) -> None:
        """Forget one trial."""
        self._connection.execute(
            "DELETE FROM trials WHERE job = ? AND id = ?", (job, int(trial_id))
        )

    async def wait_for_change(self, collection: str, resource_id: str, seconds: float) -> None:
        """Return when the resource is next saved, or after the given seconds."""
        event = asyncio.Event()
        waiters = self._waiters.setdefault((collection, resource_id), set())
        waiters.add(event)
        try:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(event.wait(), seconds)
        finally:
            waiters.discard(event)
            if not waiters:
                self._waiters.pop((collection, resource_id), None)
