"""Ids, names and times as the service gives them.

Source: ids of jobs are numeric text of 18 or 19 digits, as in published outputs of real jobs; a
study's has 13, as in GoogleCloudPlatform/training-data-analyst,
gapic-vizier-multi-objective-optimization.ipynb. Names in answers carry the project's number
(AIP-122).
"""

import hashlib
import time
from collections.abc import Callable

from google.protobuf import timestamp_pb2

from vertex_jobs.names import ResourceName

#: Of ids that stand for a number nobody named an id for.
_NUMBERED_PREFIX = "project-"


def project_number(project: str) -> str:
    """Return the number that stands for a project id in answers; a number stays as it is.

    The real number is the service's secret. Ours is derived from the id, twelve digits, so that
    it is the same in every session; ``project-NUMBER`` is our id of a project that was only ever
    named by its number.
    """
    number = project.removeprefix(_NUMBERED_PREFIX)
    if number.isdigit():
        return number
    digest = hashlib.sha256(project.encode()).digest()
    return str(10**11 + int.from_bytes(digest[:8], "big") % (9 * 10**11))


class Identity:
    """The one source of new ids and of the time."""

    def __init__(self, clock: Callable[[], int] = time.time_ns) -> None:
        """Take the clock, in nanoseconds since 1970."""
        self._clock = clock
        self._last: dict[int, int] = {}  # by unit

    def new_name(self, project: str, location: str, collection: str) -> ResourceName:
        """Return a name that no resource has; later names have larger ids."""
        # Nanoseconds since 1970 have 19 digits, milliseconds 13.
        unit = 1_000_000 if collection == "studies" else 1
        new = self._last[unit] = max(self._last.get(unit, 0) + 1, self._clock() // unit)
        return ResourceName(project_number(project), location, collection, str(new))

    def now(self) -> timestamp_pb2.Timestamp:
        """Return the time as the API writes it."""
        stamp = timestamp_pb2.Timestamp()
        # Microseconds, as the service answers them.
        stamp.FromNanoseconds(self._clock() // 1000 * 1000)
        return stamp

    def unix_time(self) -> float:
        """Return the same clock, in seconds."""
        return self._clock() / 1e9
