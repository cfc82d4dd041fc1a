"""A person's files in a directory that a command was given by mistake: all of them stay."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vertex_jobs import local
from vertex_jobs.emulator import server
from vertex_jobs.errors import UnsupportedHereError

#: Where a server keeps what it removes when it starts.
SWEPT = (
    "work/thesis.tex",
    "work/2024/data.csv",
    "objects/payloads/123",
    "objects/incoming/tmp/photo.jpg",
    "objects/uploads/letter.txt",
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A directory of somebody's."""
    for name in SWEPT:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("years of work")
    return tmp_path


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("words", "variables"),
    [
        (["list", "--state-dir", ""], {}),
        (["list", "--state-dir", "."], {}),
        (["list"], {"VERTEX_JOBS_STATE_DIR": ""}),
        (["list"], {"VERTEX_JOBS_STATE_DIR": "."}),
        (["demo", "--state-dir", "."], {}),
        (["list", "--on", "vertex", "--project", "p", "--state-dir", "."], {}),
        (["emulate", "--state-dir", ".", "--", "true"], {}),
    ],
)
def test_a_command_refuses_it_at_once(
    home: Path, words: list[str], variables: dict[str, str]
) -> None:
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "vertex_jobs", *words],
        cwd=home,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    seconds = time.monotonic() - began
    assert (done.returncode, files(home)) == (2, sorted(SWEPT)), done.stderr
    assert "directory" in done.stderr
    assert seconds < 20


def test_doctor_says_that_it_is_not_ours(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "vertex_jobs", "doctor", "--state-dir", str(home)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "is not empty and no state directory" in done.stdout) == (1, True)


@pytest.mark.parametrize("name", ["", "."])
def test_the_library_refuses_it(home: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    with pytest.raises(UnsupportedHereError, match="name"):
        local(state_dir=name)
    assert files(home) == sorted(SWEPT)


@pytest.mark.parametrize("name", ["", "."])
def test_a_server_refuses_it(home: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    assert (server.main(["--state-dir", name]), files(home)) == (2, sorted(SWEPT))


def test_files_that_came_later_stay(tmp_path: Path) -> None:
    """The directory was empty when it was taken, and somebody kept his work in it afterwards."""
    endpoint = local(state_dir=tmp_path)
    endpoint.server.stop()
    for name in set(SWEPT) - {"objects/payloads/123"}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("years of work")
    (tmp_path / "objects/payloads/letter.txt").write_text("years of work")
    endpoint = local(state_dir=tmp_path)
    endpoint.server.stop()
    expected = {"work/thesis.tex", "objects/uploads/letter.txt", "objects/payloads/letter.txt"}
    assert expected <= set(files(tmp_path))


def test_a_damaged_store_is_named_at_once(tmp_path: Path) -> None:
    endpoint = local(state_dir=tmp_path)
    endpoint.server.stop()
    for path in tmp_path.glob("resources.sqlite*"):
        path.write_bytes(b"no store" * 512)
    began = time.monotonic()
    with pytest.raises(UnsupportedHereError, match="is not a readable store"):
        local(state_dir=tmp_path)
    assert time.monotonic() - began < 20
