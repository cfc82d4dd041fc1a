"""Packages put into the staging bucket, each content once.

For `Client`. A package's name holds the hash of its content, so an object of that name is the same
package, and finding it there is success. Buckets are not created: where one must exist, its absence
is an error with the command that makes it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vertex_jobs.client.api_connection import Connection
from vertex_jobs.client.api_errors import may_pass, translated
from vertex_jobs.names import GcsUri

#: Of all attempts together while the storage cannot be reached.
_PATIENCE_SECONDS = 30.0
#: Before the second attempt; it doubles from there. The library's own first pause is a second.
_FIRST_PAUSE_SECONDS = 0.2


def upload(connection: Connection, source: Path, uri: str) -> bool:
    """Put the file at that URI, which is unique to its content, unless an object is there already.

    Returns:
        Whether it was uploaded now.

    Raises:
        EndpointError: If the bucket does not exist, is not ours, or storage cannot be reached.
    """
    from google.api_core.exceptions import PreconditionFailed
    from google.api_core.retry import Retry

    target = GcsUri.parse(uri)
    retry = Retry(may_pass, initial=_FIRST_PAUSE_SECONDS, timeout=_PATIENCE_SECONDS)
    with translated(uri), _storage_client(connection) as client:
        blob = client.bucket(target.bucket).blob(target.path)
        if _is_there(blob, timeout=connection.timeout_seconds, retry=retry):
            return False
        try:
            # Generation 0 means "must not exist yet"; it also makes the upload safe to repeat.
            blob.upload_from_filename(
                str(source),
                content_type="application/gzip",
                if_generation_match=0,
                timeout=connection.timeout_seconds,
                retry=retry,
            )
        except PreconditionFailed:
            return False
    return True


def _is_there(blob: Any, **how: Any) -> bool:
    """Return whether the object exists, so that no bytes are sent; False if we may not look."""
    from google.api_core.exceptions import Forbidden

    try:
        return bool(blob.exists(**how))
    except Forbidden:
        return False


@contextmanager
def _storage_client(connection: Connection) -> Iterator[Any]:
    from google.cloud.storage import Client

    options = {"api_endpoint": connection.storage_endpoint} if connection.storage_endpoint else {}
    client = Client(
        project=connection.place.project,
        credentials=connection.credentials,
        client_options=options,
    )
    try:
        yield client
    finally:
        client.close()
