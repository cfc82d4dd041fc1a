"""``check`` as a person and as a program see it, and the same check before ``run``."""

import json
from pathlib import Path

import pytest

from vertex_jobs.cli import main

CONFIG = """\
kind: custom_job
display_name: x
container_uri: docker.io/me/x
staging_bucket: gs://my-bucket
timeout: 3600
"""


@pytest.fixture
def config(tmp_path: Path) -> str:
    (tmp_path / "job.yaml").write_text(CONFIG)
    return str(tmp_path / "job.yaml")


def test_a_sound_config_has_a_cost(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", config]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == f"{config}: no mistake found"
    assert "an hour of one job: 0.237 to 0.253 USD" in out
    assert "n1-standard-4: 0.2185 USD/h in us-central1 (high confidence, checked 2026-09-08)" in out


def test_every_fault_comes_as_data(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--set", "machine_type=banana-1", "--set", "timeout=soon", "--format", "json"]
    assert main(["check", config, *words]) == 2
    found = json.loads(capsys.readouterr().out)
    faults = found["faults"]
    assert [(row["path"], row["rule_id"]) for row in faults] == [
        ("timeout", "field-value"),
        ("machine_type", "machine-known"),
    ]
    assert set(faults[0]) == {
        *("rule_id", "severity", "path", "value", "rule", "remedy", "file", "line")
    }


def test_a_fault_has_file_and_line(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(config).write_text(CONFIG.replace("3600", "soon"))
    assert main(["check", config, "--format", "json"]) == 2
    (row,) = json.loads(capsys.readouterr().out)["faults"]
    assert (row["file"], row["line"]) == (config, 5)


def test_a_cost_comes_as_data(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", config, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["faults"] == []
    assert 0.23 < found["cost"]["hour"]["low"] < found["cost"]["hour"]["high"] < 0.26
    assert found["cost"]["worst_case"]["price_unknown"] == []


def test_what_is_no_yaml_comes_as_data_too(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(config).write_text("kind: [\n")
    assert main(["check", config, "--format", "json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert (found["faults"][0]["rule_id"], found["cost"]) == ("yaml", None)


def test_a_warning_is_no_refusal(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", config, "--set", "timeout=60"]) == 0
    assert "1 warning\n  warning  timeout = 60  (--set)\n" in capsys.readouterr().out


def test_run_refuses_with_every_error(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--set", "machine_type=banana-1", "--set", "accelerator_count=0", "--dry-run"]
    assert main(["run", config, *words]) == 2
    err = capsys.readouterr().err
    assert "2 faults" in err
    assert "banana-1" in err


def test_run_refuses_what_costs_too_much(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--on", "vertex", "--set", "max_cost_usd=0.1", "--yes"]
    assert main(["run", config, *words]) == 2
    assert "the worst case costs 0.237 to 0.253 USD" in capsys.readouterr().err


def test_on_this_machine_the_ceiling_is_a_warning(
    config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", config, "--set", "max_cost_usd=0.1", "--dry-run"]) == 0
    assert "warning: max_cost_usd = 0.1: the worst case costs" in capsys.readouterr().err
