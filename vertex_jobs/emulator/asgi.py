"""The types of ASGI, the interface between the HTTP server and the applications behind it."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

__all__ = ["AsgiApplication", "Receive", "Scope", "Send"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
AsgiApplication = Callable[[Scope, Receive, Send], Awaitable[None]]
