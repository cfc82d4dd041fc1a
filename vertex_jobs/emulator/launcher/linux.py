"""The few Linux calls for which Python 3.10 has no name, through the C library.

For the launcher process and the warm parents, which load this file by its path; so it imports
nothing of this project and runs on Python 3.9. It decides nothing: every call raises OSError.

Source: the Linux manual pages mount(2), unshare(2), pivot_root(2), prctl(2) and capget(2).
"""

from __future__ import annotations

import ctypes
import os
import signal

NEW_MOUNTS = 0x00020000
NEW_USER = 0x10000000
NEW_PIDS = 0x20000000

MOUNT_READ_ONLY = 1
MOUNT_NOSUID = 2
MOUNT_NODEV = 4
MOUNT_NOEXEC = 8
MOUNT_BIND = 4096
MOUNT_RECURSIVE = 16384
MOUNT_UNBINDABLE = 1 << 17
MOUNT_PRIVATE = 1 << 18
MOUNT_SLAVE = 1 << 19
_UNMOUNT_DETACH = 2

_SET_DEATH_SIGNAL = 1
_SET_CHILD_SUBREAPER = 36
_CAP_AMBIENT = 47
_CAP_AMBIENT_RAISE = 2
_CAP_SYS_ADMIN = 21
_CAPABILITY_VERSION_3 = 0x20080522

_LIBC = ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object) -> None:
    if getattr(_LIBC, name)(*arguments) == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _prctl(option: int, *arguments: int) -> None:
    padded = [*arguments, 0, 0, 0, 0][:4]
    _call("prctl", option, *(ctypes.c_ulong(argument) for argument in padded))


def become_subreaper() -> None:
    """Adopt orphaned descendants instead of leaving them to the system's first process."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """End this process by SIGKILL when its parent ends; survives exec.

    The kernel watches the parent's *thread*, so the parent must be single-threaded. ``parent`` is
    its number as this process sees it, to notice one that is gone already; 0 when it is outside
    the PID namespace.
    """
    _prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def signal_group(leader: int, signum: int) -> None:
    """Signal a child that leads a process group, and all of the group.

    The child must not be reaped yet, so that its number is still its own. It may not have come so
    far as to lead a group.
    """
    try:
        os.killpg(leader, signum)
    except ProcessLookupError:
        os.kill(leader, signum)


def unshare(flags: int) -> None:
    """Leave the namespaces named by ``flags`` for new ones."""
    _call("unshare", flags)


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Mount a file system, bind a folder, or change a mount's propagation."""
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    try:
        _call("mount", *encoded, ctypes.c_ulong(flags), os.fsencode(options))
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}", target) from error


def unmount(target: str) -> None:
    """Detach a mount now; it goes away when nobody uses it any more."""
    _call("umount2", os.fsencode(target), _UNMOUNT_DETACH)


def pivot_root(new_root: str, put_old: str) -> None:
    """Make ``new_root`` the root folder and move the old one to ``put_old``."""
    _call("pivot_root", os.fsencode(new_root), os.fsencode(put_old))


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilitySets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def keep_capabilities_over_exec() -> None:
    """Let the next program mount file systems though its user is not root.

    Only within the user namespace that this process owns: ``/gcs`` is mounted by it.
    """
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    sets = (_CapabilitySets * 2)()
    _call("capget", ctypes.byref(header), sets)
    sets[0].inheritable |= 1 << _CAP_SYS_ADMIN
    _call("capset", ctypes.byref(header), sets)
    _prctl(_CAP_AMBIENT, _CAP_AMBIENT_RAISE, _CAP_SYS_ADMIN)
