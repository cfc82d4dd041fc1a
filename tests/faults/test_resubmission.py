"""A job whose machines were taken away is submitted again where its config says so."""

from pathlib import Path

import pytest

from vertex_jobs.cli import main

SCRIPT = """\
import os, time
place = os.environ["AIP_CHECKPOINT_DIR"].replace("gs://", "/gcs/")
state = os.path.join(place, "epochs.txt")
if os.path.exists(state):
    print("goes on after epoch", open(state).read(), flush=True)
else:
    os.makedirs(place, exist_ok=True)
    with open(state, "w") as file:
        file.write("1")
    print("epoch 1 is over", flush=True)
    time.sleep(60)
"""
CONFIG = """\
kind: custom_job
display_name: lost
script_path: train.py
disable_retries: true
max_resubmissions: {most}
local:
  faults:
    - {{replica: workerpool0-0, fault: preempt, log: "{log}", notice: 0.1}}
"""


#: Never comes to an end.
ENDLESS = 'import time\nprint("an epoch", flush=True)\ntime.sleep(60)\n'


def run(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    most: int,
    log: str,
    script: str = SCRIPT,
) -> tuple[int, str]:
    (folder / "train.py").write_text(script)
    (folder / "job.yaml").write_text(CONFIG.format(most=most, log=log))
    code = main(["run", str(folder / "job.yaml"), "--state-dir", str(folder / "state")])
    out, err = capsys.readouterr()
    return code, out + err


def test_it_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = run(tmp_path, capsys, most=2, log="epoch 1 is over")
    assert code == 0, said
    assert said.count("its machines were taken away: submitted again, 1 of 2") == 1
    assert "goes on after epoch 1" in said


def test_it_is_submitted_no_more_often_than_the_config_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = run(tmp_path, capsys, most=1, log="an epoch", script=ENDLESS)
    assert code == 1
    assert said.count("submitted again") == 1


def test_without_the_key_it_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = run(tmp_path, capsys, most=0, log="epoch 1 is over")
    assert (code, "submitted again" in said) == (1, False)
