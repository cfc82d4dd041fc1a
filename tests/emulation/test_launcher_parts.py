"""The launcher's parts on their own: messages, warm parents' lives, imports."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vertex_jobs.emulator.launcher import framing
from vertex_jobs.emulator.launcher.warm_parents import (
    IDLE_SECONDS,
    MOST_PARENTS,
    Launch,
    WarmParents,
)


class TestWire:
    @pytest.fixture
    def ends(self) -> Iterator[tuple[framing.Channel, framing.Channel]]:
        left, right = socket.socketpair()
        with left, right:
            yield framing.Channel(left), framing.Channel(right)

    def test_descriptors_stay_with_their_message(
        self, ends: tuple[framing.Channel, framing.Channel], tmp_path: Path
    ) -> None:
        sender, receiver = ends
        for name in ("one", "two"):
            with open(tmp_path / name, "w") as file:
                sender.send({"name": name}, (file.fileno(),))
            sender.send({"name": "none"})
        messages: list[framing.Received] = []
        while len(messages) < 4:
            messages += receiver.read()
        seen = []
        for message in messages:
            paths = [os.readlink(f"/proc/self/fd/{one}") for one in message.descriptors]
            seen.append((message.body["name"], [os.path.basename(path) for path in paths]))
            for descriptor in message.descriptors:
                os.close(descriptor)
        assert seen == [("one", ["one"]), ("none", []), ("two", ["two"]), ("none", [])]

    def test_a_message_arrives_in_pieces(self) -> None:
        left, right = socket.socketpair()
        with left, right:
            decoder = framing.Decoder(right)
            content = framing.encode({"text": "long" * 50_000})
            got = []
            for start in range(0, len(content), 30_000):
                left.sendall(content[start : start + 30_000])
                got.append([len(message.body["text"]) for message in decoder.read()])
        assert got == [[]] * 6 + [[200_000]]

    def test_nothing_there_is_no_message(
        self, ends: tuple[framing.Channel, framing.Channel]
    ) -> None:
        assert ends[1].read() == []

    def test_a_closed_end_is_told(self, ends: tuple[framing.Channel, framing.Channel]) -> None:
        ends[0].close()
        with pytest.raises(EOFError, match="the other end is closed"):
            ends[1].read()


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def replica(number: int) -> dict[str, object]:
    environment = {"PATH": os.environ["PATH"], "KIND": str(number)}
    return {
        "warm": True,
        "interpreter": sys.executable,
        "preload": [],
        "environment": environment,
    }


class TestWarmParents:
    """With channels that nobody answers: only the account of the parents is looked at."""

    @pytest.fixture
    def clock(self) -> _Clock:
        return _Clock()

    @pytest.fixture
    def far_ends(self) -> Iterator[list[socket.socket]]:
        far_ends: list[socket.socket] = []
        yield far_ends
        for end in far_ends:
            end.close()

    @pytest.fixture
    def parents(self, clock: _Clock, far_ends: list[socket.socket]) -> Iterator[WarmParents]:
        def start(*_: object) -> tuple[int, framing.Channel]:
            ours, theirs = socket.socketpair()
            far_ends.append(theirs)
            return len(far_ends), framing.Channel(ours)

        parents = WarmParents(clock, start)
        yield parents
        for parent in parents.all():
            parents.remove(parent)

    def test_an_idle_one_is_ended(
        self, parents: WarmParents, clock: _Clock, far_ends: list[socket.socket]
    ) -> None:
        parents.find(replica(0))
        assert parents.end_idle() == IDLE_SECONDS
        clock.now += IDLE_SECONDS
        assert parents.end_idle() is None
        assert far_ends[0].recv(1) == b""

    def test_the_longest_idle_one_makes_room(self, parents: WarmParents, clock: _Clock) -> None:
        for number in range(MOST_PARENTS + 1):
            clock.now += 1
            parents.find(replica(number))
        assert [parent.pid for parent in parents.all()] == [2, 3, 4, 5]

    def test_busy_ones_are_not_ended(self, parents: WarmParents, clock: _Clock) -> None:
        for number in range(MOST_PARENTS):
            parent, _ = parents.find(replica(number))
            assert parent is not None
            parent.ask(Launch(number, replica(number), []))
        clock.now += IDLE_SECONDS
        assert parents.end_idle() is None
        assert parents.find(replica(MOST_PARENTS)) == (
            None,
            f"all {MOST_PARENTS} warm parents are busy",
        )


def test_the_process_imports_little() -> None:
    heavy = ("asyncio", "grpc", "numpy", "pydantic", "sqlite3", "subprocess", "threading")
    source = (
        "import sys; import vertex_jobs.emulator.launcher.__main__; "
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    finished = subprocess.run(
        [sys.executable, "-S", "-c", source],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert finished.stdout == "[]\n"
