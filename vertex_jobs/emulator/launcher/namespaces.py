"""New PID and mount namespaces with a private root folder, for the launcher process.

In a mere mount namespace ``mkdir /gcs`` would land on the host's disk. So the root is a tmpfs of
our own in which every top-level folder of the host appears; what is new at the top level is seen
by the replicas alone and is gone with them. Nothing here knows replicas or what ``/gcs`` holds.

Three processes take part. The *outer* one is what the server started; it only waits for the end.
The *middle* one enters the namespaces, forks and is gone. The *first* process of the new PID
namespace builds the root and becomes the launcher: when it ends, the kernel kills all the others.
"""

import os
import stat
from pathlib import Path
from typing import NoReturn

from vertex_jobs.emulator.launcher import linux

_BUILT = "built"
_REMEDY = (
    "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
    "kernel.apparmor_restrict_unprivileged_userns=0; in a container --cap-add SYS_ADMIN "
    "--security-opt seccomp=unconfined --security-opt systempaths=unconfined)"
)


def enter(scratch: Path, channel: int, *, own_top_level: tuple[str, ...] = ()) -> str:
    """Go on in new namespaces with a private root, or stay and say why.

    On success only the namespaces' first process returns from here. On failure the calling
    process returns, unchanged.

    Args:
        scratch: An empty folder that the private root may be mounted on.
        channel: A descriptor that the outer process must not keep open.
        own_top_level: Names of folders in the private root that are empty and read-only until
            something is mounted there; they hide the host's.

    Returns:
        Empty in the new namespaces; else the reason and the remedy.
    """
    verdict_read, verdict_write = os.pipe()
    go_read, go_write = os.pipe()
    middle = os.fork()
    if middle == 0:
        os.close(verdict_read)
        os.close(go_write)
        _become_first(scratch, own_top_level, verdict_write)
        if not os.read(go_read, 1):  # the outer process is gone already
            os._exit(1)
        linux.die_with_parent(0)
        os.close(go_read)
        return ""
    os.close(verdict_write)
    os.close(go_read)
    os.waitpid(middle, 0)
    with open(verdict_read, encoding="utf-8", errors="replace") as pipe:
        verdict = pipe.read()
    if verdict == _BUILT:
        os.close(channel)
        os.write(go_write, b"!")
        _wait_for_the_end()
    os.close(go_write)
    while _reap_one():
        pass
    return f"{verdict or 'the namespaces died while they were built'}; {_REMEDY}"


def _wait_for_the_end() -> NoReturn:
    """Exit once the first process is gone, and with it, by the kernel's hand, all others."""
    _, status = os.wait()
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _reap_one() -> bool:
    try:
        os.wait()
    except ChildProcessError:
        return False
    return True


def _become_first(scratch: Path, own_top_level: tuple[str, ...], verdict: int) -> None:
    """Turn the middle process into the first one of the namespaces, with its private root."""
    try:
        _unshare()
        # The middle process must be gone before the first one asks to die with its parent.
        if os.fork() != 0:
            os._exit(0)
        _build_root(str(scratch), own_top_level)
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        os.write(verdict, f"no private root here ({error.strerror}{where})".encode())
        os._exit(1)
    os.write(verdict, _BUILT.encode())
    os.close(verdict)


def _unshare() -> None:
    """Enter new namespaces, without a user namespace where that is allowed.

    In a user namespace root may no longer write to files that belong to other users, such as a
    working tree bound into a container. So the real root does without one.
    """
    uid, gid = os.geteuid(), os.getegid()
    flags = linux.NEW_MOUNTS | linux.NEW_PIDS
    try:
        linux.unshare(flags)
    except PermissionError:
        linux.unshare(flags | linux.NEW_USER)
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1", encoding="ascii")


def _build_root(root: str, own_top_level: tuple[str, ...]) -> None:
    recursive_bind = linux.MOUNT_BIND | linux.MOUNT_RECURSIVE
    # Slave: what the host mounts and unmounts later is seen here, and nothing the other way.
    linux.mount(None, "/", None, linux.MOUNT_SLAVE | linux.MOUNT_RECURSIVE)
    linux.mount("vertex-jobs", root, "tmpfs", linux.MOUNT_NOSUID | linux.MOUNT_NODEV, "mode=755")
    # Unbindable: else the folder that holds the new root would bring a copy of it along.
    linux.mount(None, root, None, linux.MOUNT_UNBINDABLE)
    for entry in os.scandir("/"):
        target = os.path.join(root, entry.name)
        if entry.name == "proc" or entry.name in own_top_level:
            continue
        if entry.is_symlink():
            os.symlink(os.readlink(entry.path), target)
            continue
        if entry.is_dir():
            os.mkdir(target, stat.S_IMODE(entry.stat().st_mode))
        else:
            Path(target).touch()
        linux.mount(entry.path, target, None, recursive_bind)
    for name in own_top_level:
        # Read-only: what a script writes before the real mount is there must fail, not be lost.
        folder = os.path.join(root, name)
        os.mkdir(folder)
        linux.mount("vertex-jobs", folder, "tmpfs", linux.MOUNT_READ_ONLY, "mode=555,size=4k")
    os.mkdir(os.path.join(root, "proc"), 0o555)
    # Before the old root goes: the kernel allows a new /proc only while one is wholly visible.
    linux.mount(
        "proc",
        os.path.join(root, "proc"),
        "proc",
        linux.MOUNT_NOSUID | linux.MOUNT_NODEV | linux.MOUNT_NOEXEC,
    )
    os.chdir(root)
    linux.pivot_root(".", ".")  # the old root lies on top of the new one until it is detached
    linux.unmount(".")
    os.chdir("/")
    linux.mount(None, "/", None, linux.MOUNT_PRIVATE)
