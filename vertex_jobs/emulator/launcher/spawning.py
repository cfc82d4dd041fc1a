"""Start a program as the leader of its own session, for the launcher process.

It knows what every child needs (streams, default signals, an end with its parent), and the
command lines of fresh replicas and warm parents. It keeps no account of what it started.
"""

import json
import os
import signal
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from vertex_jobs.emulator.launcher import bootstrap, framing, linux, own_view

_FOLDER = Path(__file__).parent


def spawn(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    output: int,
    errors: int,
    inherited: int | None = None,
    may_mount: bool = False,
    shown: Mapping[str, str] | None = None,
) -> int:
    """Start a program and return its process id.

    A program that cannot be started ends with code 128 and says so on its own error stream. The
    command begins with an absolute path; the environment is all that it gets. ``output`` and
    ``errors`` become its streams and stay open here, ``inherited`` it keeps under the same number.
    With ``may_mount`` it keeps the launcher's right to mount file systems. ``shown`` has
    the places, by folder, where the program alone sees each.
    """
    own_pid = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            linux.die_with_parent(own_pid)
            if shown:
                _show(shown, errors)
            if may_mount:
                linux.keep_capabilities_over_exec()
            if inherited is not None:
                os.set_inheritable(inherited, True)
            _exec(command, environment, output, errors)
        finally:
            os._exit(bootstrap.CANNOT_START)
    return pid


def _show(folders: Mapping[str, str], errors: int) -> None:
    try:
        own_view.show(folders)
    except OSError as error:
        places = " and ".join(folders.values())
        os.write(errors, f"There can be no {places} here: {error.strerror}\n".encode())
        raise


def _exec(
    command: Sequence[str], environment: Mapping[str, str], output: int, errors: int
) -> NoReturn:
    signal.set_wakeup_fd(-1)
    for signum in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if signal.getsignal(signum) is not None:
            signal.signal(signum, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(errors, 2)
    try:
        os.execve(command[0], list(command), dict(environment))
    except OSError as error:
        os.write(2, f"cannot start {command[0]!r}: {error.strerror}\n".encode())
        os._exit(bootstrap.CANNOT_START)


def has_own_thread_limit(environment: Mapping[str, str]) -> bool:
    """Return whether a replica asks for other thread limits than a warm parent has."""
    return any(
        environment.get(name, limit) != limit for name, limit in bootstrap.THREAD_LIMITS.items()
    )


def spawn_fresh(
    replica: Mapping[str, Any], output: int, errors: int, shown: Mapping[str, str] | None = None
) -> int:
    """Start a replica as a process of its own, see ``spawn``; return its process id."""
    environment = replica["environment"]
    start = {
        "module": replica["module"],
        "search_path": replica["search_path"],
        "working_directory": replica["working_directory"],
        "preload": replica["preload"],
        "command": replica["command"],
        "hidden": [name for name in bootstrap.THREAD_LIMITS if name not in environment],
    }
    command = [
        replica["interpreter"],
        str(_FOLDER / "bootstrap.py"),
        json.dumps(start),
        replica["module"],
        *replica["arguments"],
    ]
    environment = {**bootstrap.THREAD_LIMITS, **environment}
    return spawn(command, environment, output=output, errors=errors, shown=shown)


def spawn_warm_parent(
    interpreter: str, preload: Sequence[str], environment: Mapping[str, str]
) -> tuple[int, framing.Channel]:
    """Start a warm parent; return its process id and the channel to it."""
    ours, theirs = socket.socketpair()
    nothing = os.open(os.devnull, os.O_WRONLY)
    command = [interpreter, str(_FOLDER / "warm_parent.py"), str(theirs.fileno()), *preload]
    try:
        pid = spawn(
            command,
            {**environment, **bootstrap.THREAD_LIMITS},
            output=nothing,
            errors=nothing,
            inherited=theirs.fileno(),
        )
    finally:
        os.close(nothing)
        theirs.close()
    return pid, framing.Channel(ours)
