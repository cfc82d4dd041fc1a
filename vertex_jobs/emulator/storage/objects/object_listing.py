"""Listing a bucket page by page: prefixes, delimiters, offsets and page tokens.

A page costs as many index look-ups as it has entries, whatever lies below a common prefix.
Source: Cloud Storage JSON API, Objects: list.
"""

import base64
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from vertex_jobs.emulator.storage.objects.object_errors import InvalidObjectRequestError
from vertex_jobs.emulator.storage.objects.object_table import object_of
from vertex_jobs.emulator.storage.objects.object_values import StoredObject

#: Entries of a page at most, and when the request does not say.
_LARGEST_PAGE = 1000


@dataclass(frozen=True)
class ListQuery:
    """A request for one page of a listing.

    Attributes:
        start_offset: First name, inclusive.
        end_offset: Last name, exclusive; empty for no limit.
        max_results: Objects and prefixes together, at most; a page holds 1,000 at most anyway.
        include_trailing_delimiter: List objects that end in their only delimiter as objects too.
        page_token: ``next_page_token`` of the page before.
    """

    prefix: str = ""
    delimiter: str = ""
    start_offset: str = ""
    end_offset: str = ""
    max_results: int | None = None
    include_trailing_delimiter: bool = False
    page_token: str = ""


@dataclass(frozen=True)
class Listing:
    """One page, both parts in order of their UTF-8 bytes; the token is empty on the last page."""

    objects: tuple[StoredObject, ...]
    prefixes: tuple[str, ...]
    next_page_token: str


def list_page(sql: sqlite3.Connection, bucket: str, query: ListQuery) -> Listing:
    """Read one page.

    Raises:
        InvalidObjectRequestError: If the page token is not one of ours or the size is negative.
    """
    requested = query.max_results or _LARGEST_PAGE
    if requested < 0:
        raise InvalidObjectRequestError(f"Invalid maxResults {requested}: it is negative")
    limit = min(requested, _LARGEST_PAGE)
    start = _decode(query.page_token) if query.page_token else query.start_offset
    objects: list[StoredObject] = []
    prefixes: list[str] = []
    for entry, following in _entries(sql, bucket, query, max(start, query.prefix)):
        if len(objects) + len(prefixes) >= limit:
            return Listing(tuple(objects), tuple(prefixes), _encode(start))
        if isinstance(entry, str):
            prefixes.append(entry)
            if query.include_trailing_delimiter and (same := _named(sql, bucket, entry)):
                objects.append(same)
        else:
            objects.append(entry)
        start = following
    return Listing(tuple(objects), tuple(prefixes), "")


def start_after(entry: str, delimiter: str) -> str:
    """Return the ``start_offset`` behind an entry, which is an object or a common prefix."""
    is_prefix = delimiter != "" and entry.endswith(delimiter)
    return _successor(entry) if is_prefix else f"{entry}\0"


def _entries(
    sql: sqlite3.Connection, bucket: str, query: ListQuery, start: str
) -> Iterator[tuple[StoredObject | str, str]]:
    """Yield objects and common prefixes in order, each with the next one's least name."""
    end = _least(query.end_offset, _successor(query.prefix))
    while True:
        for stored in _rows(sql, bucket, start, end):
            common = _common_prefix(stored.name, query)
            if common is not None:
                break
            yield stored, stored.name + "\0"
        else:
            return
        start = _successor(common)
        yield common, start
        if not start:
            return


def _rows(sql: sqlite3.Connection, bucket: str, start: str, end: str) -> Iterator[StoredObject]:
    bound = "AND name < ?" if end else ""
    values = (bucket, start, end) if end else (bucket, start)
    query = f"SELECT * FROM objects WHERE bucket = ? AND name >= ? {bound} ORDER BY name"
    for row in sql.execute(query, values):
        yield object_of(row)


def _named(sql: sqlite3.Connection, bucket: str, name: str) -> StoredObject | None:
    return next(_rows(sql, bucket, name, name + "\0"), None)


def _common_prefix(name: str, query: ListQuery) -> str | None:
    if not query.delimiter:
        return None
    at = name.find(query.delimiter, len(query.prefix))
    return None if at < 0 else name[: at + len(query.delimiter)]


def _successor(prefix: str) -> str:
    """Return the first name after all that begin with ``prefix``; empty if there is none."""
    while prefix:
        last = ord(prefix[-1]) + 1
        prefix = prefix[:-1]
        if last == 0xD800:  # surrogates are no characters and have no UTF-8 form
            last = 0xE000
        if last <= 0x10FFFF:
            return prefix + chr(last)
    return ""


def _least(*bounds: str) -> str:
    return min((bound for bound in bounds if bound), default="")


def _encode(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode()


def _decode(token: str) -> str:
    try:
        return base64.b64decode(token, altchars=b"-_", validate=True).decode()
    except ValueError as error:
        raise InvalidObjectRequestError(f"Invalid page token {token!r}") from error
