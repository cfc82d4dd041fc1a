"""The warm parents that the launcher keeps: which one serves a replica, and how long it lives.

For the launcher process's loop. A parent serves the replicas that have its interpreter, its
modules and its environment; what differs between the replicas of a job is set after the fork.
"""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vertex_jobs.emulator.launcher import framing
from vertex_jobs.emulator.launcher.spawning import has_own_thread_limit, spawn_warm_parent

#: One with TensorFlow holds 561 MiB, most of it shared with its replicas while they run.
MOST_PARENTS = 4
#: An idle one is ended after this time: long enough to look at a result and start again.
IDLE_SECONDS = 300.0
#: Variables that the platform sets for each replica; no library acts on them at import.
_REPLICA_VARIABLES = (
    "CLUSTER_SPEC",
    "CUDA_VISIBLE_DEVICES",
    "HOSTNAME",
    "LOCAL_RANK",
    "RANK",
    "TF_CONFIG",
    "WORLD_SIZE",
)
_REPLICA_PREFIXES = ("AIP_", "CLOUD_ML_", "MASTER_")

Start = Callable[[str, Sequence[str], Mapping[str, str]], tuple[int, framing.Channel]]
_Key = tuple[str, tuple[str, ...], frozenset[tuple[str, str]]]


@dataclass
class Launch:
    """A replica to start: its number, its settings, and its two streams' descriptors."""

    number: int
    replica: dict[str, Any]
    descriptors: list[int]


@dataclass(eq=False)
class WarmParent:
    """One parent process.

    Attributes:
        loaded: Its imports are done; until then launches wait in ``waiting``.
        failures: Modules that it could not import, each with the reason.
        asked: Launches that it has been sent and has not answered.
        running: Numbers of the replicas that it forked and that still run.
        idle_since: Monotonic seconds.
    """

    key: _Key
    pid: int
    channel: framing.Channel
    idle_since: float
    loaded: bool = False
    failures: dict[str, str] = field(default_factory=dict)
    waiting: list[Launch] = field(default_factory=list)
    asked: dict[int, Launch] = field(default_factory=dict)
    running: set[int] = field(default_factory=set)

    @property
    def idle(self) -> bool:
        """Nothing runs, nothing is due."""
        return not (self.running or self.asked or self.waiting)

    def ask(self, launch: Launch) -> None:
        """Send a launch, or keep it until the imports are done."""
        if not self.loaded:
            self.waiting.append(launch)
            return
        self.asked[launch.number] = launch
        body = {"do": "launch", "id": launch.number, "replica": launch.replica}
        with contextlib.suppress(OSError):  # it is gone; its launches are started elsewhere
            self.channel.send(body, tuple(launch.descriptors))

    def reap(self, number: int) -> None:
        """Let go of a replica that ended: until now no other process could get its number."""
        self.running.discard(number)
        with contextlib.suppress(OSError):
            self.channel.send({"do": "reap", "id": number})

    def expects(self, number: int) -> bool:
        """Return whether a launch of that number is under way here."""
        return number in self.asked or any(launch.number == number for launch in self.waiting)


class WarmParents:
    """All parents: those that serve, at most ``MOST_PARENTS``, and retired ones with replicas."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, start: Start = spawn_warm_parent
    ) -> None:
        """Begin with none; ``clock`` gives monotonic seconds."""
        self._clock = clock
        self._start = start
        self._serving: dict[_Key, WarmParent] = {}
        self._retired: list[WarmParent] = []
        self._unsafe: dict[_Key, str] = {}

    def all(self) -> list[WarmParent]:
        """Return every parent that is alive as far as we know."""
        return [*self._serving.values(), *self._retired]

    def find(self, replica: Mapping[str, Any]) -> tuple[WarmParent | None, str]:
        """Return the parent for a replica, started if need be; or None and why there is none."""
        if not replica["warm"]:
            return None, "a warm start was not asked for"
        if has_own_thread_limit(replica["environment"]):
            return None, "its environment sets a thread limit, which acts at import"
        key = _key(replica)
        if key in self._unsafe:
            return None, self._unsafe[key]
        if key not in self._serving:
            if not self._make_room():
                return None, f"all {MOST_PARENTS} warm parents are busy"
            pid, channel = self._start(key[0], key[1], dict(key[2]))
            self._serving[key] = WarmParent(key, pid, channel, self._clock())
        return self._serving[key], ""

    def rest(self, parent: WarmParent) -> None:
        """Note that one of a parent's replicas ended; a retired parent ends with its last."""
        parent.idle_since = self._clock()
        if parent in self._retired and parent.idle:
            self.remove(parent)

    def retire(self, parent: WarmParent, unsafe: str = "") -> None:
        """Let a parent serve no longer; with a reason, let no other one of its kind either."""
        if unsafe:
            self._unsafe[parent.key] = unsafe
        if self._serving.get(parent.key) is parent:
            del self._serving[parent.key]
            self._retired.append(parent)
        self.rest(parent)

    def remove(self, parent: WarmParent) -> None:
        """End a parent: it exits when its channel closes, and takes its replicas along."""
        if self._serving.get(parent.key) is parent:
            del self._serving[parent.key]
        if parent in self._retired:
            self._retired.remove(parent)
        parent.channel.close()

    def end_idle(self) -> float | None:
        """End parents that nobody has used for long; return the seconds until the next is due."""
        now = self._clock()
        due = []
        for parent in [parent for parent in self._serving.values() if parent.idle]:
            left = parent.idle_since + IDLE_SECONDS - now
            if left <= 0:
                self.remove(parent)
            else:
                due.append(left)
        return min(due, default=None)

    def _make_room(self) -> bool:
        if len(self._serving) < MOST_PARENTS:
            return True
        idle = [parent for parent in self._serving.values() if parent.idle]
        if idle:
            self.remove(min(idle, key=lambda parent: parent.idle_since))
        return bool(idle)


def _key(replica: Mapping[str, Any]) -> _Key:
    environment = frozenset(
        (name, text)
        for name, text in replica["environment"].items()
        if name not in _REPLICA_VARIABLES and not name.startswith(_REPLICA_PREFIXES)
    )
    return replica["interpreter"], tuple(dict.fromkeys(replica["preload"])), environment
