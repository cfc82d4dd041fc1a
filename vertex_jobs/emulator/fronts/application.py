"""The ASGI application behind every HTTP connection: it finds the API of a request.

Browsers are kept out: a request that carries an Origin, comes from another site's page, or whose
Host is neither loopback nor a Google API's is refused, so that no web page can drive the emulator.
"""

import json
import re
from collections.abc import Mapping

from vertex_jobs.emulator.asgi import (
    AsgiApplication,
    Receive,
    Scope,
    Send,
    headers_of,
    read_body,
    send_json,
)
from vertex_jobs.emulator.fronts.calls import HoldPolicy
from vertex_jobs.emulator.fronts.hosts import api_of, is_google_host
from vertex_jobs.emulator.fronts.own_faults import OwnFaults
from vertex_jobs.emulator.fronts.rest import RestFront
from vertex_jobs.emulator.services.accounts import AccountService
from vertex_jobs.emulator.services.log_service import LogService
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.headers import POSITION_HEADER, WAIT_HEADER

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
#: Paths of the API, where the host does not say which is meant. Storage has none such of its own;
#: a bucket that is named so is reached by the host of storage alone.
_VERSIONED = re.compile(r"/v\d+((alpha|beta)\d+)?/")


class Application:
    """Routes by host and path; the storage service gets what belongs to no other API."""

    def __init__(
        self,
        rest: RestFront,
        storage: AsgiApplication,
        admin: AsgiApplication,
        accounts: AccountService,
        logs: LogService,
        hold: HoldPolicy,
        faults: OwnFaults,
    ) -> None:
        self._rest = rest
        self._storage = storage
        self._admin = admin
        self._accounts = accounts
        self._logs = logs
        self._hold = hold
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        headers = headers_of(scope)
        changes = self._faults.changes()
        host = headers.get("host", "")
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        try:
            if _from_a_page(headers) or not (name in _LOOPBACK or is_google_host(name)):
                raise ApiError(
                    "PERMISSION_DENIED",
                    f"Local Vertex answers programs on this machine, not pages (Host {host!r}).",
                )
            if not await self._answer(scope, receive, send, name):
                await self._storage(scope, receive, send)
        except ApiError as error:
            await send_json(send, error.http_status, error.to_json())
        except Exception as error:
            fault = self._faults.answer(error, changes)
            await send_json(send, fault.http_status, fault.to_json())

    async def _answer(self, scope: Scope, receive: Receive, send: Send, host: str) -> bool:
        """Answer unless the request is for storage; return whether it was answered."""
        path = scope["path"]
        api = "any" if host in _LOOPBACK else api_of(host)
        if not api:
            raise ApiError(
                "UNIMPLEMENTED",
                f"{host} is not emulated by Local Vertex ({scope['method']} {path}).",
            )
        if path.startswith("/admin/") and host in _LOOPBACK:
            await self._admin(scope, receive, send)
            return True
        if AccountService.takes(path):
            body = await read_body(receive)
            await send_json(send, 200, self._accounts.answer(scope["method"], path, body))
            return True
        if scope["method"] == "POST" and path == "/v2/entries:list":
            await self._list_entries(scope, receive, send)
            return True
        of_rest = self._rest.find(scope["method"], _raw(scope)) is not None
        if of_rest or api == "aiplatform" or (api == "any" and _VERSIONED.match(path)):
            await self._rest(scope, receive, send)
            return True
        if api in ("any", "storage", "www"):
            return False
        raise ApiError(
            "UNIMPLEMENTED",
            f"{scope['method']} {path} of {host} is not emulated by Local Vertex.",
        )

    async def _list_entries(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with log entries, held until there is a line that the caller does not know."""
        try:
            request = json.loads(await read_body(receive) or b"{}")
        except json.JSONDecodeError as error:
            raise ApiError("INVALID_ARGUMENT", f"Invalid JSON payload received. {error}") from error
        seen = headers_of(scope).get(WAIT_HEADER, "")
        if seen:
            await self._logs.wait(request, seen, self._hold.seconds)
        position = self._logs.position
        entries = self._logs.list_entries(request)
        await send_json(send, 200, entries, [(POSITION_HEADER, position)])


def _from_a_page(headers: Mapping[str, str]) -> bool:
    """Return whether a browser sends this for a page that is not ours, even to load a picture."""
    return "origin" in headers or headers.get("sec-fetch-site", "none") not in (
        "none",
        "same-origin",
    )


def _raw(scope: Scope) -> str:
    return str(scope["raw_path"].decode("latin-1").partition("?")[0])
