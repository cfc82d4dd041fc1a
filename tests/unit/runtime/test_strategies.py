"""The strategy for the devices and the cluster at hand.

TensorFlow holds one set of devices per process, so each case runs in a child forked from a process
that has only imported it.
"""

import json
import socket
from collections.abc import Callable
from typing import Any

import pytest

from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.runtime.cluster import Cluster
from vertex_jobs.runtime.environment import Environment
from vertex_jobs.runtime.strategies import strategy

PROGRAM = """
import json, os
import tensorflow as tf
from vertex_jobs.runtime import strategies

def build(name, running):
    if running:
        tf.constant(1) + 1
    try:
        built = strategies.strategy(name)
    except Exception as error:
        return [type(error).__name__, str(error)]
    return [type(built).__name__, built.num_replicas_in_sync]

readers = {{}}
for case, (name, running, variables) in json.loads({cases!r}).items():
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.environ.update(variables)
        os.write(writer, json.dumps(build(name, running)).encode())
        os._exit(0)
    os.close(writer)
    readers[case] = open(reader)
print(json.dumps({{case: json.loads(reader.read()) for case, reader in readers.items()}}))
"""


@pytest.fixture(scope="module")
def built(run_program: Callable[..., Any]) -> dict[str, Any]:
    """Type and replicas of the strategy, or the error, by case."""
    reserved = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    chief, worker = (f"127.0.0.1:{one.getsockname()[1]}" for one in reserved)
    for one in reserved:
        one.close()
    addresses = {"chief": (chief,), "worker": (worker,)}
    with_evaluator = addresses | {"evaluator": ("127.0.0.1:1",)}
    cases = {
        "bare": ("auto", False, Environment()),
        "two devices": ("auto", False, Environment(accelerator_count=2)),
        "one of two": ("one_device", False, Environment(accelerator_count=2)),
        "mirrored alone": ("mirrored", False, Environment()),
        "too late": ("auto", True, Environment(accelerator_count=2)),
        "chief": ("auto", False, Environment(cluster=Cluster(addresses))),
        "worker": ("auto", False, Environment(cluster=Cluster(addresses, "worker"))),
        "evaluator": ("auto", False, Environment(cluster=Cluster(with_evaluator, "evaluator"))),
    }
    plain = {
        case: (name, running, here.to_variables()) for case, (name, running, here) in cases.items()
    }
    found: dict[str, Any] = run_program(PROGRAM.format(cases=json.dumps(plain)), {})
    return found


@pytest.mark.tensorflow
@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("bare", ["_DefaultDistributionStrategy", 1]),
        ("two devices", ["MirroredStrategy", 2]),
        ("one of two", ["OneDeviceStrategy", 1]),
        ("mirrored alone", ["MirroredStrategy", 1]),
        ("chief", ["CollectiveAllReduceStrategy", 2]),
        ("worker", ["CollectiveAllReduceStrategy", 2]),
        ("evaluator", ["_DefaultDistributionStrategy", 1]),
    ],
)
def test_devices_and_cluster_decide(built: dict[str, Any], case: str, expected: list[Any]) -> None:
    assert built[case] == expected


@pytest.mark.tensorflow
def test_the_cpu_cannot_be_split_once_tensorflow_runs(built: dict[str, Any]) -> None:
    assert built["too late"] == [
        "UnsupportedHereError",
        "the CPU cannot be split into 2 devices, since TensorFlow is already running; "
        "call strategies.strategy() before any other TensorFlow operation",
    ]


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"no strategy is called 'miror'; did you mean mirrored\?"):
        strategy("miror", Environment())


def test_an_odd_name_gets_the_list() -> None:
    with pytest.raises(ValueError, match="use auto, default, one_device, mirrored, multi_worker"):
        strategy("zzz", Environment())


def test_parameter_servers_are_refused() -> None:
    addresses = {"chief": ("a:1",), "ps": ("b:1", "c:1")}
    with pytest.raises(UnsupportedHereError, match="the cluster has 2 parameter servers, which no"):
        strategy("auto", Environment(cluster=Cluster(addresses)))
