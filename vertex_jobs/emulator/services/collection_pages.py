"""Pages of a collection: filter, order, page size, page token and read mask.

Without an order the newest comes first and a page token is a place in the order of creation; with
one it is the place of the last resource sent in that order. Either way a page neither repeats nor
loses a resource that was created in between. Source: AIP-132, AIP-157, AIP-158.
"""

import base64
import binascii
import functools
import itertools
import json
from collections.abc import Callable, Iterable
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.request_names import numbered, parent_of
from vertex_jobs.emulator.services.field_masks import masked, read_mask
from vertex_jobs.emulator.services.filters import compile_filter, field_value
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.resource_store import Store

#: A resource and its place in the order of creation.
Row = tuple[int, protos.Message]

#: Source: the API's list requests leave the size to the service, which was seen to use 100.
_SIZES = (100, 1000)


def page_start(request: protos.Message) -> int | None:
    """Return the place before which the page begins; None for first pages and ordered ones.

    Raises:
        ApiError: If the token is not one of ours.
    """
    if not request.page_token or _order(request):
        return None
    if not request.page_token.isdigit():
        raise _bad_token(request)
    return int(request.page_token)


def page_of(
    store: Store,
    request: protos.Message,
    collection: str,
    message_class: protos.Message,
    sizes: tuple[int, int] = _SIZES,
) -> tuple[list[protos.Message], str]:
    """Return the resources of a collection that a list request asks for, as ``take_page`` does."""
    parent = numbered(parent_of(request.parent, collection))
    rows = store.page(collection, parent.project, parent.location, page_start(request))
    return take_page(rows, request, message_class, sizes)


def take_page(
    rows: Iterable[Row],
    request: protos.Message,
    message_class: protos.Message,
    sizes: tuple[int, int] = _SIZES,
) -> tuple[list[protos.Message], str]:
    """Return the masked resources of a page, and the next page's token, empty at the end.

    ``rows`` come newest first, from ``page_start`` on. Of the request ``filter``, ``order_by`` and
    ``read_mask`` count where it has them. ``sizes`` are how many a page has where the request does
    not say, and at most.

    Raises:
        ApiError: INVALID_ARGUMENT, if filter, order, mask, size or token make no sense.
    """
    if request.page_size < 0:
        raise ApiError("INVALID_ARGUMENT", f"page_size {request.page_size} is negative.")
    size = min(request.page_size or sizes[0], sizes[1])
    accepts = compile_filter(getattr(request, "filter", ""), message_class)
    mask = read_mask(request, message_class)
    matching: Iterable[Row] = (row for row in rows if accepts(row[1]))
    token_of: Callable[[Row], str] = _creation_token
    order = _order(request)
    if order:
        matching, token_of = _ordered(matching, order, request, message_class)
    taken = list(itertools.islice(matching, size + 1))
    token = token_of(taken[size - 1]) if len(taken) > size else ""
    return [masked(resource, mask) for _, resource in taken[:size]], token


def _order(request: protos.Message) -> str:
    return str(getattr(request, "order_by", "")).strip()


def _creation_token(row: Row) -> str:
    return str(row[0])


def _bad_token(request: protos.Message) -> ApiError:
    return ApiError("INVALID_ARGUMENT", f"The page token {request.page_token!r} is not valid.")


def _ordered(
    rows: Iterable[Row], order: str, request: protos.Message, message_class: protos.Message
) -> tuple[Iterable[Row], Callable[[Row], str]]:
    """Return the ordered rows after the token's place, and a function from row to token."""
    terms = [_order_term(term, message_class) for term in order.split(",")]

    def place(row: Row) -> list[Any]:
        return [*(_sortable(row[1], path) for path, _ in terms), row[0]]

    def compare(one: list[Any], other: list[Any]) -> int:
        descending = [*(falling for _, falling in terms), True]  # ties: the newest first
        for left, right, falling in zip(one, other, descending, strict=True):
            if left != right:
                return -1 if (left < right) != falling else 1
        return 0

    def token_of(row: Row) -> str:
        return base64.urlsafe_b64encode(json.dumps([order, place(row)]).encode()).decode()

    found = sorted(rows, key=lambda row: functools.cmp_to_key(compare)(place(row)))
    if not request.page_token:
        return found, token_of
    try:
        token_order, last = json.loads(base64.urlsafe_b64decode(request.page_token))
    except (binascii.Error, ValueError) as error:
        raise _bad_token(request) from error
    if token_order != order:
        raise _bad_token(request)
    return [row for row in found if compare(place(row), last) > 0], token_of


def _order_term(term: str, message_class: protos.Message) -> tuple[str, bool]:
    path, _, direction = term.strip().partition(" ")
    if direction.strip().lower() not in ("", "asc", "desc"):
        raise ApiError("INVALID_ARGUMENT", f"order_by {term!r}: expected FIELD, or FIELD desc.")
    if not isinstance(_sortable(message_class(), path), (str, int, float)):
        raise ApiError("INVALID_ARGUMENT", f"order_by {term!r}: that field has no order.")
    return path, direction.strip().lower() == "desc"


def _sortable(resource: protos.Message, path: str) -> Any:
    _, value, _ = field_value(resource, path)
    return value.ToNanoseconds() if hasattr(value, "ToNanoseconds") else value
