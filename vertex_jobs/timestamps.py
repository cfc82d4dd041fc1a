"""Timestamps of the API: RFC 3339 texts in UTC, with up to nine decimals or none.

For everyone who reads or writes them; Python 3.10 reads neither form by itself.
"""

from datetime import datetime, timezone
from functools import lru_cache


@lru_cache  # the lines of a log share many
def read_moment(text: str) -> datetime:
    """Return the time of a timestamp, to the microsecond."""
    second = read_second(text)
    decimals = text.removesuffix("Z").partition(".")[2]
    digits = decimals[:6].ljust(6, "0")
    return second.replace(microsecond=int(digits)) if digits.isdecimal() else second


def read_second(text: str) -> datetime:
    """Return the time of a timestamp without its decimals."""
    return datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)


def timestamp(seconds: float, timespec: str = "milliseconds") -> str:
    """Return the timestamp of a Unix time, cut off after the given unit."""
    moment = datetime.fromtimestamp(seconds, timezone.utc)
    return moment.isoformat(timespec=timespec).replace("+00:00", "Z")
