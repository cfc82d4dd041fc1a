"""Which directories are taken for the state, and which are somebody's."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.state import MARKER, check_state_directory, state_directory, take_state_directory

#: A user who is not the one that tests run as.
NOBODY = 65534
ENDPOINT = {"port": 1, "pid": 0, "token": "t", "project": "p", "location": "l"}
ENTRY = {"creates": [], "changed": 0.0, "headers": {}}


@pytest.mark.parametrize("named", ["", "  "])
def test_an_empty_name_is_refused(named: str) -> None:
    with pytest.raises(UnsupportedHereError, match=r"state_dir is '.*', which names no directory"):
        state_directory(named)


def test_an_empty_variable_is_refused() -> None:
    with pytest.raises(UnsupportedHereError, match="VERTEX_JOBS_STATE_DIR is '', which names no"):
        state_directory(None, {"VERTEX_JOBS_STATE_DIR": ""})


def test_a_name_decides_over_the_variable(tmp_path: Path) -> None:
    assert state_directory(tmp_path, {"VERTEX_JOBS_STATE_DIR": ""}) == tmp_path


def test_the_variable_decides_over_the_default(tmp_path: Path) -> None:
    assert state_directory(None, {"VERTEX_JOBS_STATE_DIR": str(tmp_path)}) == tmp_path


def test_the_default_is_below_the_home() -> None:
    assert state_directory(None, {}) == Path.home() / ".local" / "state" / "vertex-jobs"


def test_a_relative_name_is_settled_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert state_directory("here") == tmp_path / "here"


@pytest.mark.parametrize("folder", ["", "new", "new/below"])
def test_an_empty_or_new_directory_is_marked(tmp_path: Path, folder: str) -> None:
    take_state_directory(tmp_path / folder)
    assert "vertex-jobs" in (tmp_path / folder / MARKER).read_text()


def test_a_marked_directory_is_taken_again_whatever_it_holds(tmp_path: Path) -> None:
    take_state_directory(tmp_path)
    (tmp_path / "notes").write_text("mine")
    take_state_directory(tmp_path)
    assert (tmp_path / "notes").read_text() == "mine"


def test_looking_makes_nothing(tmp_path: Path) -> None:
    check_state_directory(tmp_path / "new")
    check_state_directory(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_directory_of_somebodys_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(UnsupportedHereError, match=r"is not empty and no state directory.*name a"):
        take_state_directory(tmp_path)


@pytest.mark.parametrize(
    ("name", "form"),
    [("endpoint.json", ENDPOINT), ("submissions/ab.json", ENTRY)],
)
def test_the_state_of_a_release_without_a_marker_is_taken(
    tmp_path: Path, name: str, form: dict[str, object]
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(json.dumps(form))
    take_state_directory(tmp_path)
    assert (tmp_path / MARKER).is_file()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"port": 1}', json.dumps({**ENDPOINT, "x": 1})])
@pytest.mark.parametrize("name", ["endpoint.json", "submissions/ab.json"])
def test_files_of_the_same_name_make_no_state(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    with pytest.raises(UnsupportedHereError, match=f"it has no file {MARKER}"):
        take_state_directory(tmp_path)


def test_a_folder_is_no_marker(tmp_path: Path) -> None:
    (tmp_path / MARKER).mkdir()
    with pytest.raises(UnsupportedHereError, match="is not empty"):
        take_state_directory(tmp_path)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.fixture
def umask_000() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask_000")
def test_what_is_made_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "above" / "state"
    take_state_directory(path)
    assert [mode(one) for one in (path.parent, path, path / MARKER)] == [0o700, 0o700, 0o600]


@pytest.mark.parametrize("before", [0o755, 0o775, 0o777, 0o711])
def test_a_directory_that_others_may_enter_is_closed_to_them(tmp_path: Path, before: int) -> None:
    tmp_path.chmod(before)
    take_state_directory(tmp_path)
    assert mode(tmp_path) == 0o700


def other_users(folder: Path) -> Path:
    """A directory that is not ours: any user's for root, root's for any user."""
    if os.geteuid():
        return Path("/")
    os.chown(folder, NOBODY, NOBODY)
    return folder


def test_a_directory_of_another_user_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedHereError, match=r"belongs to user \w+, and a state directory"):
        take_state_directory(other_users(tmp_path))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of another user")
def test_what_another_user_has_put_there_is_neither_run_nor_read(tmp_path: Path) -> None:
    take_state_directory(tmp_path)
    planted = tmp_path / "environments" / "bin" / "python"
    planted.parent.mkdir(parents=True)
    planted.touch()
    os.chown(planted, NOBODY, NOBODY)
    tmp_path.chmod(0o777)
    for _ in range(2):
        with pytest.raises(UnsupportedHereError, match=rf"{planted} in it belongs to user"):
            take_state_directory(tmp_path)
