"""Loopback ports for the servers that replicas start themselves.

For the preparation of replicas, which writes them into TF_CONFIG and CLUSTER_SPEC. Nothing listens
on a reserved port: the script does. A reservation is known to every Local Vertex of this machine,
so that two jobs never get the same port, whichever servers they run under.
"""

import contextlib
import errno
import random
import socket
from collections.abc import Iterator
from pathlib import Path

from vertex_jobs.errors import UnsupportedHereError

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
#: Linux's default of that file.
_DEFAULT_RANGE = (32768, 60999)
#: Well-known services and what developers start by hand mostly lie below.
_LOWEST = 15000
_MOST_TRIES = 2000


def candidate_ports(ephemeral: tuple[int, int]) -> range:
    """Return the ports that the kernel gives to nobody by itself.

    A port out of the kernel's own range, ``ephemeral`` (first and last), would be free when it is
    found and taken, by any outgoing connection, before the script binds it.
    """
    first, last = ephemeral
    below, above = range(_LOWEST, first), range(last + 1, 65536)
    return max(below, above, key=len) or range(_LOWEST, 65536)


class Ports:
    """Hands out ports, none of them twice at a time."""

    def __init__(self, choice: random.Random | None = None) -> None:
        self._choice = choice or random.Random()

    @contextlib.contextmanager
    def reserve(self, count: int) -> Iterator[list[int]]:
        """Reserve so many ports, kept from every other reservation until the context ends.

        Raises:
            UnsupportedHereError: If no free port is found.
        """
        candidates = candidate_ports(_ephemeral())
        with contextlib.ExitStack() as kept:
            ports: list[int] = []
            for _ in range(_MOST_TRIES if count else 0):
                port = self._choice.choice(candidates)
                claim = _claim(port)
                if claim is None:
                    continue
                kept.enter_context(claim)
                if _is_free(port):
                    ports.append(port)
                if len(ports) == count:
                    break
            if len(ports) < count:
                raise UnsupportedHereError(
                    f"{count} free loopback ports were wanted between {candidates.start} and "
                    f"{candidates.stop - 1}, {len(ports)} were found; end what listens there"
                )
            yield ports


def _ephemeral() -> tuple[int, int]:
    try:
        first, last = map(int, _RANGE.read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return _DEFAULT_RANGE
    return first, last


def _claim(port: int) -> socket.socket | None:
    """Mark the port as taken, until its holder ends; return None if it is taken.

    An abstract name, of the same network namespace as the port, that no file stands for.
    """
    mark = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        mark.bind(f"\0vertex-jobs-port-{port}")
    except OSError:
        mark.close()
        return None
    return mark


def _is_free(port: int) -> bool:
    """Return whether a server could bind the port on every address of this machine."""
    families = [(socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")]
    for family, address in families if socket.has_ipv6 else families[:1]:
        try:
            with socket.socket(family, socket.SOCK_STREAM) as trial:
                if family == socket.AF_INET6:
                    trial.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                trial.bind((address, port))
        except OSError as error:
            if family == socket.AF_INET6 and error.errno != errno.EADDRINUSE:
                continue  # IPv6 is compiled in and turned off
            return False
    return True
