"""The latest measurements of the trials that run, for the block of a watched study.

They lie among the trials' outputs, so they are read from a thread of their own: neither the redraw
nor the watching of the job waits for them.
"""

import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from vertex_jobs.errors import EndpointError

if TYPE_CHECKING:
    from vertex_jobs.client import Snapshot
    from vertex_jobs.study import Study

#: As often as a trial writes its file at most.
_SECONDS_BETWEEN_READS = 1.0


class LiveCurves:
    """Keeps the measurements of a study up to date until it is stopped."""

    def __init__(self, study_at: "Callable[[Snapshot], Study]") -> None:
        self._study_at = study_at
        self._snapshot: Snapshot | None = None
        self._study: Study | None = None
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def update(self, snapshot: "Snapshot") -> None:
        """Go on with this snapshot."""
        self._snapshot = snapshot
        if snapshot.is_study and self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Read no more."""
        self._stopped.set()

    def study(self, snapshot: "Snapshot") -> "Study":
        """Return the snapshot's study with what has been measured by the last reading."""
        from vertex_jobs.study.curves import with_curves

        read = self._study
        if read is None:
            return snapshot.study
        return with_curves(snapshot.study, {one.id: one.measurements for one in read.trials})

    def _run(self) -> None:
        while not self._stopped.wait(_SECONDS_BETWEEN_READS):
            snapshot = self._snapshot
            if snapshot is not None and any(not one.finished for one in snapshot.study.trials):
                # The verbs that are asked for curves say why there are none.
                with contextlib.suppress(EndpointError):
                    self._study = self._study_at(snapshot)
