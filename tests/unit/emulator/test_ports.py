import random
import socket

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
