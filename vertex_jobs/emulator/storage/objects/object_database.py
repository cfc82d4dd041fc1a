"""The SQLite file of an object store: schema, connections and transactions.

Every thread has its own connection, so readers never wait for a writer; writers of one process
queue on a lock, those of several processes on SQLite's.
"""

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

from vertex_jobs.emulator.store.database import connect, transaction

_SCHEMA = """
CREATE TABLE IF NOT EXISTS buckets (
    name TEXT PRIMARY KEY,
    project TEXT NOT NULL,
    created REAL NOT NULL,
    updated REAL NOT NULL,
    metageneration INTEGER NOT NULL,
    implicit INTEGER NOT NULL,
    settings TEXT NOT NULL,
    policy TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS objects (
    bucket TEXT NOT NULL,
    name TEXT NOT NULL,
    generation INTEGER NOT NULL,
    metageneration INTEGER NOT NULL,
    size INTEGER NOT NULL,
    crc32c TEXT NOT NULL,
    md5 TEXT,
    created REAL NOT NULL,
    updated REAL NOT NULL,
    attributes TEXT NOT NULL,
    component_count INTEGER,
    payload INTEGER NOT NULL,
    PRIMARY KEY (bucket, name)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS objects_by_payload ON objects (payload);
CREATE TABLE IF NOT EXISTS last_generation (
    only INTEGER PRIMARY KEY CHECK (only = 0),
    value INTEGER NOT NULL
);
INSERT OR IGNORE INTO last_generation VALUES (0, 0);
CREATE TABLE IF NOT EXISTS strictness (
    only INTEGER PRIMARY KEY CHECK (only = 0),
    value INTEGER NOT NULL
);
INSERT OR IGNORE INTO strictness VALUES (0, 0);
CREATE TABLE IF NOT EXISTS uploads (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    bucket TEXT NOT NULL,
    name TEXT NOT NULL,
    created REAL NOT NULL,
    request TEXT NOT NULL,
    result TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS parts (
    upload_id TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    size INTEGER NOT NULL,
    crc32c TEXT NOT NULL,
    md5 TEXT NOT NULL,
    created REAL NOT NULL,
    PRIMARY KEY (upload_id, number)
) WITHOUT ROWID;
"""
#: A writer of another process holds the lock for milliseconds; this long means that it hangs.
_BUSY_SECONDS = 30.0


class ObjectDatabase:
    """Transactions on one SQLite file, from any thread of any process."""

    def __init__(self, path: Path) -> None:
        """Open the file, and make the tables when they are missing."""
        self._path = path
        self._local = threading.local()
        self._writing = threading.Lock()
        self._opened: list[sqlite3.Connection] = []
        with self.write() as sql:
            for statement in _SCHEMA.split(";\n"):
                sql.execute(statement)

    def read(self) -> sqlite3.Connection:
        """This thread's connection; each statement sees one consistent state."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = connect(self._path, timeout=_BUSY_SECONDS, any_thread=True)
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA foreign_keys = ON")
            self._local.connection = connection
            self._opened.append(connection)
        return connection

    @contextlib.contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Open one durable transaction; an exception rolls it back."""
        with self._writing, transaction(sql := self.read()):
            yield sql

    def close(self) -> None:
        """Close every thread's connection; no call may be under way."""
        while self._opened:
            self._opened.pop().close()
