"""The rows of uploads that take several requests; they outlive the process that began them."""

import json
import re
import secrets
from collections.abc import Mapping
from typing import Any

from vertex_jobs.emulator.storage.objects.object_errors import UploadNotFoundError
from vertex_jobs.emulator.storage.objects.object_table import Change, ObjectTable

_ID_BYTES = 24


def new_id() -> str:
    """Return an upload id that cannot be guessed."""
    return secrets.token_hex(_ID_BYTES)


def is_id(text: str) -> bool:
    """Return whether a text can be an upload id."""
    return re.fullmatch(f"[0-9a-f]{{{2 * _ID_BYTES}}}", text) is not None


def insert_session(
    change: Change, upload_id: str, kind: str, bucket: str, name: str, request: Mapping[str, Any]
) -> None:
    """Add a session; ``request`` holds what its end will need, in JSON form."""
    change.sql.execute(
        "INSERT INTO uploads VALUES (?, ?, ?, ?, ?, ?, NULL)",
        (upload_id, kind, bucket, name, change.now, json.dumps(request)),
    )


def session_row(table: ObjectTable, upload_id: str, kind: str) -> Any:
    """Find a session.

    Raises:
        UploadNotFoundError: If there is none of that id and kind.
    """
    sql = table.database.read()
    row = sql.execute(
        "SELECT * FROM uploads WHERE id = ? AND kind = ?", (upload_id, kind)
    ).fetchone()
    if row is None:
        raise UploadNotFoundError(upload_id)
    return row
