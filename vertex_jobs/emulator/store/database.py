"""The SQLite file of a server: opened, of a known version, written in transactions.

WAL mode with ``synchronous=FULL``: what was committed is there after a crash. ``Database`` is used
from one thread, the server's event loop; its tables belong to ``resource_store`` and to
``resources.tables``.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from vertex_jobs.errors import UnsupportedHereError

#: Raised with every change of the tables below; an unknown version is refused.
SCHEMA_VERSION = 3

_SCHEMA = """
CREATE TABLE resources (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    project TEXT NOT NULL,
    number TEXT NOT NULL,
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
CREATE TABLE models (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    number TEXT NOT NULL,
    location TEXT NOT NULL,
    id TEXT NOT NULL,
    last_version INTEGER NOT NULL,
    UNIQUE (number, location, id)
);
CREATE TABLE model_versions (
    model INTEGER NOT NULL REFERENCES models (sequence),
    version INTEGER NOT NULL,
    proto BLOB NOT NULL,
    PRIMARY KEY (model, version)
) WITHOUT ROWID;
CREATE TABLE tensorboard_experiments (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    tensorboard TEXT NOT NULL,
    id TEXT NOT NULL,
    proto BLOB NOT NULL,
    UNIQUE (tensorboard, id)
);
CREATE TABLE operations (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    proto BLOB NOT NULL
);
CREATE TABLE projects (
    number TEXT PRIMARY KEY,
    id TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE policies (
    resource TEXT PRIMARY KEY,
    proto BLOB NOT NULL
) WITHOUT ROWID;
"""


def connect(path: Path, *, timeout: float = 5.0, any_thread: bool = False) -> sqlite3.Connection:
    """Open or create a SQLite file whose commits outlive a crash.

    ``timeout`` is in seconds, for a writer of another process. With ``any_thread`` other threads
    may close the connection.
    """
    sql = sqlite3.connect(
        path, timeout=timeout, isolation_level=None, check_same_thread=not any_thread
    )
    sql.execute("PRAGMA journal_mode=WAL")
    sql.execute("PRAGMA synchronous=FULL")
    return sql


@contextlib.contextmanager
def transaction(sql: sqlite3.Connection) -> Iterator[None]:
    """Make several writes one: all of them durable, or none after an exception."""
    sql.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        sql.execute("ROLLBACK")
        raise
    sql.execute("COMMIT")


class Database:
    """The connection ``sql``, where a statement outside ``transaction`` commits by itself."""

    def __init__(self, path: Path) -> None:
        """Open or create the file.

        Raises:
            UnsupportedHereError: If the file is damaged or of another version.
        """
        try:
            self.sql = connect(path)
            self._migrate(path)
        except sqlite3.DatabaseError as error:
            raise UnsupportedHereError(
                f"{path} is not a readable store ({error}); move it away to start with an empty one"
            ) from error

    def _migrate(self, path: Path) -> None:
        (version,) = self.sql.execute("PRAGMA user_version").fetchone()
        if version == 0:
            self.sql.executescript(
                f"BEGIN; {_SCHEMA} PRAGMA user_version={SCHEMA_VERSION}; COMMIT;"
            )
        elif version != SCHEMA_VERSION:
            raise UnsupportedHereError(
                f"{path} has store version {version}, this vertex-jobs reads version "
                f"{SCHEMA_VERSION}; use the vertex-jobs that wrote it, or another --state-dir"
            )

    def close(self) -> None:
        """Close the file."""
        self.sql.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Make several writes one event: all of them durable, or none."""
        if self.sql.in_transaction:
            yield
            return
        with transaction(self.sql):
            yield
