"""The admin calls of one server: health, resume, hold, stop. For ``joining``, not for users.

They need the token of ``endpoint.json``, which only the directory's owner can read.
"""

import hmac
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vertex_jobs.emulator.controllers.supervisor import Supervisor
from vertex_jobs.emulator.fronts.calls import HoldPolicy
from vertex_jobs.emulator.fronts.rest import Receive, Scope, Send, read_body, send_json
from vertex_jobs.emulator.launcher import Capabilities
from vertex_jobs.emulator.status import ApiError

__all__ = ["TOKEN_HEADER", "Administration"]

TOKEN_HEADER = "x-vertex-jobs-token"


@dataclass
class Administration:
    """Answers the admin calls.

    Attributes:
        token: What a caller must show.
        supervisor: The running jobs.
        hold: Whether unmodified clients' reads are held.
        capabilities: What the launcher can do here.
        stop: Ends the server.
        further: Calls that are answered elsewhere, by verb and path.
        holders: Processes for whose life the server stays, each with whether it wants the reads
            of unmodified clients held meanwhile.
    """

    token: str
    supervisor: Supervisor
    hold: HoldPolicy
    capabilities: Capabilities
    stop: Callable[[], None]
    further: Mapping[str, Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]]
    holders: dict[int, bool] = field(default_factory=dict)

    def held(self) -> bool:
        """Whether a process that asked for the server still lives."""
        self.holders = {pid: reads for pid, reads in self.holders.items() if _lives(pid)}
        self.hold.unasked = any(self.holders.values())
        return bool(self.holders)

    def _hold(self, pid: int, reads: bool | None) -> None:
        before = self.holders.get(pid, False)
        self.holders[pid] = before if reads is None else reads
        self.held()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one admin call."""
        shown = dict(scope["headers"]).get(TOKEN_HEADER.encode(), b"").decode("latin-1")
        if not hmac.compare_digest(shown, self.token):
            raise ApiError("PERMISSION_DENIED", "The admin calls need the token of endpoint.json.")
        body = json.loads(await read_body(receive) or b"{}")
        call = f"{scope['method']} {scope['path']}"
        if call == "GET /admin/health":
            await send_json(send, 200, self._health())
        elif call == "POST /admin/resume":
            names = [str(name) for name in self.supervisor.resume()]
            await send_json(send, 200, {"resumed": names})
        elif call == "POST /admin/hold":
            self._hold(int(body["pid"]), body.get("hold_reads"))
            await send_json(send, 200, self._health())
        elif call == "POST /admin/stop":
            await send_json(send, 200, {"stopped": [str(name) for name in self.supervisor.names()]})
            self.stop()
        elif call in self.further:
            await send_json(send, 200, await self.further[call](body))
        else:
            raise ApiError("NOT_FOUND", f"There is no admin call {call}.")

    def _health(self) -> dict[str, object]:
        return {
            "pid": os.getpid(),
            "running": [str(name) for name in self.supervisor.names()],
            "interrupted": [str(name) for name in self.supervisor.interrupted()],
            "private_root": self.capabilities.private_root,
            "gcs_mount": self.capabilities.gcs_mount,
            "why_not": self.capabilities.why_not,
        }


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
