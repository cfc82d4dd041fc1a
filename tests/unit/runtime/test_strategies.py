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
from vertex_jobs.runtime.strategies import devices, strategy

PROGRAM = """
import json, os
import tensorflow as tf
from vertex_jobs.runtime import strategies

def build(name, running, options):
    if running:
        tf.constant(1) + 1
    try:
        devices = strategies.Devices(**options.pop("devices", {{}}))
        built = strategies.strategy(name, devices=devices, **options)
    except Exception as error:
        return [type(error).__name__, str(error)]
    return [type(built).__name__, built.num_replicas_in_sync]

readers = {{}}
for case, (name, running, options, variables) in json.loads({cases!r}).items():
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.environ.update(variables)
        os.write(writer, json.dumps(build(name, running, options)).encode())
        os._exit(0)
    os.close(writer)
    readers[case] = open(reader)
print(json.dumps({{case: json.loads(reader.read()) for case, reader in readers.items()}}))
"""


@pytest.fixture(scope="module")
def built(run_program: Callable[..., Any]) -> dict[str, Any]:
    """Return type and replicas of the strategy, or the error, by case."""
    reserved = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    chief, worker = (f"127.0.0.1:{one.getsockname()[1]}" for one in reserved)
    for one in reserved:
        one.close()
    addresses = {"chief": (chief,), "worker": (worker,)}
    with_evaluator = addresses | {"evaluator": ("127.0.0.1:1",)}
    plain, two = Environment(), Environment(accelerator_count=2)
    cases: dict[str, tuple[str, Environment, dict[str, Any]]] = {
        "bare": ("auto", plain, {}),
        "two devices": ("auto", two, {}),
        "one of two": ("one_device", two, {}),
        "mirrored alone": ("mirrored", plain, {}),
        "four asked for": ("mirrored", two, {"devices": {"count": 4}}),
        "hierarchical": ("mirrored", two, {"cross_device_ops": "hierarchical"}),
        "reduction to one": ("mirrored", two, {"cross_device_ops": "reduction_to_one"}),
        "nccl": ("mirrored", two, {"cross_device_ops": "nccl"}),
        "misspelt": ("mirrored", two, {"cross_device_ops": "ring"}),
        "central storage": ("central_storage", two, {}),
        "memory limit": ("mirrored", plain, {"devices": {"count": 2, "memory_limit": 1024}}),
        "tpu": ("tpu", plain, {}),
        "too late": ("auto", two, {}),
        "chief": ("auto", Environment(cluster=Cluster(addresses)), {}),
        "worker": ("auto", Environment(cluster=Cluster(addresses, "worker")), {}),
        "evaluator": ("auto", Environment(cluster=Cluster(with_evaluator, "evaluator")), {}),
    }
    as_json = {
        case: (name, case == "too late", options, here.to_variables())
        for case, (name, here, options) in cases.items()
    }
    found: dict[str, Any] = run_program(PROGRAM.format(cases=json.dumps(as_json)), {})
    return found


@pytest.mark.tensorflow
@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("bare", ["_DefaultDistributionStrategy", 1]),
        ("two devices", ["MirroredStrategy", 2]),
        ("one of two", ["OneDeviceStrategy", 1]),
        ("mirrored alone", ["MirroredStrategy", 1]),
        ("four asked for", ["MirroredStrategy", 4]),
        ("hierarchical", ["MirroredStrategy", 2]),
        ("reduction to one", ["MirroredStrategy", 2]),
        ("central storage", ["CentralStorageStrategy", 2]),
        ("memory limit", ["MirroredStrategy", 2]),
        ("chief", ["CollectiveAllReduceStrategy", 2]),
        ("worker", ["CollectiveAllReduceStrategy", 2]),
        ("evaluator", ["_DefaultDistributionStrategy", 1]),
    ],
)
def test_devices_and_cluster_decide(built: dict[str, Any], case: str, expected: list[Any]) -> None:
    assert built[case] == expected


@pytest.mark.tensorflow
@pytest.mark.parametrize(
    ("case", "kind", "message"),
    [
        ("nccl", "UnsupportedHereError", "there is no GPU here; use auto, hierarchical or"),
        ("misspelt", "ValueError", "no cross_device_ops is called 'ring'; use auto, nccl, hier"),
        ("tpu", "UnsupportedHereError", "there is no TPU here; run the job on a TPU machine"),
    ],
)
def test_what_is_not_here_is_refused(
    built: dict[str, Any], case: str, kind: str, message: str
) -> None:
    found, text = built[case]
    assert (found, message in text) == (kind, True), text


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
    with pytest.raises(
        ValueError, match="use auto, default, one_device, mirrored, central_storage"
    ):
        strategy("zzz", Environment())


def test_the_chief_alone_drives_parameter_servers() -> None:
    addresses = {"chief": ("a:1",), "worker": ("b:1",), "ps": ("c:1", "d:1")}
    here = Environment(cluster=Cluster(addresses, "ps", 1))
    with pytest.raises(UnsupportedHereError, match=r"is ps 1, and only the chief"):
        strategy("auto", here)


def test_parameter_servers_need_workers() -> None:
    here = Environment(cluster=Cluster({"chief": ("a:1",), "ps": ("b:1", "c:1")}))
    with pytest.raises(UnsupportedHereError, match="the cluster has no worker"):
        strategy("auto", here)


def test_an_unknown_way_to_communicate_gets_the_nearest() -> None:
    with pytest.raises(ValueError, match="communicate is called 'nccl2'; did you mean nccl"):
        strategy("multi_worker_mirrored", Environment(), communication="nccl2")


@pytest.mark.tensorflow
def test_threads_are_set_before_tensorflow_runs(run_program: Callable[..., Any]) -> None:
    program = """
import json
import tensorflow as tf
from vertex_jobs.runtime import strategies

strategies.set_threads(inter_op=3, intra_op=2)
tf.constant(1) + 1
threading = tf.config.threading
found = [threading.get_inter_op_parallelism_threads(), threading.get_intra_op_parallelism_threads()]
try:
    strategies.set_threads(inter_op=1)
except Exception as error:
    found.append(f"{type(error).__name__}: {error}")
print(json.dumps(found))
"""
    assert run_program(program, {}) == [
        3,
        2,
        "UnsupportedHereError: the threads cannot be set to 1 and 0, since TensorFlow is already "
        "running; call strategies.set_threads() before any TensorFlow operation",
    ]


@pytest.mark.parametrize(("count", "memory_limit"), [(3, 1024), (4, None)])
def test_gpus_are_split_into_equal_parts_with_a_limit(count: int, memory_limit: int | None) -> None:
    with pytest.raises(UnsupportedHereError, match=f"{count} devices of 2 GPUs: each is split"):
        devices.share_gpus(["first", "second"], count, memory_limit)


def test_whole_gpus_are_taken_in_order() -> None:
    assert devices.share_gpus(["first", "second", "third"], 2, None) == ["GPU:0", "GPU:1"]


def test_no_device_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="count is 0; it must be at least 1"):
        devices.logical_devices(0)
