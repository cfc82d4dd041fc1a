"""What other users of the machine can reach of a Local Vertex whose starter was careless.

The state directory was there already, open to everybody, and the starter's umask takes nothing
from what he makes.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from vertex_jobs import local
from vertex_jobs.emulator.joining import LocalServer, join

NOBODY = 65534
#: Prints what another user can open or connect to below a folder.
INTRUDER = """
import os, socket, sys
folder, user = sys.argv[1], int(sys.argv[2])
paths = [os.path.join(at, name) for at, folders, files in os.walk(folder) for name in files]
os.setgid(user); os.setuid(user)
for path in paths:
    try:
        if path.endswith(".sock"):
            socket.socket(socket.AF_UNIX).connect(path)
        else:
            open(path, "rb").close()
    except OSError:
        continue
    print(os.path.relpath(path, folder))
"""
#: Says what it may do to files that it makes.
SCRIPT = "import os; before = os.umask(0); print(f'umask {before:03o}', flush=True)\n"


def vertex_jobs(umask: int, *words: object) -> None:
    """Run a command of ours under a umask."""
    done = subprocess.run(
        [sys.executable, "-m", "vertex_jobs", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=100,
        umask=umask,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module", params=[0o000, 0o002], ids=["umask-000", "umask-002"])
def umask(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def server(umask: int) -> Iterator[LocalServer]:
    """One that was started by a command under that umask, in a directory of mode 0755."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        state = Path(folder) / "state"
        state.mkdir()
        state.chmod(0o755)
        config = Path(folder) / "job.yaml"
        config.write_text("kind: custom_job\ndisplay_name: open\nscript_path: train.py\n")
        (Path(folder) / "train.py").write_text(SCRIPT)
        vertex_jobs(umask, "run", config, "--state-dir", state)
        joined = join(state)
        yield joined
        joined.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_they_reach_nothing(server: LocalServer) -> None:
    words = [sys.executable, "-c", INTRUDER, str(server.directory.path), str(NOBODY)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=100)
    assert done.stdout.splitlines() == []


def test_no_call_comes_past_the_port(server: LocalServer) -> None:
    """Not even one of our own: at the port every connection's user is looked at."""
    with grpc.insecure_channel(f"unix:{server.directory.path / 'grpc-plain.sock'}") as channel:
        call = channel.unary_unary("/google.cloud.aiplatform.v1.JobService/ListCustomJobs")
        with pytest.raises(grpc.RpcError) as refused:
            call(b"", timeout=10)
    assert refused.value.code() == grpc.StatusCode.PERMISSION_DENIED


def test_what_the_server_writes_is_its_owners_alone(server: LocalServer) -> None:
    state = server.directory.path
    written = [path for path in state.rglob("*") if "work" not in path.parts[len(state.parts) :]]
    modes = {str(path.relative_to(state)): path.lstat().st_mode & 0o777 for path in written}
    wide = {name: f"{mode:o}" for name, mode in modes.items() if mode & 0o077}
    assert wide == {}
    assert f"{state.stat().st_mode & 0o777:o}" == "700"


def test_replicas_have_the_umask_of_the_starter(server: LocalServer, umask: int) -> None:
    (log,) = [path for path in (server.directory.path / "logs").iterdir() if path.is_file()]
    assert f"umask {umask:03o}" in log.read_text()


def test_what_a_person_asks_for_has_his_own_umask(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    config = tmp_path / "job.yaml"
    config.write_text("kind: custom_job\ndisplay_name: mine\nscript_path: train.py\n")
    vertex_jobs(0o027, "package", config, "--output", tmp_path / "out")
    assert {f"{path.stat().st_mode & 0o777:o}" for path in (tmp_path / "out").iterdir()} == {"640"}


def test_a_directory_of_mode_0777_is_closed_when_it_is_joined(tmp_path: Path) -> None:
    endpoint = local(state_dir=tmp_path)
    tmp_path.chmod(0o777)
    local(state_dir=tmp_path).close()
    closed = tmp_path.stat().st_mode & 0o777
    endpoint.server.stop()
    assert closed == 0o700
