"""A job written back as a config reads back to an equal job."""

from pathlib import Path
from typing import Any

import pytest

from vertex_jobs.spec import CustomJob, JobSpec, from_mapping, load, to_mapping, to_yaml

ROOT = Path(__file__).parents[3]
CONFIGS = [
    *sorted((ROOT / "configs").glob("*.yaml")),
    *sorted((ROOT / "tests" / "unit" / "requests" / "golden").glob("*.yaml")),
]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_a_config_survives_as_mapping_and_as_text(config: Path, tmp_path: Path) -> None:
    job = load(config)
    assert from_mapping(to_mapping(job), source="test", base_directory=tmp_path) == job
    (tmp_path / "again.yaml").write_text(to_yaml(job), encoding="utf-8")
    assert load(tmp_path / "again.yaml") == job


def test_what_is_at_its_default_is_left_out() -> None:
    job = CustomJob(display_name="job", container_uri="image", worker_pools={"chief": {}})
    assert list(to_mapping(job).items()) == [
        ("kind", "custom_job"),
        ("display_name", "job"),
        ("container_uri", "image"),
        ("worker_pools", {"chief": {}}),
    ]


TEXTS = ["1e-4", "010", "0o17", "yes", "null", "~", "", "12:30", "2026-11-20", "a: b", "ä ✓", "<<"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_stays_a_text(text: str, tmp_path: Path) -> None:
    job = container(args=["x", text], environment_variables={"A": text})
    assert read_back(job, tmp_path) == job


@pytest.mark.parametrize("number", [1e-05, 1e20, 0.1, 3, -2, 1.0, True])
def test_a_number_stays_the_number(number: float, tmp_path: Path) -> None:
    job = container(args={"x": number})
    assert read_back(job, tmp_path).argument_tokens() == job.argument_tokens()


def container(**fields: Any) -> CustomJob:
    return CustomJob(display_name="job", container_uri="image", **fields)


def read_back(job: JobSpec, directory: Path) -> JobSpec:
    (directory / "job.yaml").write_text(to_yaml(job), encoding="utf-8")
    return load(directory / "job.yaml")
