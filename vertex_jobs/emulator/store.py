"""Every resource of Local Vertex, durable before it is answered.

SQLite in WAL mode with ``synchronous=FULL``: one transaction per event. A resource is read anew
from its row each time, so what a caller gets is a snapshot of its own, and a server that starts
after a crash sees exactly what was answered. Trials have rows of their own: a change of one trial
never rewrites the others. Logs are not here (``logbook``), objects neither (``objects``).

Used from one thread, the server's event loop.
"""

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.names import ResourceName

__all__ = ["Store"]

#: Raised with every change of the tables below; an unknown version is refused.
SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE resources (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    project TEXT NOT NULL,
    location TEXT NOT NULL,
    owner TEXT NOT NULL,
    settings TEXT NOT NULL,
    proto BLOB NOT NULL,
    UNIQUE (collection, id)
);
CREATE INDEX owners ON resources (owner) WHERE owner != '';
CREATE TABLE trials (
    job TEXT NOT NULL,
    id INTEGER NOT NULL,
    finished INTEGER,
    proto BLOB NOT NULL,
    PRIMARY KEY (job, id)
) WITHOUT ROWID;
"""

_CLASSES = {
    "customJobs": protos.CustomJob,
    "hyperparameterTuningJobs": protos.HyperparameterTuningJob,
    "trainingPipelines": protos.TrainingPipeline,
    "models": protos.Model,
}


class Store:
    """The resources, their trials and their local settings."""

    def __init__(self, path: Path) -> None:
        """Open or create the store.

        Raises:
            UnsupportedHereError: If the file is damaged or of another version.
        """
        self._path = path
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._waiters: dict[tuple[str, str], set[asyncio.Event]] = {}
        try:
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
            self._migrate()
        except sqlite3.DatabaseError as error:
            raise UnsupportedHereError(
                f"{path} is not a readable store ({error}); move it away to start with an empty one"
            ) from error

    def _migrate(self) -> None:
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            self._connection.executescript(
                f"BEGIN; {_SCHEMA} PRAGMA user_version={SCHEMA_VERSION}; COMMIT;"
            )
        elif version != SCHEMA_VERSION:
            raise UnsupportedHereError(
                f"{self._path} has store version {version}, this vertex-jobs reads version "
                f"{SCHEMA_VERSION}; use the vertex-jobs that wrote it, or another --state-dir"
            )

    def close(self) -> None:
        """Close the database file."""
        self._connection.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Make several writes one event: all of them durable, or none."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def insert(
        self,
        resource: protos.Message,
        *,
        project: str,
        settings: Mapping[str, Any] | None = None,
        owner: str = "",
    ) -> None:
        """Add a resource under its name.

        Args:
            resource: The message, its ``name`` set.
            project: The project id of the request, since names carry the number.
            settings: What the endpoint was asked for this job and the API does not know.
            owner: Name of the resource that this one works for, e.g. a trial's tuning job.
        """
        name = ResourceName.parse(resource.name)
        self._connection.execute(
            "INSERT INTO resources (collection, id, project, location, owner, settings, proto)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                name.collection,
                name.resource_id,
                project,
                name.location,
                owner,
                json.dumps(dict(settings or {})),
                resource.SerializeToString(),
            ),
        )

    def save(self, resource: protos.Message) -> None:
        """Write a changed resource and wake whoever waits for it; trials are left alone."""
        name = ResourceName.parse(resource.name)
        key = (name.collection, name.resource_id)
        if name.collection == "hyperparameterTuningJobs" and resource.trials:
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

    def load(self, collection: str, resource_id: str, *, trials: bool = True) -> protos.Message:
        """A snapshot of one resource, or None.

        Args:
            collection: E.g. ``customJobs``.
            resource_id: Its number.
            trials: Whether a tuning job comes with its trials, in order of completion,
                unfinished ones last.
        """
        row = self._connection.execute(
            "SELECT proto FROM resources WHERE collection = ? AND id = ?",
            (collection, resource_id),
        ).fetchone()
        if row is None:
            return None
        resource = _CLASSES[collection].FromString(row[0])
        if trials and collection == "hyperparameterTuningJobs":
            resource.trials.extend(self.trials(resource_id))
        return resource

    def settings(self, collection: str, resource_id: str) -> dict[str, Any]:
        """What the endpoint was asked for this job and the API does not know."""
        (text,) = self._connection.execute(
            "SELECT settings FROM resources WHERE collection = ? AND id = ?",
            (collection, resource_id),
        ).fetchone()
        settings: dict[str, Any] = json.loads(text)
        return settings

    def save_settings(self, collection: str, resource_id: str, settings: Mapping[str, Any]) -> None:
        """Replace what the endpoint was asked for this job."""
        self._connection.execute(
            "UPDATE resources SET settings = ? WHERE collection = ? AND id = ?",
            (json.dumps(dict(settings)), collection, resource_id),
        )

    def project(self, collection: str, resource_id: str) -> str:
        """The project id under which the resource was created."""
        (project,) = self._connection.execute(
            "SELECT project FROM resources WHERE collection = ? AND id = ?",
            (collection, resource_id),
        ).fetchone()
        return str(project)

    def page(
        self, collection: str, projects: tuple[str, ...], location: str, before: int | None
    ) -> Iterator[tuple[int, protos.Message]]:
        """Snapshots of a collection, newest first, those that work for another one left out.

        Args:
            collection: E.g. ``customJobs``.
            projects: The project under every name that it goes by.
            location: The region; ``-`` for all.
            before: Only what was created before this place in the sequence.

        Yields:
            The place in the sequence, and the resource.
        """
        marks = ",".join("?" for _ in projects)
        rows = self._connection.execute(
            f"SELECT sequence, id FROM resources WHERE collection = ? AND project IN ({marks})"
            " AND (? = '-' OR location = ?) AND owner = '' AND sequence < ?"
            " ORDER BY sequence DESC",
            (collection, *projects, location, location, before or 2**63 - 1),
        ).fetchall()
        for sequence, resource_id in rows:
            resource = self.load(collection, resource_id)
            if resource is not None:
                yield sequence, resource

    def unfinished(self, collection: str, terminal_states: frozenset[int]) -> list[str]:
        """Ids of the jobs that nobody else owns and whose state is not terminal, oldest first."""
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
        """Collection and id of everything that works for the named resource."""
        return self._connection.execute(
            "SELECT collection, id FROM resources WHERE owner = ?", (owner,)
        ).fetchall()

    def delete(self, collection: str, resource_id: str) -> None:
        """Forget a resource and its trials."""
        with self.transaction():
            self._connection.execute(
                "DELETE FROM resources WHERE collection = ? AND id = ?", (collection, resource_id)
            )
            if collection == "hyperparameterTuningJobs":
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
        """Snapshots of a job's trials, in order of completion, unfinished ones last."""
        rows = self._connection.execute(
            "SELECT proto FROM trials WHERE job = ? ORDER BY finished IS NULL, finished, id",
            (job,),
        )
        return [protos.Trial.FromString(blob) for (blob,) in rows]

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
