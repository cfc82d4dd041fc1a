"""The values of the object store: buckets, objects, preconditions and checksums.

Attributes that a client may write keep the JSON API's own keys (``contentType``, ``metadata``), so
that no table of names stands between the wire and the disk.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vertex_jobs.emulator.storage.objects.object_errors import (
    ChecksumMismatchError,
    InvalidObjectRequestError,
    PreconditionFailedError,
)

#: Fields of an object that a client may write. Source: Cloud Storage JSON API, Objects resource.
OBJECT_ATTRIBUTES = frozenset(
    {
        "cacheControl",
        "contentDisposition",
        "contentEncoding",
        "contentLanguage",
        "contentType",
        "customTime",
        "kmsKeyName",
        "metadata",
        "storageClass",
    }
)
#: Longest object name, in UTF-8 bytes. Source: Cloud Storage documentation, About objects.
_LONGEST_NAME = 1024


@dataclass(frozen=True)
class Bucket:
    """One bucket.

    Attributes:
        project: The project that it was created in; empty when the request named none.
        created: Seconds since the epoch; ``updated`` likewise.
        implicit: Whether the first write made it, since nobody had created it.
        settings: The rest of the bucket resource, in JSON form, stored and echoed.
        policy: The IAM policy that was set; None before the first.
    """

    name: str
    project: str
    created: float
    updated: float
    metageneration: int
    implicit: bool
    settings: Mapping[str, Any] = field(default_factory=dict)
    policy: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class StoredObject:
    """The live generation of one object.

    Attributes:
        generation: Unique in the store and increasing with time.
        size: Bytes.
        crc32c: Base64 of the big-endian checksum.
        md5: Base64; None for composed objects, which have none in Cloud Storage either.
        created: Seconds since the epoch; ``updated`` likewise.
        attributes: Writable fields under the JSON API's names.
        component_count: Parts of a composed object; None for others.
        payload: Number of the file that holds the bytes; copies share it.
    """

    bucket: str
    name: str
    generation: int
    metageneration: int
    size: int
    crc32c: str
    md5: str | None
    created: float
    updated: float
    attributes: Mapping[str, Any]
    component_count: int | None
    payload: int


@dataclass(frozen=True)
class Preconditions:
    """Conditions on the live object of a request; generation 0 means that none is live.

    An object of another generation than the one that is asked for counts as missing.
    Source: Cloud Storage documentation, Request preconditions.
    """

    generation_match: int | None = None
    generation_not_match: int | None = None
    metageneration_match: int | None = None
    metageneration_not_match: int | None = None
    generation: int | None = None

    def check(self, live: StoredObject | None) -> None:
        """Compare with the live object, or with its absence.

        Raises:
            PreconditionFailedError: At the first condition that does not hold.
        """
        generation = live.generation if live else 0
        metageneration = live.metageneration if live else 0
        conditions = (
            ("ifGenerationMatch", self.generation_match, generation, True),
            ("ifGenerationNotMatch", self.generation_not_match, generation, False),
            ("ifMetagenerationMatch", self.metageneration_match, metageneration, True),
            ("ifMetagenerationNotMatch", self.metageneration_not_match, metageneration, False),
        )
        for name, expected, actual, must_equal in conditions:
            if expected is not None and (expected == actual) is not must_equal:
                raise PreconditionFailedError(name, expected, str(actual or "no live object"))


#: No precondition at all.
ANY = Preconditions()


@dataclass(frozen=True)
class ComposeSource:
    """One object to append in a composition."""

    name: str
    preconditions: Preconditions = ANY


@dataclass(frozen=True)
class Checksums:
    """Checksums in base64; None where the sender gave none or the object has none."""

    crc32c: str | None = None
    md5: str | None = None

    def verify(self, actual: "Checksums") -> None:
        """Compare the announced checksums with those of the bytes that arrived.

        Raises:
            ChecksumMismatchError: If one that was given differs.
            InvalidObjectRequestError: If one that was given is no base64.
        """
        pairs = (("CRC32C", self.crc32c, actual.crc32c), ("MD5", self.md5, actual.md5))
        for kind, expected, computed in pairs:
            if expected is None or computed is None:
                continue
            if _decoded(kind, expected) != _decoded(kind, computed):
                raise ChecksumMismatchError(
                    f'Provided {kind} hash "{expected}" doesn\'t match calculated {kind} '
                    f'hash "{computed}".'
                )


#: No checksum at hand.
UNKNOWN = Checksums()


def _decoded(kind: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise InvalidObjectRequestError(f"{kind} hash {text!r} is not base64") from error


def check_object_name(name: str) -> None:
    """Refuse names that Cloud Storage refuses.

    Raises:
        InvalidObjectRequestError: With the rule that the name breaks.
    """
    try:
        size = len(name.encode())
    except UnicodeEncodeError as error:
        raise InvalidObjectRequestError(f"Invalid object name {name[:80]!r}: {error}") from error
    if not 1 <= size <= _LONGEST_NAME:
        rule = f"has {size} bytes in UTF-8; 1 to {_LONGEST_NAME} are allowed"
    elif name in (".", ".."):
        rule = "may not be . or .."
    elif "\r" in name or "\n" in name or "\0" in name:
        rule = "holds a carriage return, line feed or NUL"
    elif name.startswith(".well-known/acme-challenge/"):
        rule = "begins with .well-known/acme-challenge/"
    else:
        return
    raise InvalidObjectRequestError(f"Invalid object name {name[:80]!r}: it {rule}")
