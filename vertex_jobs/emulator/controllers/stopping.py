"""How a controller is asked to end its job, and how the job then ends."""

import asyncio

from vertex_jobs.emulator.resources.endings import CANCELLED, Ending

__all__ = ["Stop"]


class Stop(asyncio.Event):
    """Set to end a job before its time.

    Attributes:
        ending: What is written then; cancelled, unless somebody asked for another state.
    """

    def __init__(self) -> None:
        """Nobody has asked yet."""
        super().__init__()
        self.ending = CANCELLED

    def end(self, ending: Ending) -> None:
        """Ask for the job to end so."""
        self.ending = ending
        self.set()
