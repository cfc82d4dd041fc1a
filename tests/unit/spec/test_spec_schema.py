"""The published JSON Schema takes what a config may hold, and refuses what reading refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

from vertex_jobs.errors import InvalidJobError
from vertex_jobs.spec import from_mapping, load, to_mapping
from vertex_jobs.spec.schema import PUBLISHED
from vertex_jobs.spec.yaml_text import parse

ROOT = Path(__file__).parents[3]
CONFIGS = [
    *sorted((ROOT / "configs").glob("*.yaml")),
    *sorted((ROOT / "tests" / "unit" / "requests" / "golden").glob("*.yaml")),
]
jsonschema = pytest.importorskip("jsonschema", reason="is in the extra 'dev'")
SCHEMA = jsonschema.Draft202012Validator(json.loads(PUBLISHED.read_text(encoding="utf-8")))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA.schema)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_a_config_is_accepted_as_written_and_as_written_back(config: Path) -> None:
    assert SCHEMA.is_valid(parse(config.read_text(encoding="utf-8"), "config").data)
    assert SCHEMA.is_valid(to_mapping(load(config)))


STUDY: dict[str, Any] = {
    "kind": "hyperparameter_tuning_job",
    "display_name": "study",
    "script_path": "trial_scripts/digits_mlp.py",
    "metric_spec": {"accuracy": "maximize"},
    "parameter_spec": {"rate": {"type": "double", "min": 0.1, "max": 1}},
    "max_trial_count": 4,
    "parallel_trial_count": 2,
}


def test_what_a_base_may_say_need_not_be_said_again() -> None:
    assert SCHEMA.is_valid({"base": "common.yaml", "max_trial_count": 8})


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "study"},
        {"display_name": ""},
        {"display_name": 7},
        {"display_name": "x" * 129},
        {"max_trails": 3},
        {"max_trial_count": 0},
        {"max_trial_count": "4"},
        {"timeout": -1},
        {"data_files": "words.txt"},
        {"accelerator": 4},
        {"accelerator_type": "T4"},
        {"boot_disk_size_gb": 10},
        {"scheduling_strategy": "preemptible"},
        {"labels": ["a"]},
        {"nfs_mounts": [{"server": "s"}]},
        {"worker_pools": {"workers": {}}},
        {"worker_pools": {"chief": {"machin_type": "n1"}}},
        {"metric_spec": {"a": "up"}},
        {"parameter_spec": {"a": {"type": "float"}}},
        {"parameter_spec": {"a": {"type": "double", "min": "x", "max": 1}}},
        {"parameter_spec": {}},
        {"fallback": [{"region": "europe-west4"}]},
        {"local": {"pace": {"queued": "soon"}}},
    ],
)
def test_a_wrong_structure_is_refused_by_both(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidJobError):
        from_mapping({**STUDY, **change}, source="test", base_directory=ROOT)
    assert SCHEMA.is_valid(STUDY)
    assert not SCHEMA.is_valid({**STUDY, **change})
