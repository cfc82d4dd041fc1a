"""The public jobs: the fields of the specs, previewed."""

from pathlib import Path
from typing import Any

import pytest

from vertex_jobs import jobs, spec
from vertex_jobs.errors import PackagingError

TUNING = """
kind: hyperparameter_tuning_job
display_name: search
container_uri: image
metric_spec: {accuracy: maximize}
parameter_spec: {rate: {type: double, min: 0, max: 1}}
max_trial_count: 2
parallel_trial_count: 1
"""


def job(**fields: Any) -> jobs.CustomJob:
    return jobs.CustomJob(**{"display_name": "job", "script_path": "train.py", **fields})


def test_a_preview_packages_the_script(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('trained')\n")
    shown = job(script_path=tmp_path / "train.py", staging_bucket="gs://mine").preview()
    spec = shown.body["jobSpec"]["workerPoolSpecs"][0]["pythonPackageSpec"]
    module = spec["pythonModule"]
    assert spec["packageUris"] == [f"gs://mine/vertex-jobs/packages/{module}-0.1.0.tar.gz"]


def test_a_preview_of_a_container_needs_no_package() -> None:
    shown = jobs.CustomJob(display_name="job", container_uri="image").preview()
    assert shown.body["jobSpec"]["workerPoolSpecs"][0]["containerSpec"] == {"imageUri": "image"}


def test_a_preview_of_a_script_that_is_not_there() -> None:
    with pytest.raises(PackagingError, match=r"no-such\.py"):
        job(script_path="no-such.py").preview()


@pytest.mark.parametrize("name", ["CustomJob", "CustomTrainingJob", "HyperparameterTuningJob"])
def test_a_public_job_has_the_fields_of_its_spec(name: str) -> None:
    public, data = getattr(jobs, name), getattr(spec, name)
    assert public.model_json_schema() == data.model_json_schema()


def test_a_config_becomes_the_job_that_a_program_would_make(tmp_path: Path) -> None:
    config = tmp_path / "search.yaml"
    config.write_text(TUNING)
    made = jobs.HyperparameterTuningJob(
        display_name="search",
        container_uri="image",
        metric_spec={"accuracy": "maximize"},
        parameter_spec={"rate": spec.DoubleParameterSpec(min=0, max=1)},
        max_trial_count=2,
        parallel_trial_count=1,
    )
    assert jobs.load(config) == made
