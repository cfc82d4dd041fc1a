"""The public jobs: the fields of the specs, previewed."""

import re
from pathlib import Path
from typing import Any

import pytest

from vertex_jobs import jobs, spec
from vertex_jobs.errors import InvalidJobError, PackagingError

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
    command = shown.body["jobSpec"]["workerPoolSpecs"][0]["containerSpec"]["command"][2]
    package = re.search(r"/gcs/mine/vertex-jobs/packages/(\w+)-0\.1\.0\.tar\.gz", command)
    assert package is not None, command
    assert f" -m {package[1]} " in command


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


class SdkSpec:
    """What the SDK's parameter specs look like from outside."""

    _parameter_spec_value_key = "integer_value_spec"

    def __init__(self, **attributes: Any) -> None:
        self.min, self.max, self.scale = 1, 3, "linear"
        self.parent_values: list[int] | None = None
        self.conditional_parameter_spec: dict[str, SdkSpec] | None = None
        self.__dict__.update(attributes)


def sdk_study(parameter_spec: dict[str, Any]) -> jobs.HyperparameterTuningJob:
    return jobs.HyperparameterTuningJob(
        display_name="sdk",
        script_path="train.py",
        metric_spec={"loss": "minimize"},
        parameter_spec=parameter_spec,
        max_trial_count=2,
        parallel_trial_count=1,
    )


def test_an_sdk_child_gets_its_condition() -> None:
    child = SdkSpec(parent_values=[2, 3])
    study = sdk_study({"layers": SdkSpec(conditional_parameter_spec={"width": child})})
    assert study.parameter_spec["width"].when == {"layers": (2, 3)}


def test_an_sdk_child_whose_name_is_taken_is_a_fault() -> None:
    parents = {
        name: SdkSpec(conditional_parameter_spec={"width": SdkSpec(parent_values=[1])})
        for name in ("a", "b")
    }
    with pytest.raises(InvalidJobError, match=r"width \(under b\): stands more than once"):
        sdk_study(parents)


def test_a_wrong_scale_of_the_sdk_is_a_fault() -> None:
    with pytest.raises(InvalidJobError, match=r"parameter_spec\.n\.scale = 'logarithmic'"):
        sdk_study({"n": SdkSpec(scale="logarithmic")})
