"""Objects as both APIs read them: whole, in part, or described in headers.

A gzip-encoded object is sent as it is stored, with its Content-Encoding; the service would unpack
it for clients that do not accept gzip.
"""

import base64
import contextlib
import re
from collections.abc import Iterator
from email.utils import formatdate

from vertex_jobs.emulator.storage.objects import (
    Checksums,
    ObjectStore,
    ObjectStoreError,
    PreconditionFailedError,
    Preconditions,
    StoredObject,
)
from vertex_jobs.emulator.storage.wire.error_answers import (
    NotModifiedError,
    RangeNotSatisfiableError,
)
from vertex_jobs.emulator.storage.wire.http_messages import FileSpan, Request, Response
from vertex_jobs.emulator.storage.wire.json_resources import etag

_RANGE = re.compile(r"\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*")
#: Custom metadata may have any key; only these can be a header's name.
_HEADER_NAME = re.compile(r"[A-Za-z0-9_.-]+")
#: Headers that carry an attribute which the client wrote.
ATTRIBUTE_HEADERS = {
    "contentType": "Content-Type",
    "contentEncoding": "Content-Encoding",
    "contentLanguage": "Content-Language",
    "contentDisposition": "Content-Disposition",
    "cacheControl": "Cache-Control",
}


def download(
    request: Request, store: ObjectStore, bucket: str, name: str, preconditions: Preconditions
) -> Response:
    """Answer with the bytes that the request asks for.

    Raises:
        ObjectStoreError: If the object is not there, is not as demanded, or the range begins
            behind its end.
    """
    with _conditional_read():
        stored, file = store.open(bucket, name, preconditions)
    headers = object_headers(stored)
    try:
        check_etags(request, headers["ETag"], etag(stored.generation, stored.metageneration))
        wanted = _range(request.headers.get("range", ""), stored.size)
    except ObjectStoreError:
        file.close()
        raise
    if wanted is None:
        return Response(200, headers, span=FileSpan(file, 0, stored.size))
    start, end = wanted
    headers["Content-Range"] = f"bytes {start}-{end - 1}/{stored.size}"
    return Response(206, headers, span=FileSpan(file, start, end - start))


def find_live(
    store: ObjectStore, bucket: str, name: str, preconditions: Preconditions
) -> StoredObject:
    """Return the object whose description the request asks for.

    Raises:
        ObjectStoreError: If the object is not there or is not as demanded.
    """
    with _conditional_read():
        return store.get(bucket, name, preconditions)


def check_etags(request: Request, *etags: str) -> None:
    """Compare ``If-Match`` and ``If-None-Match`` with the etags of a resource.

    Raises:
        PreconditionFailedError: If none is among those that must match.
        NotModifiedError: If one is among those that must not.
    """
    live = {text.strip('"') for text in etags} | {"*"}
    wanted, unwanted = (
        {text.strip().removeprefix("W/").strip('"') for text in request.headers[header].split(",")}
        if header in request.headers
        else None
        for header in ("if-match", "if-none-match")
    )
    if wanted is not None and not live & wanted:
        raise PreconditionFailedError("If-Match", min(wanted), min(live - {"*"}))
    if unwanted is not None and live & unwanted:
        raise NotModifiedError("If-None-Match")


@contextlib.contextmanager
def _conditional_read() -> Iterator[None]:
    """Raise NotModifiedError where a condition "if not ..." fails: the client is up to date."""
    try:
        yield
    except PreconditionFailedError as error:
        if error.condition.endswith("NotMatch"):
            raise NotModifiedError(str(error)) from error
        raise


def object_headers(stored: StoredObject) -> dict[str, str]:
    """Return the headers that describe an object, without its length."""
    headers = {
        "Content-Type": "application/octet-stream",
        "Accept-Ranges": "bytes",
        "ETag": xml_etag(stored),
        "Last-Modified": formatdate(stored.updated, usegmt=True),
        "X-Goog-Hash": hash_header(Checksums(stored.crc32c, stored.md5)),
        "X-Goog-Generation": str(stored.generation),
        "X-Goog-Metageneration": str(stored.metageneration),
        "X-Goog-Stored-Content-Length": str(stored.size),
        "X-Goog-Stored-Content-Encoding": stored.attributes.get("contentEncoding", "identity"),
        "X-Goog-Storage-Class": stored.attributes.get("storageClass", "STANDARD"),
    }
    for attribute, header in ATTRIBUTE_HEADERS.items():
        if attribute in stored.attributes:
            headers[header] = stored.attributes[attribute]
    for key, value in stored.attributes.get("metadata", {}).items():
        if _HEADER_NAME.fullmatch(key) and value.isprintable():
            headers[f"X-Goog-Meta-{key}"] = value
    return headers


def hash_header(checksums: Checksums) -> str:
    """Return the checksums as ``X-Goog-Hash`` has them."""
    pairs = (("crc32c", checksums.crc32c), ("md5", checksums.md5))
    return ",".join(f"{kind}={value}" for kind, value in pairs if value is not None)


def xml_etag(stored: StoredObject) -> str:
    """Return the MD5 in hexadecimal, as the XML API has it, or else an opaque text."""
    if stored.md5 is None:
        return f'"{etag(stored.generation, 1)}"'
    return f'"{base64.b64decode(stored.md5).hex()}"'


def _range(header: str, size: int) -> tuple[int, int] | None:
    """Return start and end of the one range asked for; None for all, also when several are."""
    match = _RANGE.fullmatch(header)
    if match is None or match.group(1) == match.group(2) == "":
        return None
    first, last = match.groups()
    if first == "":
        start, end = max(0, size - int(last)), size
    else:
        start, end = int(first), min(size, int(last) + 1 if last else size)
        if last and int(last) < start:
            return None
    if start >= size:
        raise RangeNotSatisfiableError(size)
    return start, end
