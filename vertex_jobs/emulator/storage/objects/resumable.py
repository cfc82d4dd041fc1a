"""Sessions of resumable uploads; they and the bytes they have received outlive the process."""

import json
import os
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vertex_jobs.emulator.storage.objects.object_errors import ObjectStoreError
from vertex_jobs.emulator.storage.objects.object_table import Draft, ObjectTable, checked_attributes
from vertex_jobs.emulator.storage.objects.object_values import (
    ANY,
    UNKNOWN,
    Checksums,
    Preconditions,
    StoredObject,
    check_object_name,
)
from vertex_jobs.emulator.storage.objects.payloads import PayloadWriter
from vertex_jobs.emulator.storage.objects.sessions import (
    insert_session,
    is_id,
    new_id,
    session_row,
)

#: Received bytes count in multiples of this. Source: Cloud Storage docs, Resumable uploads.
CHUNK_BYTES = 256 * 1024
#: Session URIs live for one week. Source: the same page.
_SESSION_SECONDS = 7 * 24 * 3600.0
#: Uploads whose hash state is kept; an older one is hashed again from its file when it goes on.
_OPEN_WRITERS = 64


@dataclass(frozen=True)
class Upload:
    """A resumable upload.

    Attributes:
        attributes: Of the object to be, under the JSON API's names.
        preconditions: Checked when the session starts and when the object is published.
        expected: Checksums that the client announced at the start.
        result: The object that it became; None while bytes are missing.
    """

    upload_id: str
    bucket: str
    name: str
    attributes: Mapping[str, Any]
    preconditions: Preconditions
    expected: Checksums = UNKNOWN
    result: StoredObject | None = None


class ResumableUploads:
    """Sessions of resumable uploads. The caller serialises the requests of one session."""

    def __init__(self, table: ObjectTable, directory: Path) -> None:
        """Keep the received bytes in ``directory``; drop sessions that are too old."""
        self._table = table
        self._directory = directory
        self._writers: OrderedDict[str, PayloadWriter] = OrderedDict()
        directory.mkdir(exist_ok=True)
        with table.change() as change:
            change.sql.execute(
                "DELETE FROM uploads WHERE created < ?", (change.now - _SESSION_SECONDS,)
            )
            known = {row["id"] for row in change.sql.execute("SELECT id FROM uploads")}
            for path in directory.iterdir():
                upload_id = path.name.partition(".")[0]
                if is_id(upload_id) and upload_id not in known:
                    path.unlink()

    def start(
        self,
        bucket: str,
        name: str,
        *,
        attributes: Mapping[str, Any] = {},
        preconditions: Preconditions = ANY,
        expected: Checksums = UNKNOWN,
    ) -> Upload:
        """Open a session.

        Raises:
            ObjectStoreError: If the object could not be published as things stand.
        """
        upload = Upload(
            new_id(), bucket, name, checked_attributes(attributes), preconditions, expected
        )
        check_object_name(name)
        with self._table.change() as change:
            self._table.require_bucket(change, bucket)
            preconditions.check(self._table.find(change.sql, bucket, name))
            request = {
                "attributes": upload.attributes,
                "preconditions": asdict(preconditions),
                "expected": asdict(expected),
            }
            insert_session(change, upload.upload_id, "resumable", bucket, name, request)
        return upload

    def get(self, upload_id: str) -> Upload:
        """Find a session.

        Raises:
            UploadNotFoundError: If there is none, or it was cancelled or is too old.
        """
        row = session_row(self._table, upload_id, "resumable")
        request = json.loads(row["request"])
        return Upload(
            upload_id,
            row["bucket"],
            row["name"],
            request["attributes"],
            Preconditions(**request["preconditions"]),
            Checksums(**request["expected"]),
            None if row["result"] is None else StoredObject(**json.loads(row["result"])),
        )

    def resume(self, upload: Upload) -> PayloadWriter:
        """Take the bytes received so far, to be continued in multiples of ``CHUNK_BYTES``."""
        writer = self._writers.pop(upload.upload_id, None)
        if writer is None:
            path = self._directory / upload.upload_id
            path.touch()
            # A killed process may have got in the middle of a chunk.
            os.truncate(path, path.stat().st_size // CHUNK_BYTES * CHUNK_BYTES)
            writer = PayloadWriter(path)
        return writer

    def keep(self, upload: Upload, writer: PayloadWriter) -> None:
        """Keep a writer that was taken, until more bytes come."""
        writer.flush()
        self._writers[upload.upload_id] = writer
        while len(self._writers) > _OPEN_WRITERS:
            self._writers.popitem(last=False)[1].close()

    def complete(
        self, upload: Upload, writer: PayloadWriter, expected: Checksums = UNKNOWN
    ) -> StoredObject:
        """Publish the bytes of a writer; the session stays, to answer repeated requests.

        Raises:
            ObjectStoreError: If a checksum or a precondition does not hold; the session is over.
        """
        try:
            checksums = writer.finish()
            expected.verify(checksums)
            draft = Draft(
                upload.bucket,
                upload.name,
                writer.path,
                writer.size,
                checksums,
                upload.attributes,
                upload.preconditions,
            )
            with self._table.change() as change:
                stored = self._table.publish(change, draft)
                change.sql.execute(
                    "UPDATE uploads SET result = ? WHERE id = ?",
                    (json.dumps(asdict(stored)), upload.upload_id),
                )
        except ObjectStoreError:
            self.cancel(upload.upload_id)
            raise
        return stored

    def cancel(self, upload_id: str) -> None:
        """End a session and drop its bytes."""
        with self._table.change() as change:
            change.sql.execute("DELETE FROM uploads WHERE id = ?", (upload_id,))
        writer = self._writers.pop(upload_id, None)
        if writer is not None:
            writer.close()
        (self._directory / upload_id).unlink(missing_ok=True)

    def close(self) -> None:
        """Close the files; the sessions stay."""
        while self._writers:
            self._writers.popitem()[1].close()
