"""The requests as recorded, and as Google's own protos read and write them."""

from typing import Any

import pytest
from golden_requests import NAMES, recorded, request
from google.cloud import aiplatform_v1 as api
from google.protobuf import json_format

RESOURCES = {
    "customJobs": api.CustomJob,
    "hyperparameterTuningJobs": api.HyperparameterTuningJob,
    "trainingPipelines": api.TrainingPipeline,
}


def through_proto(message: Any, body: dict[str, Any]) -> dict[str, Any]:
    """The body parsed into the real proto, unknown fields refused, and written again."""
    parsed = json_format.ParseDict(body, message.pb(message()))
    written: dict[str, Any] = json_format.MessageToDict(parsed)
    return written


@pytest.mark.parametrize("name", NAMES)
def test_equals_the_golden_file(name: str) -> None:
    assert request(name).body == recorded(name)


@pytest.mark.parametrize("name", NAMES)
def test_survives_the_real_proto(name: str) -> None:
    built = request(name)
    assert through_proto(RESOURCES[built.collection], built.body) == built.body


@pytest.mark.parametrize("name", ["digits_training", "model"])
def test_task_inputs_are_a_job_spec(name: str) -> None:
    inputs = request(name).body["trainingTaskInputs"]
    assert through_proto(api.CustomJobSpec, inputs) == inputs


@pytest.mark.parametrize("name", NAMES)
def test_is_the_same_each_time(name: str) -> None:
    assert repr(request(name)) == repr(request(name))
