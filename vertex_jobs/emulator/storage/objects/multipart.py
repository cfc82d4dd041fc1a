"""Sessions of the XML API's multipart uploads, whose parts may arrive in any order, at once.

Source: Cloud Storage documentation, XML API multipart uploads.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vertex_jobs.emulator.storage.objects.object_errors import InvalidObjectRequestError
from vertex_jobs.emulator.storage.objects.object_table import Draft, ObjectTable, checked_attributes
from vertex_jobs.emulator.storage.objects.object_values import (
    UNKNOWN,
    Checksums,
    StoredObject,
    check_object_name,
)
from vertex_jobs.emulator.storage.objects.payloads import PayloadWriter, read_blocks, rename_durably
from vertex_jobs.emulator.storage.objects.sessions import insert_session, new_id, session_row


@dataclass(frozen=True)
class Part:
    """A part of a multipart upload; ``created`` in seconds since the epoch."""

    number: int
    size: int
    checksums: Checksums
    created: float

    @property
    def etag(self) -> str:
        """The MD5 in hexadecimal, which names these bytes when the upload is completed."""
        return base64.b64decode(self.checksums.md5 or "").hex()


class MultipartUploads:
    """The sessions of one store; reached as ``ObjectStore.multipart``.

    A session that is not there raises ``UploadNotFoundError``.
    """

    def __init__(self, table: ObjectTable, directory: Path) -> None:
        """Keep the parts in ``directory``, which ``ResumableUploads`` cleans."""
        self._table = table
        self._directory = directory

    def start(self, bucket: str, name: str, *, attributes: Mapping[str, Any] = {}) -> str:
        """Open a session and return its id.

        Raises:
            ObjectStoreError: If the name or the bucket is wrong.
        """
        check_object_name(name)
        upload_id = new_id()
        with self._table.change() as change:
            self._table.require_bucket(change, bucket)
            request = {"attributes": checked_attributes(attributes)}
            insert_session(change, upload_id, "multipart", bucket, name, request)
        return upload_id

    def put_part(
        self, upload_id: str, number: int, payload: PayloadWriter, expected: Checksums = UNKNOWN
    ) -> Part:
        """Keep a filled payload as one part, in place of an earlier one of that number.

        Raises:
            ChecksumMismatchError: If it arrived otherwise than it was sent.
        """
        checksums = payload.finish()
        expected.verify(checksums)
        with self._table.change() as change:
            session_row(self._table, upload_id, "multipart")
            rename_durably(payload.path, self._path(upload_id, number))
            change.sql.execute(
                "INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?, ?, ?)",
                (
                    upload_id,
                    number,
                    payload.size,
                    checksums.crc32c,
                    checksums.md5,
                    change.now,
                ),
            )
        return Part(number, payload.size, checksums, change.now)

    def parts(self, upload_id: str) -> tuple[Part, ...]:
        """Return the parts received so far, by number."""
        session_row(self._table, upload_id, "multipart")
        rows = self._table.database.read().execute(
            "SELECT * FROM parts WHERE upload_id = ? ORDER BY number", (upload_id,)
        )
        return tuple(
            Part(row["number"], row["size"], Checksums(row["crc32c"], row["md5"]), row["created"])
            for row in rows
        )

    def complete(self, upload_id: str, chosen: Sequence[tuple[int, str]]) -> StoredObject:
        """Publish the chosen parts, given as numbers and etags, in order.

        Raises:
            InvalidObjectRequestError: If one is missing, different or out of order.
            ObjectStoreError: If the object cannot be published.
        """
        row = session_row(self._table, upload_id, "multipart")
        received = {(part.number, part.etag) for part in self.parts(upload_id)}
        numbers = [number for number, _ in chosen]
        if not chosen or not received.issuperset(chosen):
            raise InvalidObjectRequestError("One or more of the specified parts was not uploaded")
        if numbers != sorted(set(numbers)):
            raise InvalidObjectRequestError("The list of parts was not in ascending order")
        with self._table.payloads.writer() as payload:
            for number in numbers:
                with self._path(upload_id, number).open("rb") as file:
                    for block in read_blocks(file):
                        payload.write(block)
            checksums = Checksums(crc32c=payload.finish().crc32c)
            draft = Draft(
                row["bucket"],
                row["name"],
                payload.path,
                payload.size,
                checksums,
                json.loads(row["request"])["attributes"],
            )
            with self._table.change() as change:
                stored = self._table.publish(change, draft)
                change.sql.execute("DELETE FROM uploads WHERE id = ?", (upload_id,))
        self._remove_files(upload_id)
        return stored

    def cancel(self, upload_id: str) -> None:
        """End a session and drop its parts."""
        session_row(self._table, upload_id, "multipart")
        with self._table.change() as change:
            change.sql.execute("DELETE FROM uploads WHERE id = ?", (upload_id,))
        self._remove_files(upload_id)

    def _path(self, upload_id: str, number: int) -> Path:
        return self._directory / f"{upload_id}.{number}"

    def _remove_files(self, upload_id: str) -> None:
        for path in self._directory.glob(f"{upload_id}.*"):
            path.unlink(missing_ok=True)
