"""Keras Tuner over a job's replicas: the chief keeps the search, every worker runs trials.

Keras Tuner takes its place in the cluster from three environment variables of its own, which this
module derives from TF_CONFIG. It does not import Keras Tuner.
"""

from vertex_jobs.runtime.environment import Environment

__all__ = ["variables"]


def variables(here: Environment) -> dict[str, str]:
    """Return the variables to set before a tuner is made; empty for a single process.

    The chief serves at its address in TF_CONFIG, so nothing else, such as a TensorFlow server, may
    listen there. Without a chief, worker 0 keeps the search and runs no trial.

    Source: Keras Tuner guide "Distributed hyperparameter tuning with KerasTuner".
    """
    cluster = here.cluster
    if cluster is None or cluster.count("chief") + cluster.count("worker") < 2:
        return {}
    first = (*cluster.addresses.get("chief", ()), *cluster.addresses["worker"])[0]
    host, _, port = first.rpartition(":")
    own = "chief" if here.is_chief else f"{cluster.task_type}{cluster.task_index}"
    return {
        "KERASTUNER_TUNER_ID": own,
        "KERASTUNER_ORACLE_IP": host,
        "KERASTUNER_ORACLE_PORT": port,
    }
