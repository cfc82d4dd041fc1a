"""The one SQLite file of a server: opened, of a known version, written in transactions.

WAL mode with ``synchronous=FULL``: what was committed is there after a crash. The tables belong to
``store`` and to ``tables``; used from one thread, the server's event loop.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from vertex_jobs.errors import UnsupportedHereError

__all__ = ["SCHEMA_VERSION", "Database"]

#: Raised with every change of the tables below; an unknown version is refused.
SCHEMA_VERSION = 2

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


class Database:
    """The connection and its transactions.

    Attributes:
        sql: The connection; every statement outside ``transaction`` commits by itself.
    """

    def __init__(self, path: Path) -> None:
        """Open or create the file.

        Raises:
            UnsupportedHereError: If the file is damaged or of another version.
        """
        self.sql = sqlite3.connect(path, isolation_level=None)
        try:
            self.sql.execute("PRAGMA journal_mode=WAL")
            self.sql.execute("PRAGMA synchronous=FULL")
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
        self.sql.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.sql.execute("ROLLBACK")
            raise
        self.sql.execute("COMMIT")
