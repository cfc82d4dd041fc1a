"""A config with faults, read as far as it can be, for whoever looks for more of them."""

from pathlib import Path

import pytest

from vertex_jobs.errors import InvalidJobError
from vertex_jobs.spec import Reading, examine

CONFIG = """\
kind: custom_job
display_name: x
container_uri: docker.io/me/x
machine_type: n1-standard-8
"""


def examined(tmp_path: Path, text: str) -> Reading:
    (tmp_path / "job.yaml").write_text(text)
    return examine(tmp_path / "job.yaml")


def test_a_config_without_faults_gives_the_job(tmp_path: Path) -> None:
    reading = examined(tmp_path, CONFIG)
    assert reading.valid_job().machine_type == "n1-standard-8"
    assert not reading.damaged


def test_what_can_be_read_is_there_beside_the_faults(tmp_path: Path) -> None:
    reading = examined(tmp_path, CONFIG + "timeout: soon\nlabels: {Team: x}\n")
    assert reading.job.machine_type == "n1-standard-8"
    assert reading.damaged == {"timeout"}
    assert [fault.path for fault in reading.faults] == ["timeout", "labels.Team"]


def test_a_script_that_is_not_there_damages_its_field(tmp_path: Path) -> None:
    reading = examined(tmp_path, "kind: custom_job\ndisplay_name: x\nscript_path: no.py\n")
    assert reading.job.script_path is None
    assert reading.damaged == {"script_path"}


def test_faults_make_no_valid_job(tmp_path: Path) -> None:
    with pytest.raises(InvalidJobError, match="2 faults"):
        examined(tmp_path, "kind: custom_job\n").valid_job()
