"""The accelerators of this machine, handed out to jobs and taken back.

A job gets all of its devices at once or waits, first come first served, so two jobs never wait
for each other. On a machine without GPUs nothing is handed out: there ``accelerator_count`` is
announced to ``vertex_jobs.runtime``, which splits the CPU into as many logical devices.
"""

import asyncio
import contextlib
import ctypes
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field

#: NVIDIA's management library, part of the driver. Source: NVML API reference.
_NVML = "libnvidia-ml.so.1"
_VISIBLE = "CUDA_VISIBLE_DEVICES"


@dataclass
class AcceleratorPool:
    """A fixed set of devices and the queue before it.

    Attributes:
        devices: What CUDA_VISIBLE_DEVICES calls them: numbers in PCI order, or UUIDs.
    """

    devices: tuple[str, ...] = ()
    _free: list[str] = field(init=False)
    _queue: deque[tuple[int, "asyncio.Future[list[str]]"]] = field(
        init=False, default_factory=deque
    )

    def __post_init__(self) -> None:
        self._free = list(self.devices)

    @contextlib.asynccontextmanager
    async def hold(
        self, count: int, on_wait: Callable[[int], None] = lambda free: None
    ) -> AsyncIterator[list[str]]:
        """Hold so many devices for the length of the context, once everyone before has theirs.

        ``count`` is at most the number of devices; ``on_wait`` is called with the number of free
        ones if there is a wait.
        """
        assert count <= len(self.devices), "admission refuses what can never be had"
        turn: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()
        self._queue.append((count, turn))
        self._serve()
        if not turn.done():
            on_wait(len(self._free))
        try:
            yield list(await turn)
        finally:
            if turn.done() and not turn.cancelled():
                self._free = sorted([*self._free, *turn.result()], key=self.devices.index)
            else:
                with contextlib.suppress(ValueError):  # it was skipped already
                    self._queue.remove((count, turn))
            self._serve()

    def _serve(self) -> None:
        """Give the first in the queue its devices, as long as there are enough."""
        while self._queue and self._queue[0][0] <= len(self._free):
            count, turn = self._queue.popleft()
            if turn.cancelled():
                continue
            turn.set_result(self._free[:count])
            del self._free[:count]


def variables_for(devices: Sequence[str]) -> dict[str, str]:
    """Return the variables that show a process these devices and no others."""
    return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", _VISIBLE: ",".join(devices)}


def find_devices(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the GPUs that this process may use, in PCI order; none without a driver.

    The CUDA_VISIBLE_DEVICES that the server was started with limits them, so that an empty one
    rehearses without GPUs on a machine that has some.
    """
    count = _gpu_count()
    if not count or _VISIBLE not in environ:
        return tuple(str(number) for number in range(count))
    devices = []
    for name in environ[_VISIBLE].split(","):
        if not name or name == "-1":  # CUDA stops at the first that is no device
            break
        devices.append(name)
    return tuple(devices)


def _gpu_count() -> int:
    """Ask the driver for the number of GPUs; a subprocess of nvidia-smi would take a second."""
    try:
        nvml = ctypes.CDLL(_NVML)
        if nvml.nvmlInit_v2() != 0:
            return 0
        count = ctypes.c_uint()
        answered = nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == 0
        nvml.nvmlShutdown()
    except (OSError, AttributeError):
        return 0
    return count.value if answered else 0
