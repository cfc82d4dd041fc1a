"""Strategies that span several processes: mirrored workers, and parameter servers.

For ``strategies.strategy()``, which chooses among them. Each must be built before any TensorFlow
operation. They also work with a TF_CONFIG written by hand for another cluster.
"""

import contextlib
import socket
from dataclasses import replace
from typing import Any

from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.runtime.cluster import Cluster
from vertex_jobs.runtime.keras_repair import repair_fit
from vertex_jobs.runtime.strategies import parameter_servers
from vertex_jobs.runtime.strategies.choices import check_choice

_COMMUNICATIONS = ("auto", "ring", "nccl")


def multi_worker_mirrored(communication: str, *, fit: bool) -> Any:
    """Build MultiWorkerMirroredStrategy; it waits until the job's chief and workers are there.

    Args:
        communication: ``auto``, ``ring`` (gRPC), or ``nccl``, which TensorFlow takes for ``auto``
            where there is no GPU.
        fit: Whether to repair Keras 3's ``fit``.

    Raises:
        ValueError: If there is no such way to communicate.
        UnsupportedHereError: If this Keras cannot be repaired.

    Source: tf.distribute.experimental.CommunicationOptions.
    """
    check_choice("way to communicate", communication, _COMMUNICATIONS)
    import tensorflow as tf

    if fit:
        repair_fit()
    implementation = tf.distribute.experimental.CommunicationImplementation[communication.upper()]
    return tf.distribute.MultiWorkerMirroredStrategy(
        communication_options=tf.distribute.experimental.CommunicationOptions(
            implementation=implementation
        )
    )


def parameter_server(cluster: Cluster | None) -> Any:
    """Build ParameterServerStrategy for the chief; it waits until workers and servers are there.

    Variables are split over all parameter servers if each part has at least 256 KiB, TensorFlow's
    own limit.

    Args:
        cluster: The job's replicas, with this one as the chief. None, as in a bare run, starts a
            worker and two parameter servers within this process.

    Raises:
        UnsupportedHereError: If the cluster has no chief, workers or servers, or this replica is
            not the chief.

    Source: TensorFlow guide "Parameter server training with ParameterServerStrategy".
    """
    if cluster is None:
        cluster = _cluster_within_process()
    missing = [role for role in ("chief", "worker", "ps") if not cluster.count(role)]
    if missing:
        raise UnsupportedHereError(
            f"parameter servers need a chief, workers and ps; the cluster has no "
            f"{', '.join(missing)}. Give the job these worker pools, or use another strategy"
        )
    if cluster.task_type != "chief":
        raise UnsupportedHereError(
            f"this replica is {cluster.task_type} {cluster.task_index}, and only the chief drives "
            "the others; call strategies.serve() first, which keeps workers and servers"
        )
    import tensorflow as tf

    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec(parameter_servers.addresses(cluster)),
        task_type="chief",
        task_id=0,
        rpc_layer="grpc",
    )
    partitioner = tf.distribute.experimental.partitioners.MinSizePartitioner(
        max_shards=cluster.count("ps")
    )
    return tf.distribute.ParameterServerStrategy(resolver, variable_partitioner=partitioner)


def _cluster_within_process() -> Cluster:
    """Start a worker and two parameter servers as threads of this process."""
    with contextlib.ExitStack() as reserved:
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(4)]
        for one in sockets:
            reserved.enter_context(one)
        chief, worker, *servers = [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    cluster = Cluster({"chief": (chief,), "worker": (worker,), "ps": tuple(servers)})
    for task in (("worker", 0), ("ps", 0), ("ps", 1)):
        parameter_servers.start(replace(cluster, task_type=task[0], task_index=task[1]))
    return cluster
