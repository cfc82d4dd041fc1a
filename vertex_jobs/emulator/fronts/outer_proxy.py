"""The user's own proxy, for connections that the emulator passes on to the network.

The environment-only mode takes the place of the proxy that a program would use; hosts other than
Google's are reached through that proxy, as its variables say.
"""

import base64
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

_DEFAULT_PORT = 3128


@dataclass(frozen=True)
class OuterProxy:
    """A proxy and the hosts that are reached without it.

    Attributes:
        url: E.g. ``http://user:password@proxy:3128``; empty for none.
        exceptions: The hosts, as ``no_proxy`` lists them.
    """

    url: str = ""
    exceptions: str = ""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], own_port: int) -> "OuterProxy":
        """Return the proxy that ``https_proxy`` and ``no_proxy`` name, in either case.

        A server that a program starts under that server's own variables would be its own proxy,
        at ``own_port``; it has none.
        """

        def value(name: str) -> str:
            return environ.get(name) or environ.get(name.upper()) or ""

        url = value("https_proxy")
        if url and "://" not in url:
            url = f"http://{url}"
        if url == f"http://127.0.0.1:{own_port}":
            url = ""
        return cls(url, value("no_proxy"))

    def address(self, host: str) -> tuple[str, int] | None:
        """Return the address of the proxy for a host; None if the host is reached without one."""
        exceptions = {"no": self.exceptions}
        if not self.url or urllib.request.proxy_bypass_environment(host, exceptions):  # type: ignore[attr-defined]
            return None
        parts = urlsplit(self.url)
        return parts.hostname or "", parts.port or _DEFAULT_PORT

    def request(self, host: str, port: int) -> bytes:
        """Return the CONNECT request for a host, with the credentials of the proxy's URL."""
        host = f"[{host}]" if ":" in host else host
        lines = [f"CONNECT {host}:{port} HTTP/1.1", f"Host: {host}:{port}"]
        parts = urlsplit(self.url)
        if parts.username:
            words = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            token = base64.b64encode(words.encode()).decode()
            lines.append(f"Proxy-Authorization: Basic {token}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.hostname}:{parts.port or _DEFAULT_PORT}"
