"""Nothing survives its group, launcher or server, and nothing lands on the host."""

import asyncio
import contextlib
import os
import select
import signal
import subprocess
import sys
import textwrap
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from launcher_runs import run_module, run_replica, spec, with_launcher

from vertex_jobs.emulator.launcher.launcher_client import Launcher
from vertex_jobs.emulator.launcher.launcher_values import Exit

ROOTS = pytest.mark.parametrize("private_root", [True, False], ids=["private", "host"])
WARM = pytest.mark.parametrize("warm", [True, False], ids=["warm", "fresh"])
_PATIENCE_SECONDS = 60

#: A replica with a child in its group and one that left it; both say that they are there.
FAMILY = """
    import os, signal, subprocess, sys
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for left in (False, True):
        child = subprocess.Popen(
            [sys.executable, "-c", "print('child', flush=True); import time; time.sleep(600)"],
            start_new_session=left,
        )
    print("parent", flush=True)
    signal.pause()
    signal.pause()
"""

#: A server that does nothing but hold a launcher with one such family.
SERVER = """
    import asyncio, os, sys
    from pathlib import Path
    from launcher_runs import spec
    from vertex_jobs.emulator.launcher.launcher_client import Launcher

    async def serve():
        folder = Path(sys.argv[1])
        launcher = await Launcher.start(folder, private_root=sys.argv[2] == "True")
        environment = {"PATH": os.environ["PATH"], "MARK": sys.argv[3]}
        one = spec(folder, (folder / "family.py").read_text(), environment=environment,
                   warm=sys.argv[4] == "True")
        lines = asyncio.Queue()
        replica = await launcher.launch(one, lambda *line: lines.put_nowait(line))
        for _ in range(3):
            await lines.get()
        print("up", flush=True)
        await replica.wait()

    asyncio.run(serve())
"""

#: It writes without Python's buffers, which a handler may not enter twice.
LISTENING_CHILD = r"""
    import os, signal
    signal.signal(signal.SIGUSR1, lambda *_: (os.write(1, b"heard\n"), os._exit(0)))
    os.write(1, b"child\n")
    while True:
        signal.pause()
"""


