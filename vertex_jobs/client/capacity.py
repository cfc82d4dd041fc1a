"""Whether a job came to nothing for want of machines or quota, so that another place may do.

For submissions, which try a job's fallbacks. A program that ran out of memory is not such a case,
although it has the same code.

Source: google.rpc.Code; understanding-training-service page of the training documentation.
"""

import re

from vertex_jobs.client.outcomes import failure
from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.errors import RequestRefusedError

__all__ = ["is_short", "lacks_capacity"]

#: What the service says when a region has no machines left, and when quota is exceeded.
_SHORT = re.compile(
    r"resources are insufficient in region|quota metrics? exceed|exceeds? quota|quota exceeded",
    re.IGNORECASE,
)


def lacks_capacity(error: RequestRefusedError) -> bool:
    """Whether a refused create, which has made nothing, lacked machines or quota."""
    return error.code == 429 or _SHORT.search(error.message) is not None


def is_short(snapshot: Snapshot) -> bool:
    """Whether the job has ended because there were no machines for it."""
    if not snapshot.done or snapshot.succeeded:
        return False
    return _SHORT.search(failure(snapshot).message) is not None
