"""What must hold of the systems that run as several processes."""

import re

from finished import Finished

__all__ = ["multiworker"]


def multiworker(job: Finished) -> str:
    """Every replica takes part in 8 epochs; held-back accuracy passes 0.95; one replica saves."""
    job.succeeded()
    pools = job.resource["jobSpec"]["workerPoolSpecs"]
    replicas = sum(int(pool["replicaCount"]) for pool in pools)
    last = re.search(r"(\d+) replicas, (\d+) epochs: loss \S+, accuracy (\S+)", job.log())
    assert last
    assert (int(last[1]), int(last[2])) == (replicas, 8)
    assert float(last[3]) > 0.95
    assert "model/model.keras" in job.files
    assert len([path for path in job.files if re.match(r"logs/train/events", path)]) == 1
    return f"accuracy {last[3]}"