def marked(mark: str) -> list[int]:
    """Processes, as the host numbers them, that have the mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def pidfds(mark: str, but: bytes | None = None) -> list[int]:
    """Descriptors of the marked processes, except those with ``but`` in their command line."""
    descriptors = []
    for pid in marked(mark):
        with contextlib.suppress(OSError):  # it ended meanwhile
            if but is None or but not in Path(f"/proc/{pid}/cmdline").read_bytes():
                descriptors.append(os.pidfd_open(pid))
    return descriptors


def wait_for_end(descriptors: list[int]) -> bool:
    """Whether all processes, given by pidfd, end."""
    for descriptor in descriptors:
        readable, _, _ = select.select([descriptor], [], [], _PATIENCE_SECONDS)
        os.close(descriptor)
        if not readable:
            return False
    return True


@pytest.fixture
def mark() -> Iterator[str]:
    mark = uuid.uuid4().hex
    yield mark
    for pid in marked(mark):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@ROOTS
@WARM
def test_nothing_survives_a_killed_server(
    tmp_path: Path, mark: str, private_root: bool, warm: bool
) -> None:
    (tmp_path / "family.py").write_text(textwrap.dedent(FAMILY))
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
    server = subprocess.Popen(
        [
            *(sys.executable, "-c", textwrap.dedent(SERVER)),
            *(str(tmp_path), str(private_root), mark, str(warm)),
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
    )
    assert server.stdout is not None
    with server.stdout:
        assert server.stdout.readline() == b"up\n"
        family = pidfds(mark)
        server.kill()
        server.wait()
    assert len(family) >= 3
    assert wait_for_end(family)
    assert marked(mark) == []


@ROOTS
def test_closing_ends_everything_at_once(tmp_path: Path, mark: str, private_root: bool) -> None:
    environment = {"PATH": os.environ["PATH"], "MARK": mark}
    endings: list[Exit] = []

    async def body(launcher: Launcher) -> None:
        lines: asyncio.Queue[bytes] = asyncio.Queue()
        replica = await launcher.launch(
            spec(tmp_path, FAMILY, environment=environment),
            lambda stream, line, time: lines.put_nowait(line),
        )
        for _ in range(3):
            await lines.get()
        await launcher.close()
        endings.append(await replica.wait())

    with_launcher(tmp_path, body, private_root=private_root)
    assert (endings, marked(mark)) == ([Exit(None, signal.SIGKILL)], [])


@ROOTS
@WARM
def test_a_signal_reaches_the_whole_group(tmp_path: Path, private_root: bool, warm: bool) -> None:
    (tmp_path / "child.py").write_text(textwrap.dedent(LISTENING_CHILD))
    source = """
        import signal, subprocess, sys
        signal.signal(signal.SIGUSR1, lambda *_: None)
        subprocess.run([sys.executable, "child.py"])
        """
    heard: list[bytes] = []

    async def body(launcher: Launcher) -> None:
        lines: asyncio.Queue[bytes] = asyncio.Queue()
        replica = await launcher.launch(
            spec(tmp_path, source, warm=warm), lambda stream, line, time: lines.put_nowait(line)
        )
        heard.append(await lines.get())
        replica.send_signal(signal.SIGUSR1)
        heard.append(await lines.get())
        assert await replica.wait() == Exit(0, None)

    with_launcher(tmp_path, body, private_root=private_root)
    assert heard == [b"child", b"heard"]


@ROOTS
@WARM
def test_what_a_replica_leaves_in_its_group_is_ended(
    tmp_path: Path, mark: str, private_root: bool, warm: bool
) -> None:
    source = """
        import subprocess, sys
        code = "print('here', flush=True); import time; time.sleep(600)"
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        child.stdout.readline()
        """
    environment = {"PATH": os.environ["PATH"], "MARK": mark}

    async def body(launcher: Launcher) -> None:
        run = await run_replica(
            launcher, spec(tmp_path, source, environment=environment, warm=warm)
        )
        assert run.exit == Exit(0, None)
        assert wait_for_end(pidfds(mark, but=b"warm_parent"))

    with_launcher(tmp_path, body, private_root=private_root)


@ROOTS
def test_a_launcher_that_is_killed_takes_its_replicas_along(
    tmp_path: Path, private_root: bool
) -> None:
    async def body(launcher: Launcher) -> None:
        lines: asyncio.Queue[bytes] = asyncio.Queue()
        source = "print('up', flush=True); import time; time.sleep(600)"
        replica = await launcher.launch(
            spec(tmp_path, source), lambda stream, line, time: lines.put_nowait(line)
        )
        await lines.get()
        process = os.pidfd_open(replica.pid)
        os.kill(launcher.pid, signal.SIGKILL)
        assert await replica.wait() == Exit(None, signal.SIGKILL)
        assert wait_for_end([process])

    with_launcher(tmp_path, body, private_root=private_root)


def test_a_launch_that_nobody_waits_for_is_killed(tmp_path: Path, mark: str) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "slow_library.py").write_text(
        "from pathlib import Path\n"
        f"Path({str(tmp_path / 'importing')!r}).touch()\n"
        f"while not Path({str(tmp_path / 'go')!r}).exists():\n    pass\n"
    )
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(site)}
    one = spec(tmp_path, "open('ran', 'w')", preload=("slow_library",), environment=environment)
    other = spec(tmp_path, "print(1)", preload=("slow_library",), environment=environment)

    async def body(launcher: Launcher) -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(launcher.launch(one, lambda *_: None), 0.01)
        (tmp_path / "go").touch()
        assert (await run_replica(launcher, other)).text("stdout") == "1"

    with_launcher(tmp_path, body)


@WARM
def test_a_folder_made_at_the_top_does_not_land_on_the_host(tmp_path: Path, warm: bool) -> None:
    name = f"/{uuid.uuid4().hex}"
    source = f"import os; os.mkdir({name!r}); print(os.path.isdir({name!r}))"

    async def body(launcher: Launcher) -> None:
        if not launcher.capabilities.private_root:
            pytest.skip(launcher.capabilities.why_not)
        assert (await run_replica(launcher, spec(tmp_path, source, warm=warm))).lines == [
            ("stdout", "True")
        ]

    with_launcher(tmp_path, body)
    assert not os.path.exists(name)


def test_the_private_root_shows_the_hosts(tmp_path: Path) -> None:
    source = """
        import os
        print(sorted((e.name, e.is_symlink() and os.readlink(e.path)) for e in os.scandir("/")))
        """
    host = sorted(
        (entry.name, entry.is_symlink() and os.readlink(entry.path)) for entry in os.scandir("/")
    )
    assert run_module(tmp_path, source).text("stdout") == str(host)


def test_files_made_inside_are_the_users(tmp_path: Path) -> None:
    run_module(tmp_path, "open('made', 'w').write('x')")
    made = (tmp_path / "made").stat()
    assert (made.st_uid, made.st_gid) == (os.geteuid(), os.getegid())


def test_a_place_that_is_not_mounted_takes_no_files(tmp_path: Path) -> None:
    async def body(launcher: Launcher) -> None:
        if not launcher.capabilities.private_root:
            pytest.skip(launcher.capabilities.why_not)
        run = await run_replica(launcher, spec(tmp_path, "open('/gcs/lost', 'w')"))
        assert run.text("stderr").endswith("Read-only file system: '/gcs/lost'")

    with_launcher(tmp_path, body, gcs_store=tmp_path)


def test_without_namespaces_the_reason_and_the_remedy_are_given(tmp_path: Path) -> None:
    # In a user namespace that maps no user, nothing more may be unshared.
    program = f"""
        import asyncio
        from pathlib import Path
        from vertex_jobs.emulator.launcher import linux
        from vertex_jobs.emulator.launcher.launcher_client import Launcher

        async def main():
            launcher = await Launcher.start(Path({str(tmp_path)!r}), gcs_store=Path("/tmp"))
            print(launcher.capabilities.private_root, launcher.capabilities.why_not)
            try:
                await launcher.ensure_gcs_mount()
            except Exception as error:
                print(error)
            await launcher.close()

        try:
            linux.unshare(linux.NEW_USER)
        except OSError as error:
            print("skip", error)
        else:
            asyncio.run(main())
        """
    tmp_path.chmod(0o777)
    finished = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    if finished.stdout.startswith("skip"):
        pytest.skip(finished.stdout)
    capabilities, refusal = finished.stdout.splitlines()
    assert capabilities.startswith("False no private root here (unshare: Operation not permitted")
    assert refusal.startswith("/gcs cannot be mounted: no private root here (unshare")
    assert "kernel.unprivileged_userns_clone=1" in refusal


#: Daemons of both kinds: one that is another program, one that is a fork and no more.
DAEMONS = """
    import os, subprocess, sys, time
    kept = open("held", "w")
    subprocess.Popen(["sleep", "600"], start_new_session=True, cwd="/")
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        os.write(write, b"x")
        if os.fork():
            os._exit(0)
        time.sleep(600)
    os.read(read, 1)
    if sys.argv[1] == "killed":
        os.kill(os.getpid(), 9)
"""


@ROOTS
@WARM
@pytest.mark.parametrize("end", ["done", "killed"])
def test_daemons_end_with_their_replica(
    tmp_path: Path, private_root: bool, warm: bool, end: str
) -> None:
    host_name = uuid.uuid4().hex
    os.mkfifo(tmp_path / "held")
    held = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    left: list[tuple[list[int], bytes]] = []

    async def body(launcher: Launcher) -> None:
        environment = {"PATH": os.environ["PATH"], "HOSTNAME": host_name}
        one = spec(tmp_path, DAEMONS, environment=environment, warm=warm, arguments=(end,))
        await run_replica(launcher, one)
        left.append((marked(host_name), os.read(held, 1)))  # would block with a writer

    with_launcher(tmp_path, body, private_root=private_root)
    os.close(held)
    assert left == [([], b"")]
