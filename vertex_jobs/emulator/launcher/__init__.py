"""The launcher: a clean process of its own that parents every replica.

For the server. ``client`` is the server's end; ``__main__`` and the modules that it imports are
the process; ``bootstrap`` and ``warm_parent`` run inside the replicas, by path. What a replica is
told, and when a job's replicas start and stop, is up to the server.

The names are loaded on first use, because the launcher process imports this package as well and
has no use for asyncio.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vertex_jobs.emulator.launcher.client import Launcher, Replica
    from vertex_jobs.emulator.launcher.launcher_values import Capabilities, Exit, ReplicaSpec

__all__ = ["Capabilities", "Exit", "Launcher", "Replica", "ReplicaSpec"]

_HOMES = {
    "Capabilities": "launcher_values",
    "Exit": "launcher_values",
    "Launcher": "client",
    "Replica": "client",
    "ReplicaSpec": "launcher_values",
}


def __getattr__(name: str) -> Any:
    """Import the module that holds a public name."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
