"""The devices of this machine: their number, their parts and their threads.

For ``strategies`` and for scripts that place layers by hand. Call these functions before
TensorFlow's first operation, which fixes devices and threads for the life of the process.
"""

import logging
from dataclasses import dataclass
from typing import Any

from vertex_jobs.errors import UnsupportedHereError

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Devices:
    """The devices of one machine that take part in training.

    Attributes:
        count: Replicas, at least 1; None for the number that the environment announces.
        memory_limit: Each replica's share of its GPU, in MiB; needed for more replicas than GPUs.
        parameter_device: The device on which ``central_storage`` keeps the variables.
    """

    count: int | None = None
    memory_limit: int | None = None
    parameter_device: str = "CPU:0"


ALL_DEVICES = Devices()


def logical_devices(count: int | None = None, memory_limit: int | None = None) -> list[str]:
    """Split this machine into devices and return their names, e.g. ``["GPU:0", "GPU:1"]``.

    GPUs come before the CPU. For more devices than GPUs each GPU is split into equal parts, which
    needs a memory limit. Without a GPU the CPU replaces them, split into as many parts.

    Args:
        count: Devices wanted, at least 1; None takes every GPU whole, or the CPU.
        memory_limit: Each device's share of its GPU, in MiB; None leaves a GPU whole. On the CPU
            it has no effect, and a warning says so.

    Raises:
        ValueError: If the count or the limit is not positive.
        UnsupportedHereError: If TensorFlow is already running, or the GPUs cannot be shared out
            that way.

    Source: TensorFlow guide "Use a GPU", "Using multiple GPUs".
    """
    for name, value in (("count", count), ("memory_limit", memory_limit)):
        if value is not None and value < 1:
            raise ValueError(f"{name} is {value}; it must be at least 1")
    import tensorflow as tf

    gpus = tf.config.list_physical_devices("GPU")
    if gpus:
        return share_gpus(gpus, len(gpus) if count is None else count, memory_limit)
    if memory_limit is not None:
        _log.warning("no GPU here: the memory limit of %s MiB has no effect", memory_limit)
    count = count or 1
    if count > 1:
        _split(tf.config.list_physical_devices("CPU")[0], count, None)
    # Without a name TensorFlow would take all logical CPUs, so each is named.
    return [f"CPU:{index}" for index in range(count)]


def set_threads(inter_op: int = 0, intra_op: int = 0) -> None:
    """Size TensorFlow's two thread pools; 0 leaves a pool to TensorFlow.

    Args:
        inter_op: Operations that may run side by side.
        intra_op: Threads that one operation may use.

    Raises:
        UnsupportedHereError: If TensorFlow is already running.

    Source: TensorFlow API reference, module ``tf.config.threading``.
    """
    import tensorflow as tf

    try:
        tf.config.threading.set_inter_op_parallelism_threads(inter_op)
        tf.config.threading.set_intra_op_parallelism_threads(intra_op)
    except RuntimeError as error:
        raise UnsupportedHereError(
            f"the threads cannot be set to {inter_op} and {intra_op}, since TensorFlow is already "
            "running; call strategies.set_threads() before any TensorFlow operation"
        ) from error


def share_gpus(gpus: list[Any], count: int, memory_limit: int | None) -> list[str]:
    """Return the names of the first GPUs, or of equal parts of every GPU.

    Raises:
        UnsupportedHereError: If the parts would not be equal, or have no memory limit.
    """
    if count > len(gpus) and (count % len(gpus) or memory_limit is None):
        raise UnsupportedHereError(
            f"{count} devices of {len(gpus)} GPU{'s' if len(gpus) > 1 else ''}: each is split into "
            "equal parts with a memory limit; ask for a multiple and give the limit in MiB"
        )
    if memory_limit is not None:
        for gpu in gpus[:count]:
            _split(gpu, max(1, count // len(gpus)), memory_limit)
    return [f"GPU:{index}" for index in range(count)]


def _split(device: Any, count: int, memory_limit: int | None) -> None:
    """Make logical devices of a physical one; the same split twice is harmless."""
    import tensorflow as tf

    parts = [tf.config.LogicalDeviceConfiguration(memory_limit=memory_limit)] * count
    if tf.config.get_logical_device_configuration(device) == parts:
        return
    try:
        tf.config.set_logical_device_configuration(device, parts)
    except RuntimeError as error:
        raise UnsupportedHereError(
            f"the {device.device_type} cannot be split into {count} devices, since TensorFlow is "
            "already running; call strategies.strategy() before any other TensorFlow operation"
        ) from error
