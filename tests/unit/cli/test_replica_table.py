"""The replicas of a job as rows."""

from vertex_jobs.cli.verbs.describe import replica_rows
from vertex_jobs.client import Snapshot


def test_each_replica_has_a_row() -> None:
    chief = {"machineType": "n1-standard-4", "acceleratorType": "NVIDIA_TESLA_T4"}
    pools = [
        {"machineSpec": {**chief, "acceleratorCount": 2}, "replicaCount": "1"},
        {"machineSpec": {"machineType": "e2-standard-4"}, "replicaCount": "2"},
    ]
    resource = {"name": "projects/1/locations/l/customJobs/2"}
    snapshot = Snapshot({**resource, "jobSpec": {"workerPoolSpecs": pools}})
    assert replica_rows(snapshot, {"workerpool0-0": "step 3"}) == [
        ["workerpool0-0", "chief", "n1-standard-4 with 2 NVIDIA_TESLA_T4", "step 3"],
        ["workerpool1-0", "worker", "e2-standard-4", ""],
        ["workerpool1-1", "worker", "e2-standard-4", ""],
    ]
