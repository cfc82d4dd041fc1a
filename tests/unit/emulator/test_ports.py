import random
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from vertex_jobs.emulator.replicas.ports import Ports, candidate_ports
from vertex_jobs.errors import UnsupportedHereError


@pytest.mark.parametrize(
    ("ephemeral", "ends"),
    [
        ((32768, 60999), (15000, 32767)),
        ((16000, 30000), (30001, 65535)),
        ((1024, 65535), (15000, 65535)),
    ],
)
def test_candidates_lie_outside_the_kernels_own_range(
    ephemeral: tuple[int, int], ends: tuple[int, int]
) -> None:
    candidates = candidate_ports(ephemeral)
    assert (candidates.start, candidates.stop - 1) == ends


def test_two_servers_with_the_same_luck_never_share_a_port() -> None:
    first, second = Ports(random.Random(0)), Ports(random.Random(0))
    with first.reserve(50) as ours, second.reserve(50) as theirs:
        assert len({*ours, *theirs}) == 100


def test_a_port_is_given_again_after_its_end() -> None:
    with Ports(random.Random(1)).reserve(3) as before:
        pass
    with Ports(random.Random(1)).reserve(3) as after:
        assert after == before


def test_another_process_never_gets_a_reserved_port(tmp_path: Path) -> None:
    script = (
        "import random, sys; from pathlib import Path\n"
        "from vertex_jobs.emulator.replicas.ports import Ports\n"
        "with Ports(random.Random(0), Path(sys.argv[1])).reserve(20) as ports: print(*ports)"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "locks")]
    with Ports(random.Random(0), tmp_path / "locks").reserve(20) as ours:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    theirs = {int(port) for port in done.stdout.split()}
    assert (len(theirs), theirs & set(ours)) == (20, set())


def test_a_folder_that_others_may_write_to_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks").chmod(0o777)
    with pytest.raises(UnsupportedHereError, match="not a folder of this user's alone"):
        Ports(folder=tmp_path / "locks").reserve(1).__enter__()


def test_no_abstract_socket_stands_for_a_port() -> None:
    """Any user could connect to one, or take its name."""
    with Ports().reserve(1) as (port,):
        assert f"@vertex-jobs-port-{port}\n" not in Path("/proc/net/unix").read_text()


def test_a_port_that_somebody_listens_on_is_passed_over() -> None:
    with Ports(random.Random(2)).reserve(1) as (port,):
        pass
    with socket.create_server(("127.0.0.1", port)), Ports(random.Random(2)).reserve(1) as (other,):
        assert other != port


def test_a_reserved_port_can_be_bound_by_the_script() -> None:
    with Ports().reserve(1) as (port,), socket.create_server(("0.0.0.0", port)) as server:
        assert server.getsockname()[1] == port


def test_more_ports_than_there_are_is_refused() -> None:
    with pytest.raises(UnsupportedHereError, match="free loopback ports were wanted"):
        Ports().reserve(70000).__enter__()
