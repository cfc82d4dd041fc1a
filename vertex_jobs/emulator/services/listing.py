"""Pages of a collection: filter, page size and page token.

A page token is the place of the last resource sent in the order of creation, so that a page
neither repeats nor loses a job that was created in between.
"""

import itertools
from collections.abc import Iterable

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.services.filters import compile_filter
from vertex_jobs.emulator.status import ApiError

__all__ = ["page_start", "take_page"]

#: Source: the API's list requests leave the size to the service; 100 is what it was seen to use.
_DEFAULT_PAGE_SIZE = 100
_MAX_PAGE_SIZE = 1000


def page_start(token: str) -> int | None:
    """The place before which the page begins; None for the first page.

    Raises:
        ApiError: If the token is not one of ours.
    """
    if not token:
        return None
    if not token.isdigit():
        raise ApiError("INVALID_ARGUMENT", f"The page token {token!r} is not valid.")
    return int(token)


def take_page(
    resources: Iterable[tuple[int, protos.Message]], filter_text: str, page_size: int
) -> tuple[list[protos.Message], str]:
    """The next page's resources and the token of the page after it, empty at the end."""
    if page_size < 0:
        raise ApiError("INVALID_ARGUMENT", f"page_size {page_size} is negative.")
    size = min(page_size or _DEFAULT_PAGE_SIZE, _MAX_PAGE_SIZE)
    accepts = compile_filter(filter_text)
    matching = (row for row in resources if accepts(row[1]))
    rows = list(itertools.islice(matching, size + 1))
    token = str(rows[size - 1][0]) if len(rows) > size else ""
    return [resource for _, resource in rows[:size]], token
