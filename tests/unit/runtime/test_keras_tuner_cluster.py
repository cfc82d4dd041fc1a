"""The variables for Keras Tuner's place in the job's cluster."""

import pytest

from vertex_jobs.runtime.cluster import Cluster
from vertex_jobs.runtime.environment import Environment
from vertex_jobs.runtime.keras_tuner_cluster import variables

WITH_CHIEF = {"chief": ("one:2222",), "worker": ("two:2223", "three:2224")}
BY_HAND = {"worker": ("two:2223", "three:2224")}


@pytest.mark.parametrize(
    ("addresses", "task", "index", "expected"),
    [
        (WITH_CHIEF, "chief", 0, ("chief", "one", "2222")),
        (WITH_CHIEF, "worker", 0, ("worker0", "one", "2222")),
        (WITH_CHIEF, "worker", 1, ("worker1", "one", "2222")),
        (BY_HAND, "worker", 0, ("chief", "two", "2223")),
        (BY_HAND, "worker", 1, ("worker1", "two", "2223")),
    ],
)
def test_the_chief_serves_and_every_worker_has_a_name(
    addresses: dict[str, tuple[str, ...]], task: str, index: int, expected: tuple[str, str, str]
) -> None:
    found = variables(Environment(cluster=Cluster(addresses, task, index)))
    assert found == dict(
        zip(
            ("KERASTUNER_TUNER_ID", "KERASTUNER_ORACLE_IP", "KERASTUNER_ORACLE_PORT"),
            expected,
            strict=True,
        )
    )


@pytest.mark.parametrize("cluster", [None, Cluster({"chief": ("one:2222",)})])
def test_a_process_alone_needs_no_variables(cluster: Cluster | None) -> None:
    assert variables(Environment(cluster=cluster)) == {}
