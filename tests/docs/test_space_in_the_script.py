"""The script and the config of "Keep the search space in the script" are checked and shown."""

import json
from pathlib import Path

import pytest
from test_readme import ROOT, blocks

from vertex_jobs.cli import main

PAGE = ROOT / "docs" / "how-to" / "space-in-the-script.md"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "own_space.py").write_text(blocks(PAGE, "python")[0])
    path = tmp_path / "own_space.yaml"
    path.write_text(blocks(PAGE, "yaml")[0])
    return path


def test_the_space_is_what_the_script_accepts(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(config), "--format", "json"]) == 0
    faults = json.loads(capsys.readouterr().out)["faults"]
    paths = {fault["path"].partition(".")[0] for fault in faults}
    assert not paths & {"script_path", "parameter_spec", "metric_spec"}


def test_the_request_holds_it_with_what_the_command_line_changes(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["show", str(config), "--set", "parameter_spec.learning_rate.max=0.03"])
    parameters = json.loads(capsys.readouterr().out)["studySpec"]["parameters"]
    rate = next(one for one in parameters if one["parameterId"] == "learning_rate")
    assert (
        [one["parameterId"] for one in parameters],
        rate["doubleValueSpec"],
        rate["scaleType"],
    ) == (
        ["learning_rate", "n_units", "batch_size", "optimizer"],
        {"minValue": 1e-6, "maxValue": 0.03},
        "UNIT_LOG_SCALE",
    )


def test_the_second_config_takes_one_parameter_and_writes_the_other(config: Path) -> None:
    text = config.read_text().replace("parameter_spec: from_script\n", blocks(PAGE, "yaml")[1])
    config.write_text(text)
    assert main(["show", str(config)]) == 0
