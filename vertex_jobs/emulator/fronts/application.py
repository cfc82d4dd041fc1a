"""The ASGI application behind every HTTP connection: which API does a request belong to?

Browsers are kept out: a request that carries an Origin, or whose Host is neither loopback nor a
Google API's, is refused, so that no web page can drive the emulator.
"""

import json
import traceback
from collections.abc import Awaitable, Callable

from vertex_jobs.emulator.fronts.listener import is_google_host
from vertex_jobs.emulator.fronts.rest import Receive, RestFront, Scope, Send, read_body, send_json
from vertex_jobs.emulator.logbook import Logbook
from vertex_jobs.emulator.services.accounts import answer_account_request
from vertex_jobs.emulator.services.log_entries import list_entries
from vertex_jobs.emulator.status import ApiError

__all__ = ["Application"]

Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class Application:
    """Routes by host and path; the storage service gets what belongs to no other API."""

    def __init__(self, rest: RestFront, storage: Asgi, admin: Asgi, logbook: Logbook) -> None:
        """Take the parts that answer."""
        self._rest = rest
        self._storage = storage
        self._admin = admin
        self._logbook = logbook

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        try:
            if b"origin" in headers or not (name in _LOOPBACK or is_google_host(name)):
                raise ApiError(
                    "PERMISSION_DENIED",
                    f"Local Vertex answers programs on this machine, not pages (Host {host!r}).",
                )
            if not await self._answer(scope, receive, send, name):
                await self._storage(scope, receive, send)
        except ApiError as error:
            await send_json(send, error.http_status, error.to_json())
        except Exception:
            # A fault of ours, in the log with its traceback, is the service's plain 500 outside.
            traceback.print_exc()
            fault = ApiError("INTERNAL", "Internal error encountered.")
            await send_json(send, fault.http_status, fault.to_json())

    async def _answer(self, scope: Scope, receive: Receive, send: Send, host: str) -> bool:
        """Answer unless the request is for storage; says whether it did."""
        path = scope["path"]
        if path.startswith("/admin/") and host in _LOOPBACK:
            await self._admin(scope, receive, send)
            return True
        account = answer_account_request(scope["method"], path)
        if account is not None:
            await send_json(send, 200, account)
            return True
        if scope["method"] == "POST" and path == "/v2/entries:list":
            request = json.loads(await read_body(receive) or b"{}")
            names = request.get("resourceNames") or ["projects/-"]
            project = str(names[0]).partition("/")[2] or "-"
            await send_json(send, 200, list_entries(self._logbook, request, project))
            return True
        if "aiplatform" in host or self._rest.find(scope["method"], _raw(scope)) is not None:
            await self._rest(scope, receive, send)
            return True
        if host in _LOOPBACK or "storage" in host or host == "www.googleapis.com":
            return False
        raise ApiError(
            "UNIMPLEMENTED",
            f"{host} is not emulated by Local Vertex ({scope['method']} {path}).",
        )


def _raw(scope: Scope) -> str:
    return str(scope["raw_path"].decode("latin-1").partition("?")[0])
