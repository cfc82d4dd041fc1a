"""Worker pools, arguments and the schema of correct jobs."""

import contextlib
import inspect
import json
import random
from pathlib import Path
from typing import Any, get_args

import pytest
from google.cloud.aiplatform_v1.types import AcceleratorType as ApiAcceleratorType

from vertex_jobs.errors import InvalidJobError
from vertex_jobs.spec import CustomJob, HyperparameterTuningJob, from_mapping, json_schema
from vertex_jobs.spec.base import Spec
from vertex_jobs.spec.kinds import KINDS
from vertex_jobs.spec.machine_fields import AcceleratorType
from vertex_jobs.spec.parameters import (
    CategoricalParameterSpec,
    DiscreteParameterSpec,
    DoubleParameterSpec,
    IntegerParameterSpec,
)

PARAMETER_KINDS = (
    CategoricalParameterSpec,
    DiscreteParameterSpec,
    DoubleParameterSpec,
    IntegerParameterSpec,
)


def job(**fields: Any) -> CustomJob:
    return CustomJob(**{"display_name": "job", "script_path": "train.py", **fields})


@pytest.mark.parametrize(
    ("args", "tokens"),
    [
        (
            {"epochs": 20, "rate": 1e-4, "name": "a b"},
            ("--epochs=20", "--rate=0.0001", "--name=a b"),
        ),
        ({"fast": True, "slow": False}, ("--fast=true", "--slow=false")),
        (["--epochs", 20, 0.1, True], ("--epochs", "20", "0.1", "true")),
        ({"list": ""}, ("--list=",)),
        ([], ()),
    ],
)
def test_arguments_become_tokens(args: Any, tokens: tuple[str, ...]) -> None:
    assert job(args=args).argument_tokens() == tokens


def test_one_replica_is_a_chief_alone() -> None:
    roles = [(pool.role, pool.replica_count) for pool in job().worker_pools_resolved()]
    assert roles == [("chief", 1)]


def test_more_replicas_are_workers_with_the_same_machines() -> None:
    chief, workers = job(replica_count=4, machine_type="e2-standard-4").worker_pools_resolved()
    assert (workers.role, workers.replica_count, workers.machine_type) == (
        "workers",
        3,
        chief.machine_type,
    )


def test_the_image_fits_the_accelerator() -> None:
    pools = {
        "chief": {"accelerator_type": "NVIDIA_L4", "accelerator_count": 1},
        "workers": {"machine_type": "ct5lp-hightpu-1t", "tpu_topology": "1x1"},
        "evaluators": {},
    }
    images = [pool.container_uri for pool in job(worker_pools=pools).worker_pools_resolved()]
    slim = "docker.io/python:3.11-slim"
    assert images == [slim, slim, "docker.io/tensorflow/tensorflow:2.21.0"]


def test_a_pool_with_a_command_runs_its_image_and_nothing_of_the_job() -> None:
    server = {"container_uri": "server", "command": ["serve"]}
    pools = {"chief": {}, "parameter_servers": server}
    resolved = job(
        worker_pools=pools, args=["--a"], environment_variables={"A": "1"}
    ).worker_pools_resolved()
    assert resolved[1].index == 2
    assert (resolved[1].runs_package, resolved[1].args, resolved[1].environment_variables) == (
        False,
        (),
        {},
    )


def test_the_reduction_server_runs_as_it_is() -> None:
    image = "us-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest"
    pools = {"chief": {}, "parameter_servers": {"container_uri": image}}
    assert not job(worker_pools=pools, args=["--a"]).worker_pools_resolved()[1].runs_package


def test_the_disk_fits_the_machine() -> None:
    pools = {"chief": {"machine_type": "a4-highgpu-8g"}, "workers": {}}
    disks = [pool.boot_disk_type for pool in job(worker_pools=pools).worker_pools_resolved()]
    assert disks == ["hyperdisk-balanced", "pd-ssd"]


def test_a_python_path_is_a_script_path() -> None:
    assert job(script_path=Path("train.py")).script_path == "train.py"


def test_every_accelerator_of_the_api_can_be_named() -> None:
    api = set(ApiAcceleratorType.__members__) - {"ACCELERATOR_TYPE_UNSPECIFIED"}
    assert set(get_args(AcceleratorType)) == api


def test_a_local_pace_is_in_seconds() -> None:
    settings = job(local={"pace": {"queued": "2m", "pending": "500ms"}}).local
    assert settings.model_dump()["pace"] == {"queued": 120.0, "pending": 0.5}


@pytest.mark.parametrize("kind", [*KINDS, None])
def test_the_schema_is_json_and_closed(kind: str | None) -> None:
    text = json.dumps(json_schema(kind))
    assert '"additionalProperties": false' in text


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_requires_the_kind_and_explains_each_field(kind: str) -> None:
    schema = json_schema(kind)
    described = [name for name, field in schema["properties"].items() if "description" in field]
    assert "kind" in schema["required"]
    assert {"kind", *described} == set(schema["properties"])


def test_the_schema_has_the_limits() -> None:
    timeout = json_schema("custom_job")["properties"]["timeout"]["anyOf"][0]
    assert (timeout["exclusiveMinimum"], timeout["type"]) == (0, "integer")


@pytest.mark.parametrize("model", [*KINDS.values(), *PARAMETER_KINDS])
def test_every_rule_takes_fields_of_its_model(model: type[Spec]) -> None:
    for rule in (*model.rules, *model.whole_rules):
        assert set(inspect.signature(rule).parameters) <= set(model.model_fields)


JUNK: list[Any] = [
    None,
    True,
    -1,
    1.5,
    float("nan"),
    "",
    "a b",
    [],
    {},
    [None],
    {1: 2},
    {"": ""},
    b"x",
    [[]],
]


@pytest.mark.parametrize("seed", range(100))
def test_nothing_written_ends_in_another_error(seed: int, tmp_path: Path) -> None:
    """Two random values of a config replaced by something senseless."""
    rng = random.Random(seed)
    (tmp_path / "train.py").write_text("")
    written: dict[str, Any] = {
        "kind": "hyperparameter_tuning_job",
        "display_name": "job",
        "script_path": "train.py",
        "args": ["--a", 1],
        "worker_pools": {"chief": {"args": {"a": 1}}, "workers": {"replica_count": 2}},
        "metric_spec": {"a": "maximize"},
        "parameter_spec": {
            "n": {"type": "integer", "min": 1, "max": 2},
            "o": {"type": "categorical", "values": ["a", "b"], "when": {"n": [1]}},
        },
        "max_trial_count": 2,
        "parallel_trial_count": 1,
        "fallback": [{"location": "europe-west4"}],
        "local": {"pace": {"queued": "5s"}, "initial_trials": [{"n": 2}]},
    }
    for _ in range(2):
        holder, key = rng.choice(list(_places(written)))
        holder[key] = rng.choice(JUNK)
    with contextlib.suppress(InvalidJobError):
        assert isinstance(
            from_mapping(written, source="test", base_directory=tmp_path), HyperparameterTuningJob
        )


def _places(node: Any) -> Any:
    keys = list(node) if isinstance(node, dict) else range(len(node))
    for key in keys:
        yield node, key
        if isinstance(node[key], (dict, list)):
            yield from _places(node[key])
