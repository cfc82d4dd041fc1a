"""A launcher that is lost comes back, and no replica can end it."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
from launcher_runs import run_module, run_replica, spec, with_launcher

from vertex_jobs import errors
from vertex_jobs.emulator.environments.commands import CommandRunner
from vertex_jobs.emulator.launcher.launcher_client import Launcher
from vertex_jobs.emulator.launcher.launcher_values import Exit
from vertex_jobs.emulator.storage.objects import ObjectStore

ROOTS = pytest.mark.parametrize("private_root", [True, False], ids=["private", "host"])
WARM = pytest.mark.parametrize("warm", [True, False], ids=["warm", "fresh"])
#: Says that it is there, then waits.
SLEEPER = "print('up', flush=True); import time; time.sleep(600)"
#: Holds a port, as a replica's own server does, and waits.
HOLDER = """
    import socket, sys, time
    listening = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    print("up", flush=True)
    if len(sys.argv) < 3:
        time.sleep(600)
"""


@ROOTS
@WARM
def test_what_ran_is_lost_and_what_comes_next_runs(
    tmp_path: Path, private_root: bool, warm: bool
) -> None:
    async def body(launcher: Launcher) -> None:
        lines: asyncio.Queue[bytes] = asyncio.Queue()
        for number in range(3):
            replica = await launcher.launch(
                spec(tmp_path, SLEEPER, warm=warm),
                lambda stream, line, time: lines.put_nowait(line),
            )
            await lines.get()
            os.kill(launcher.pid, signal.SIGKILL)
            assert await replica.wait() == Exit(None, signal.SIGKILL)
            done = await run_replica(launcher, spec(tmp_path, f"print({number})", warm=warm))
            assert done.text("stdout") == str(number)

    with_launcher(tmp_path, body, private_root=private_root)


@ROOTS
def test_the_places_of_lost_replicas_are_free_when_their_end_is_told(
    tmp_path: Path, private_root: bool
) -> None:
    port = "23457"

    async def body(launcher: Launcher) -> None:
        lines: asyncio.Queue[bytes] = asyncio.Queue()
        replica = await launcher.launch(
            spec(tmp_path, HOLDER, arguments=(port,)),
            lambda stream, line, time: lines.put_nowait(line),
        )
        await lines.get()
        os.kill(launcher.pid, signal.SIGKILL)
        await replica.wait()
        again = await run_replica(launcher, spec(tmp_path, HOLDER, arguments=(port, "once")))
        assert (again.text("stdout"), again.exit) == ("up", Exit(0, None))

    with_launcher(tmp_path, body, private_root=private_root)


def test_launches_on_their_way_are_tried_again(tmp_path: Path) -> None:
    async def body(launcher: Launcher) -> None:
        one = spec(tmp_path, "print(1)")
        runs = [asyncio.create_task(run_replica(launcher, one)) for _ in range(8)]
        await asyncio.sleep(0)
        os.kill(launcher.pid, signal.SIGKILL)
        # Those that had started are lost, and no others.
        ends = [(run.exit, run.text("stdout")) for run in await asyncio.gather(*runs)]
        assert {end for end in ends if end[0].signal is None} <= {(Exit(0, None), "1")}
        assert (await run_replica(launcher, one)).text("stdout") == "1"

    with_launcher(tmp_path, body)


def test_a_launcher_that_was_closed_stays_so(tmp_path: Path) -> None:
    async def body(launcher: Launcher) -> None:
        await launcher.close()
        with pytest.raises(errors.EndpointLostError, match="the launcher process is gone"):
            await launcher.launch(spec(tmp_path, SLEEPER), lambda *_: None)

    with_launcher(tmp_path, body)


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGCHLD", "SIGKILL"])
def test_no_signal_of_a_replicas_ends_a_private_launcher(tmp_path: Path, number: str) -> None:
    source = f"""
        import os, signal, time
        os.kill(1, signal.{number})
        os.kill(os.getppid(), signal.{number})
        time.sleep(0.2)
        print("alive", signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    """
    assert run_module(tmp_path, source, warm=False).text("stdout") == "alive True"


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"])
def test_no_signal_but_the_last_ends_a_launcher_beside_its_replicas(
    tmp_path: Path, number: str
) -> None:
    source = f"""
        import os, signal, time
        os.kill(os.getppid(), signal.{number})
        time.sleep(0.2)
        print("alive")
    """
    done = run_module(tmp_path, source, warm=False, private_root=False)
    assert done.text("stdout") == "alive"


def test_a_command_whose_machine_is_lost_is_run_again(tmp_path: Path) -> None:
    once = f"test -e {tmp_path}/mark || {{ touch {tmp_path}/mark; kill -9 $$; }}"

    async def body(launcher: Launcher) -> None:
        run, said = CommandRunner(launcher, tmp_path / "folder"), list[str]()
        codes = [
            await run(["sh", "-c", f"echo begun; {script}"], os.environ, said.append)
            for script in (once, "exit 3", "kill -9 $$")
        ]
        assert (codes, len(said)) == ([0, 3, 137], 2 + 1 + 3)

    with_launcher(tmp_path, body)


#: Reads an object through the mount, for as long as a mount needs to come back.
READER = """
    import time
    for _ in range(200):
        try:
            print(open("/gcs/bucket/object").read())
            break
        except OSError:
            time.sleep(0.05)
"""


def mounting_process(store: Path) -> int:
    """The process that serves the mount of that store."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if str(store).encode() in words and b"--mountpoint" in words:
                return int(entry.name)
    raise AssertionError("nobody serves the mount")


@pytest.mark.parametrize("lost", ["launcher", "mount"])
def test_gcs_comes_back(tmp_path: Path, lost: str) -> None:
    store = tmp_path / "objects"
    objects = ObjectStore(store, create_buckets=True)
    objects.write("bucket", "object", b"content")

    async def body(launcher: Launcher) -> None:
        if not launcher.capabilities.gcs_mount:
            pytest.skip(launcher.capabilities.why_not)
        await launcher.ensure_gcs_mount()
        for _ in range(2):
            os.kill(launcher.pid if lost == "launcher" else mounting_process(store), signal.SIGKILL)
            while (run := await run_replica(launcher, spec(tmp_path, READER))).exit.signal:
                pass  # it was started by the launcher that was just being killed
            assert run.text("stdout") == "content"

    with_launcher(tmp_path, body, gcs_store=store)
    objects.close()
