"""The tasks that serve the chief of a ParameterServerStrategy: workers and parameter servers.

The chief runs the script; these two hold variables and carry out steps that it sends. They never
end by themselves: the service stops them when the chief has ended.
"""

from vertex_jobs.runtime import environment

__all__ = ["serve"]


def serve(here: environment.Environment | None = None) -> None:
    """Serve the chief for good, if this task is a worker or a server of one; else return at once.

    Call it before any TensorFlow operation.

    Source: TensorFlow guide "Parameter server training with ParameterServerStrategy".
    """
    here = here or environment.current()
    cluster = here.cluster
    if cluster is None or not cluster.count("ps") or cluster.task_type not in ("worker", "ps"):
        return
    import tensorflow as tf

    servers = {role: list(cluster.addresses[role]) for role in ("chief", "worker", "ps")}
    tf.distribute.Server(
        tf.train.ClusterSpec(servers),
        job_name=cluster.task_type,
        task_index=cluster.task_index,
        protocol="grpc",
        start=True,
    ).join()
