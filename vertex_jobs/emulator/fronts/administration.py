"""The admin calls of one server: health, resume, hold, stop. For ``joining``, not for users.

They need the token of ``endpoint.json``, which only the directory's owner can read.
"""

import hmac
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vertex_jobs.emulator.asgi import Receive, Scope, Send, headers_of, read_body, send_json
from vertex_jobs.emulator.controllers.supervisor import Supervisor
from vertex_jobs.emulator.fronts.calls import HoldPolicy
from vertex_jobs.emulator.joining import TOKEN_HEADER
from vertex_jobs.emulator.launcher.launcher_values import Capabilities
from vertex_jobs.emulator.services.standing_settings import StandingSettings
from vertex_jobs.emulator.status import ApiError


@dataclass(frozen=True)
class Holder:
    """A process for whose life the server stays, and its settings.

    Attributes:
        reads: Whether the reads of unmodified clients are held meanwhile.
        strict: Whether nothing is eased meanwhile; that of one holder is for all.
        settings: Of jobs that bring none of their own meanwhile.
    """

    reads: bool = False
    strict: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Administration:
    """Answers the admin calls.

    Attributes:
        standing: The settings of jobs that bring none of their own.
        set_strict: Told whether anything is eased, whenever that may have changed.
        further: Calls that are answered elsewhere, by verb and path.
        holders: Processes for whose life the server stays, by process id.
    """

    token: str
    supervisor: Supervisor
    hold: HoldPolicy
    standing: StandingSettings
    capabilities: Capabilities
    stop: Callable[[], None]
    set_strict: Callable[[bool], None]
    further: Mapping[str, Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]]
    holders: dict[int, Holder] = field(default_factory=dict)

    def held(self) -> bool:
        """Return whether a process that asked for the server still lives."""
        self.holders = {pid: holder for pid, holder in self.holders.items() if _lives(pid)}
        living = self.holders.values()
        is_strict = any(holder.strict for holder in living)
        self.hold.unasked = not is_strict and any(holder.reads for holder in living)
        self.set_strict(is_strict)
        self.standing.options = {k: v for holder in living for k, v in holder.settings.items()}
        return bool(self.holders)

    def _hold(self, body: Mapping[str, Any]) -> None:
        pid = int(body["pid"])
        before = self.holders.get(pid, Holder())
        self.holders[pid] = Holder(
            body.get("hold_reads", before.reads),
            body.get("strict", before.strict),
            body.get("settings", before.settings),
        )
        self.held()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one admin call."""
        shown = headers_of(scope).get(TOKEN_HEADER, "")
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
            self._hold(body)
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
            "gcs": self.capabilities.gcs,
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
