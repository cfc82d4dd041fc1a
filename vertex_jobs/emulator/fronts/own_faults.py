"""A fault of Local Vertex itself: logged with its traceback, answered as INTERNAL that says so.

For the REST and the gRPC front. The service answers "Internal error encountered." and leaves it
unknown what was done; this one knows, and says it in the details: nobody has to wait and look
whether a job was created.

Source: google.rpc.ErrorInfo.
"""

import secrets
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vertex_jobs.emulator.status import ApiError, error_info
from vertex_jobs.headers import FAULT_DOMAIN, NOTHING_CHANGED

#: Enough to see the failing call.
_LAST_FRAMES = 3


@dataclass(frozen=True)
class OwnFaults:
    """Turns exceptions that nobody expected into answers.

    Attributes:
        log: The file that this process's standard error goes to.
        changes: Counts what was written to the store so far.
    """

    log: Path
    changes: Callable[[], int]

    def answer(self, error: Exception, changes_before: int) -> ApiError:
        """Log the exception and return the answer for it.

        Args:
            error: Raised while a request was answered.
            changes_before: The count of changes when the request came in.
        """
        fault = secrets.token_hex(4)
        print(f"fault {fault} of Local Vertex:", file=sys.stderr)
        traceback.print_exception(error)
        sys.stderr.flush()
        # Another request may have written meanwhile: then nothing is promised.
        metadata = {"fault": fault, "log": str(self.log)}
        if self.changes() == changes_before:
            metadata["effect"] = NOTHING_CHANGED
        end = "".join(traceback.format_exception(error, limit=-_LAST_FRAMES)).rstrip()
        return ApiError(
            "INTERNAL",
            f"Local Vertex failed by a fault of its own, {fault} in {self.log}, which ends:\n{end}",
            [error_info("OWN_FAULT", FAULT_DOMAIN, metadata)],
        )
