"""Configs on bases and under overlays: what wins, and where a fault says it stands."""

import os
from pathlib import Path
from typing import Any

import pytest

from vertex_jobs.errors import InvalidJobError
from vertex_jobs.spec import HyperparameterTuningJob, JobSpec, load

COMMON = """\
kind: hyperparameter_tuning_job
display_name: common
container_uri: image
labels: {team: digits, stage: test}
args: [--epochs=3, --fast]
metric_spec: {accuracy: maximize}
parameter_spec:
  rate: {type: double, min: 0.1, max: 1, scale: log}
  layers: {type: integer, min: 1, max: 3}
max_trial_count: 8
parallel_trial_count: 2
search_algorithm: random
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("common.yaml", COMMON)
    return tmp_path


def write(name: str, text: str) -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")
    return name


def faults_of(config: str, *overlays: str, overrides: tuple[str, ...] = ()) -> list[str]:
    with pytest.raises(InvalidJobError) as caught:
        load(config, overrides, overlays)
    return [f"{fault.path} {fault.rule} [{fault.place}]" for fault in caught.value.faults]


def study(job: JobSpec) -> HyperparameterTuningJob:
    assert isinstance(job, HyperparameterTuningJob)
    return job


def test_a_config_lies_over_its_base() -> None:
    job = study(load(write("study.yaml", "base: common.yaml\nlabels: {stage: live}\n")))
    assert (job.labels, job.max_trial_count) == ({"team": "digits", "stage": "live"}, 8)


def test_a_list_is_replaced_and_null_takes_away() -> None:
    text = "base: common.yaml\nargs: [--epochs=9]\nsearch_algorithm: null\n"
    job = study(load(write("study.yaml", text)))
    assert (job.argument_tokens(), job.search_algorithm) == (("--epochs=9",), None)


def test_a_parameter_merges_unless_its_type_changes() -> None:
    text = """\
base: common.yaml
parameter_spec:
  rate: {type: discrete, values: [0.1, 0.2]}
  layers: {max: 5}
"""
    parameters = study(load(write("study.yaml", text))).parameter_spec
    assert parameters["rate"].model_dump(exclude_none=True) == {
        "type": "discrete",
        "values": (0.1, 0.2),
    }
    assert parameters["layers"].model_dump(include={"min", "max"}) == {"min": 1, "max": 5}


def test_bases_overlays_and_overrides_come_in_order() -> None:
    write("gpu.yaml", "accelerator: T4:1\nmax_trial_count: 20\n")
    write("study.yaml", "base: [common.yaml, gpu.yaml]\ntimeout: 60\n")
    overlay = write("live.yaml", "timeout: 3600\nmax_trial_count: 30\n")
    job = study(load("study.yaml", ["max_trial_count=40"], [overlay]))
    assert (job.accelerator_count, job.timeout, job.max_trial_count) == (1, 3600, 40)


def test_a_base_is_found_from_the_file_that_names_it() -> None:
    write("team/machines.yaml", "machine_type: e2-standard-8\n")
    write("team/common.yaml", "base: machines.yaml\n" + COMMON)
    assert load(write("mine/study.yaml", "base: ../team/common.yaml\n")).machine_type == (
        "e2-standard-8"
    )


def test_a_script_is_found_from_the_file_that_names_it(folder: Path) -> None:
    write("team/train.py", "")
    text = COMMON.replace("container_uri: image", "script_path: train.py")
    write("team/common.yaml", text)
    job = load(write("mine/study.yaml", "base: ../team/common.yaml\n"))
    assert job.script_path == str(folder / "team" / "train.py")


def test_two_ways_to_one_base_are_no_circle() -> None:
    write("a.yaml", "base: common.yaml\n")
    write("b.yaml", "base: common.yaml\n")
    assert load(write("c.yaml", "base: [a.yaml, b.yaml]\n")).display_name == "common"


def test_faults_name_file_and_line() -> None:
    write("study.yaml", "base: common.yaml\n\nparallel_trial_count: 0\n")
    overlay = write("live.yaml", "labels:\n  Team: x\nmax_trails: 3\n")
    overrides = ("parameter_spec.layers.min=x", "timeout=0")
    assert set(faults_of("study.yaml", overlay, overrides=overrides)) == {
        "parallel_trial_count must be at least 1 [study.yaml:3]",
        "labels.Team a label's key has lower case letters, digits, _ and - only [live.yaml:2]",
        "max_trails is no key here [live.yaml:3]",
        "parameter_spec.layers.min must be a whole number [--set]",
        "timeout must be greater than 0 [--set]",
    }


def test_what_is_missing_is_placed_at_what_lacks_it() -> None:
    text = "base: common.yaml\nparameter_spec:\n  rate:\n    type: integer\n    min: 1\n"
    expected = ["parameter_spec.rate.max is required [study.yaml:3]"]
    assert faults_of(write("study.yaml", text)) == expected


def test_a_base_that_is_not_there() -> None:
    text = COMMON + "base:\n  - common.yaml\n  - comon.yaml\n"
    expected = ["base is not there, seen from . [study.yaml:15]"]
    assert faults_of(write("study.yaml", text)) == expected


def test_a_circle_of_bases_is_named() -> None:
    write("a.yaml", "base: b.yaml\n" + COMMON)
    write("b.yaml", "base: a.yaml\n")
    assert faults_of("a.yaml") == ["base goes in a circle: a.yaml on b.yaml on a.yaml [b.yaml:1]"]


@pytest.mark.parametrize("base", ["7", "''", "{a: b}"])
def test_a_base_is_a_path(base: str) -> None:
    (fault,) = faults_of(write("study.yaml", f"base: {base}\n{COMMON}"))
    assert fault == "base must be the path of a config, or a list [study.yaml:1]"


def test_an_overlay_that_is_not_there() -> None:
    with pytest.raises(InvalidJobError, match=r"other\.yaml: 1 fault"):
        load("common.yaml", (), ["other.yaml"])


def test_a_key_that_stands_twice_in_a_base_is_told() -> None:
    write("base.yaml", "timeout: 1\ntimeout: 2\n" + COMMON)
    (fault,) = faults_of(write("study.yaml", "base: base.yaml\n"))
    assert fault.startswith("timeout stands twice, in line 1 and in line 2")


def test_anchors_keep_their_lines() -> None:
    text = COMMON + "local:\n  initial_trials:\n    - &a {rate: 1, layers: 9}\n    - *a\n"
    places: list[Any] = faults_of(write("study.yaml", text))
    assert [place.rpartition("[")[2] for place in places] == ["study.yaml:15]", "study.yaml:15]"]


def test_a_file_is_read_from_any_directory(folder: Path) -> None:
    os.mkdir("elsewhere")
    write("study.yaml", "base: common.yaml\n")
    os.chdir("elsewhere")
    assert load(folder / "study.yaml").display_name == "common"
