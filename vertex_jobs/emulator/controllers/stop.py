"""The request to a controller to end its job, and how the job then ends."""

import asyncio

from vertex_jobs.emulator.resources.endings import CANCELLED, Ending


class Stop(asyncio.Event):
    """Set to end a job before its time: as cancelled, unless somebody asked for another state."""

    def __init__(self) -> None:
        super().__init__()
        self.ending = CANCELLED

    def end(self, ending: Ending) -> None:
        """Ask for the job to end that way."""
        self.ending = ending
        self.set()
