"""The types of ASGI, the interface between the HTTP server and the applications behind it."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

__all__ = ["AsgiApplication", "Message", "Receive", "Scope", "Send"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApplication = Callable[[Scope, Receive, Send], Awaitable[None]]
