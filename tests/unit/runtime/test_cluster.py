"""TF_CONFIG and CLUSTER_SPEC in the documented form, written and read."""

import json
from typing import Any

import pytest

from vertex_jobs.errors import InvalidJobError
from vertex_jobs.runtime.cluster import Cluster

ADDRESSES = {
    "chief": ("h0:2222",),
    "worker": ("h1:2222", "h2:2222"),
    "ps": ("h3:2222",),
    "evaluator": ("h4:2222",),
}
JOB = '{"python_module":"","package_uris":[],"job_args":[]}'
WORKER = Cluster(ADDRESSES, "worker", 1, JOB, cloud_id="c1")


def variables(cluster: Cluster, trial_id: str | None = None) -> dict[str, str]:
    found = {"CLUSTER_SPEC": json.dumps(cluster.cluster_spec(trial_id))}
    tf_config = cluster.tf_config(trial_id)
    return found if tf_config is None else found | {"TF_CONFIG": json.dumps(tf_config)}


def hand_written(cluster: dict[str, list[str]], task: dict[str, Any]) -> Cluster:
    read = Cluster.read({"TF_CONFIG": json.dumps({"cluster": cluster, "task": task})})
    assert read is not None
    return read


def test_cluster_spec_of_a_distributed_trial() -> None:
    assert WORKER.cluster_spec("3") == {
        "cluster": {
            "workerpool0": ["h0:2222"],
            "workerpool1": ["h1:2222", "h2:2222"],
            "workerpool2": ["h3:2222"],
            "workerpool3": ["h4:2222"],
        },
        "environment": "cloud",
        "task": {"type": "workerpool1", "index": 1, "trial": "3"},
        "job": JOB,
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"cluster":{"chief":["localhost:1234"]},"environment":"cloud",'
        '"task":{"type":"chief","index":0}}',
        '{"cluster":{"workerpool0":["host1:2222"],"workerpool1":["host2:2222"]},'
        '"environment":"cloud","task":{"type":"workerpool0","index":0},'
        '"job":"{\\"python_module\\":\\"\\",\\"package_uris\\":[],\\"job_args\\":[]}"}',
    ],
)
def test_the_services_own_values_are_written_as_they_were_read(text: str) -> None:
    """Source: google-cloud-aiplatform, test_cloud_profiler.py."""
    read = Cluster.read({"CLUSTER_SPEC": text})
    assert read is not None
    assert json.dumps(read.cluster_spec(), separators=(",", ":")) == text


def test_a_single_replica_is_not_told_its_program() -> None:
    assert "job" not in Cluster({"chief": ("h0:2222",)}, job=JOB).cluster_spec()


def test_tf_config_of_a_distributed_trial_leaves_the_evaluator_out() -> None:
    assert WORKER.tf_config("3") == {
        "cluster": {"chief": ["h0:2222"], "worker": ["h1:2222", "h2:2222"], "ps": ["h3:2222"]},
        "environment": "cloud",
        "task": {"type": "worker", "index": 1, "cloud": "c1", "trial": "3"},
        "job": JOB,
    }


def test_an_evaluator_knows_itself_by_its_task() -> None:
    rendered = Cluster(ADDRESSES, "evaluator").tf_config()
    assert rendered is not None
    assert rendered["task"] == {"type": "evaluator", "index": 0}


def test_cluster_spec_of_a_single_replica_says_chief() -> None:
    assert Cluster({"chief": ("h0:2222",)}).cluster_spec() == {
        "cluster": {"chief": ["h0:2222"]},
        "environment": "cloud",
        "task": {"type": "chief", "index": 0},
    }


def test_a_single_replica_gets_no_tf_config() -> None:
    assert Cluster({"chief": ("h0:2222",)}).tf_config() is None


@pytest.mark.parametrize("trial_id", [None, "7"])
@pytest.mark.parametrize(
    "cluster",
    [
        WORKER,
        Cluster(ADDRESSES, "chief", 0, JOB, cloud_id="c"),
        Cluster(ADDRESSES, "ps"),
        Cluster(ADDRESSES, "evaluator"),
        Cluster({"chief": ("h0:1",)}),
        Cluster({"chief": ("h0:1",), "evaluator": ("h4:1",)}, "evaluator"),
    ],
)
def test_what_is_written_reads_back(cluster: Cluster, trial_id: str | None) -> None:
    assert Cluster.read(variables(cluster, trial_id)) == cluster


def test_the_workerpool0_form_of_a_single_replica_is_understood() -> None:
    spec = {"cluster": {"workerpool0": ["h:1"]}, "task": {"type": "workerpool0", "index": 0}}
    read = Cluster.read({"CLUSTER_SPEC": json.dumps(spec | {"open_ports": [1]})})
    assert read == Cluster({"chief": ("h:1",)})


@pytest.mark.parametrize(
    ("cluster", "task", "chief"),
    [
        (["chief", "worker"], {"type": "chief", "index": 0}, True),
        (["master", "worker"], {"type": "master", "index": 0}, True),
        (["chief", "worker"], {"type": "worker", "index": 0}, False),
        (["master", "worker"], {"type": "worker", "index": 0}, False),
        (["worker"], {"type": "worker", "index": 0}, True),
        (["worker"], {"type": "worker", "index": 1}, False),
        (["worker", "ps"], {"type": "ps", "index": 0}, False),
        (["chief"], {"type": "evaluator", "index": 0}, False),
    ],
)
def test_who_is_chief(cluster: list[str], task: dict[str, Any], chief: bool) -> None:
    assert hand_written({role: ["a:1", "b:1"] for role in cluster}, task).is_chief is chief


@pytest.mark.parametrize("text", ["", " ", "{}", '{"cluster": {}}'])
def test_an_empty_variable_counts_as_unset(text: str) -> None:
    assert Cluster.read({"TF_CONFIG": text, "CLUSTER_SPEC": text}) is None


@pytest.mark.parametrize(
    "text",
    [
        "{chief",
        "[]",
        '{"cluster": {"chief": ["h:1"]}}',
        '{"cluster": {"chief": ["h:1"]}, "task": {"type": "boss", "index": 0}}',
        '{"cluster": {"boss": ["h:1"]}, "task": {"type": "chief", "index": 0}}',
    ],
)
def test_what_is_no_cluster_is_refused_by_name(text: str) -> None:
    with pytest.raises(InvalidJobError, match=r"TF_CONFIG = .* is not a cluster's description"):
        Cluster.read({"TF_CONFIG": text})


def test_the_two_variables_must_agree() -> None:
    mixed = variables(WORKER) | {"CLUSTER_SPEC": variables(Cluster(ADDRESSES))["CLUSTER_SPEC"]}
    with pytest.raises(InvalidJobError, match="TF_CONFIG = 'worker 1': CLUSTER_SPEC says chief 0"):
        Cluster.read(mixed)
