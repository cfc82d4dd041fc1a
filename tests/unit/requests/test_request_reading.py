"""Requests read back as configs: what is built of the config is the request again."""

from pathlib import Path
from typing import Any

import pytest
from golden_requests import CONFIGS, NAMES, PACKAGE, PLACE, recorded

from vertex_jobs.requests import LOCAL_PLACE, build, place_of, read_job
from vertex_jobs.spec import from_mapping, load

READ = [name for name in NAMES if "trainingTaskInputs" not in recorded(name)]
PUBLISHED = sorted(
    path.stem
    for path in CONFIGS.glob("*.yaml")
    if path.stem not in NAMES and "kind: custom_training_job" not in path.read_text()
)


def comparable(body: dict[str, Any]) -> dict[str, Any]:
    """Without what belongs to one submission."""
    spec = dict(body.get("jobSpec") or body["trialJobSpec"])
    spec.pop("baseOutputDirectory")
    labels = {k: v for k, v in body["labels"].items() if not k.startswith("vertex-jobs-")}
    return {**body, "jobSpec": spec, "trialJobSpec": spec, "labels": labels}


def built_again(body: dict[str, Any]) -> dict[str, Any]:
    job = from_mapping(read_job(body), source="test", base_directory=Path())
    return build(job, None, place_of(job, LOCAL_PLACE)).body


@pytest.mark.parametrize("name", READ)
def test_config_that_is_read_gives_the_request_again(name: str) -> None:
    assert comparable(built_again(recorded(name))) == comparable(recorded(name))


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_configs_come_back(name: str) -> None:
    body = build(load(CONFIGS / f"{name}.yaml"), PACKAGE, PLACE).body
    assert comparable(built_again(body)) == comparable(body)


def test_short_form_is_read_where_it_says_all() -> None:
    assert "worker_pools" not in read_job(recorded("everything"))


def test_labels_of_the_submission_are_not_read() -> None:
    assert read_job(recorded("smallest")).get("labels") is None
