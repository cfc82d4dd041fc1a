"""What a script may not do on the way to its parser: reach out, or write where it matters.

An audit hook cannot be taken away again, so nothing gets around it by catching the error.
"""

import os
import socket
import sys
from typing import Any

__all__ = ["ForbiddenError", "install"]

_WRITES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate", "os.link", "os.symlink"}
_STARTS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "pty.spawn"}


class ForbiddenError(BaseException):
    """The script did something that only a job may do."""


def install(scratch: str, *, starts_processes: bool) -> None:
    """From now on nothing leaves the process but files in the scratch folder.

    Args:
        scratch: Where it may write.
        starts_processes: Whether it may start others, as some libraries do when they are loaded.
    """
    allowed = (os.path.realpath(scratch), "/dev/", "/proc/")

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect" and _is_network(arguments[0]):
            raise ForbiddenError("connects to the network")
        if event in _STARTS and not starts_processes:
            raise ForbiddenError("starts another program")
        if event == "open" and not _is_write(arguments):
            return
        if event == "open" or event in _WRITES:
            path = arguments[0]
            if isinstance(path, (str, bytes, os.PathLike)):
                real = os.path.realpath(os.path.abspath(os.fsdecode(path)))
                if not real.startswith(allowed):
                    raise ForbiddenError(f"writes to {os.fsdecode(path)}")

    sys.addaudithook(watch)


def _is_network(connection: Any) -> bool:
    return getattr(connection, "family", None) in (socket.AF_INET, socket.AF_INET6)


def _is_write(arguments: tuple[Any, ...]) -> bool:
    mode, flags = arguments[1], arguments[2]
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))
