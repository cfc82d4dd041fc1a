"""The tasks that serve the chief of a ParameterServerStrategy: workers and parameter servers.

The chief runs the script; workers and parameter servers hold variables and run the steps that it
sends. They never end by themselves: the service stops them when the chief has ended. The chief's
strategy is in ``several_machines``.
"""

import os
from typing import Any

from vertex_jobs.runtime import environment
from vertex_jobs.runtime.cluster import Cluster

_MIN_THREADS = 16


def serve(here: environment.Environment | None = None) -> None:
    """Serve the chief until the service stops this task; return at once on any other task.

    Call it before any TensorFlow operation.

    Source: TensorFlow guide "Parameter server training with ParameterServerStrategy".
    """
    cluster = (here or environment.current()).cluster
    if cluster is not None and cluster.count("ps") and cluster.task_type in ("worker", "ps"):
        start(cluster).join()


def start(cluster: Cluster) -> Any:
    """Start the server of this task, and return it.

    Source: TensorFlow guide "Parameter server training with ParameterServerStrategy", in-process
    cluster: "workers need some inter_op_threads to work properly".
    """
    import tensorflow as tf

    # A step uses one of these threads for each server that it reads from. By default there is one
    # for each core, and on two cores a step would wait for ever.
    config = tf.compat.v1.ConfigProto(
        inter_op_parallelism_threads=max(_MIN_THREADS, os.cpu_count() or 1)
    )
    return tf.distribute.Server(
        tf.train.ClusterSpec(addresses(cluster)),
        job_name=cluster.task_type,
        task_index=cluster.task_index,
        protocol="grpc",
        config=config,
        start=True,
    )


def addresses(cluster: Cluster) -> dict[str, list[str]]:
    """Return the tasks that talk to each other, in TensorFlow's form; the evaluator does not."""
    roles = ("chief", "worker", "ps")
    return {role: list(cluster.addresses[role]) for role in roles if cluster.count(role)}
