"""The ``tf.distribute`` strategy for the devices and the cluster at hand.

Call ``strategy()`` before any TensorFlow operation: devices cannot be split and collectives cannot
be set up afterwards. A process can have one number of replicas only: a second strategy with another
number fails inside TensorFlow. Over several processes ``strategy()`` also repairs Keras 3's
``fit``.
"""

from collections.abc import Callable
from typing import Any

from vertex_jobs.runtime import environment
from vertex_jobs.runtime.cluster import Cluster
from vertex_jobs.runtime.strategies import one_machine, several_machines
from vertex_jobs.runtime.strategies.choices import check_choice
from vertex_jobs.runtime.strategies.devices import (
    ALL_DEVICES,
    Devices,
    logical_devices,
    set_threads,
)
from vertex_jobs.runtime.strategies.parameter_servers import serve

__all__ = ["Devices", "logical_devices", "serve", "set_threads", "strategy"]


def strategy(
    name: str = "auto",
    here: environment.Environment | None = None,
    *,
    devices: Devices = ALL_DEVICES,
    cross_device_ops: str = "auto",
    communication: str = "auto",
    fit: bool = True,
) -> Any:
    """Build a strategy by name.

    ``auto`` takes ``parameter_server`` when the cluster has such servers,
    ``multi_worker_mirrored`` when chief and workers are more than one, ``mirrored`` when this
    machine has more than one device, else ``default``. Without a GPU, the CPU stands in for the
    accelerators that the environment announces, split into as many logical devices.

    Args:
        name: ``auto``, ``default``, ``one_device``, ``mirrored``, ``central_storage``, ``tpu``,
            ``multi_worker_mirrored`` or ``parameter_server``.
        here: This replica's environment; the process's own when None.
        devices: The devices of this machine that take part; all of them by default.
        cross_device_ops: How ``mirrored`` adds up gradients: ``auto``, ``nccl``,
            ``hierarchical`` or ``reduction_to_one``.
        communication: How ``multi_worker_mirrored`` adds up gradients: ``auto``, ``ring`` or
            ``nccl``.
        fit: Whether several workers train with ``fit``, which needs a repair of Keras 3; False for
            a custom loop.

    Returns:
        A ``tf.distribute.Strategy``.

    Raises:
        ValueError: If there is no strategy, or no way of reducing, of that name.
        UnsupportedHereError: If TensorFlow is already running, so that devices cannot be split;
            if this machine or cluster lacks what was asked for; or if this Keras is not known.
    """
    here = here or environment.current()
    builders: dict[str, Callable[[list[str]], Any]] = {
        "default": one_machine.default,
        "one_device": one_machine.one_device,
        "mirrored": lambda names: one_machine.mirrored(names, cross_device_ops),
        "central_storage": lambda names: one_machine.central_storage(
            names, devices.parameter_device
        ),
    }
    check_choice(
        "strategy", name, ["auto", *builders, "tpu", "multi_worker_mirrored", "parameter_server"]
    )
    if name == "auto":
        name = _of_cluster(here.cluster) or name
    if name == "tpu":
        return one_machine.tpu()
    if name == "multi_worker_mirrored":
        return several_machines.multi_worker_mirrored(communication, fit=fit)
    if name == "parameter_server":
        return several_machines.parameter_server(here.cluster)
    names = logical_devices(devices.count or here.accelerator_count or None, devices.memory_limit)
    if name == "auto":
        name = "mirrored" if len(names) > 1 else "default"
    return builders[name](names)


def _of_cluster(cluster: Cluster | None) -> str | None:
    """Return the strategy for a task that trains with others; the evaluator does not."""
    if cluster is None or cluster.task_type == "evaluator":
        return None
    if cluster.count("ps"):
        return "parameter_server"
    spans_tasks = cluster.count("chief") + cluster.count("worker") > 1
    return "multi_worker_mirrored" if spans_tasks else None
