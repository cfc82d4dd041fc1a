"""Whether a job came to nothing for want of machines or quota, so that another place may do.

For the endpoints, which try a job's fallbacks. A program that ran out of memory is not such a case,
although it has the same code.

Source: google.rpc.Code; understanding-training-service page of the training documentation.
"""

import re

from vertex_jobs.errors import JobFailedError, RequestRefusedError

__all__ = ["lacks_capacity"]

#: What the service says when a region has no machines left, and when quota is exceeded.
_SHORT = re.compile(
    r"resources are insufficient in region|quota metrics? exceed|exceeds? quota|quota exceeded",
    re.IGNORECASE,
)


def lacks_capacity(error: RequestRefusedError | JobFailedError) -> bool:
    """Whether the place was short of what the job needs.

    Args:
        error: Of a create, or of a job that has ended. A refused create has made nothing.
    """
    if isinstance(error, RequestRefusedError) and error.code == 429:
        return True
    return _SHORT.search(error.message) is not None
