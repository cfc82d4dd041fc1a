"""The ``tf.distribute`` strategy for the devices and the cluster at hand.

Call ``strategy()`` before any TensorFlow operation: devices cannot be split and collectives cannot
be set up afterwards. One process can hold replicas of one number only; a second strategy with
another number fails inside TensorFlow. Keras 3 trains with ``fit`` on one machine; on several it
needs a custom loop or tf_keras.
"""

import difflib
from collections.abc import Callable
from typing import Any

from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.runtime import environment

__all__ = ["strategy"]


def strategy(name: str = "auto", here: environment.Environment | None = None) -> Any:
    """Build a strategy by name.

    ``auto`` takes ``multi_worker_mirrored`` when chief and workers are more than one,
    ``mirrored`` when this machine has more than one device, else ``default``. Without a GPU, the
    CPU stands in for the accelerators that the environment announces, split into as many logical
    devices.

    Args:
        name: ``auto``, ``default``, ``one_device``, ``mirrored`` or ``multi_worker_mirrored``.
        here: This replica's environment; the process's own when None.

    Returns:
        A ``tf.distribute.Strategy``.

    Raises:
        ValueError: If there is no strategy of that name.
        UnsupportedHereError: If TensorFlow is already running, so that the CPU cannot be split,
            or the cluster asks for a strategy that is not offered.
    """
    here = here or environment.current()
    builders: dict[str, Callable[[list[str]], Any]] = {
        "default": _default,
        "one_device": _one_device,
        "mirrored": _mirrored,
        "multi_worker_mirrored": _multi_worker_mirrored,
    }
    if name != "auto" and name not in builders:
        near = difflib.get_close_matches(name, builders, n=1)
        hint = f"did you mean {near[0]}?" if near else f"use auto, {', '.join(builders)}"
        raise ValueError(f"no strategy is called {name!r}; {hint}")
    if name == "multi_worker_mirrored" or (name == "auto" and _spans_tasks(here)):
        return _multi_worker_mirrored([])
    devices = _devices(here.accelerator_count)
    if name == "auto":
        name = "mirrored" if len(devices) > 1 else "default"
    return builders[name](devices)


def _spans_tasks(here: environment.Environment) -> bool:
    """Whether this task trains together with others, which the evaluator does not."""
    cluster = here.cluster
    if cluster is None or cluster.task_type == "evaluator":
        return False
    if cluster.count("ps"):
        raise UnsupportedHereError(
            f"the cluster has {cluster.count('ps')} parameter servers, which no strategy here "
            "drives; build tf.distribute.ParameterServerStrategy in the script, or drop the pool"
        )
    return cluster.count("chief") + cluster.count("worker") > 1


def _devices(accelerator_count: int) -> list[str]:
    """Names of this machine's devices, e.g. ``["GPU:0", "GPU:1"]``; GPUs before the CPU."""
    import tensorflow as tf

    gpus = tf.config.list_physical_devices("GPU")
    if gpus:
        return [f"GPU:{index}" for index in range(len(gpus))]
    if accelerator_count > 1:
        _split_cpu(accelerator_count)
    # Without a name TensorFlow would take all logical CPUs, so each caller names its devices.
    return [f"CPU:{index}" for index in range(max(1, accelerator_count))]


def _split_cpu(count: int) -> None:
    """Make so many logical devices of the CPU; doing it twice with one number is harmless."""
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    parts = [tf.config.LogicalDeviceConfiguration() for _ in range(count)]
    if len(tf.config.get_logical_device_configuration(cpu) or ()) == count:
        return
    try:
        tf.config.set_logical_device_configuration(cpu, parts)
    except RuntimeError as error:
        raise UnsupportedHereError(
            f"the CPU cannot be split into {count} devices, since TensorFlow is already running; "
            "call strategies.strategy() before any other TensorFlow operation"
        ) from error


def _default(_: list[str]) -> Any:
    import tensorflow as tf

    return tf.distribute.get_strategy()


def _one_device(devices: list[str]) -> Any:
    import tensorflow as tf

    return tf.distribute.OneDeviceStrategy(devices[0])


def _mirrored(devices: list[str]) -> Any:
    import tensorflow as tf

    return tf.distribute.MirroredStrategy(devices)


def _multi_worker_mirrored(_: list[str]) -> Any:
    import tensorflow as tf

    return tf.distribute.MultiWorkerMirroredStrategy()
