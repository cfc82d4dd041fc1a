"""Staged files of a local directory; those of Cloud Storage are in the storage suite."""

from pathlib import Path

from vertex_jobs.runtime import uploads


def test_a_local_directory_is_its_own_folder(tmp_path: Path) -> None:
    directory = tmp_path / "1" / "model"
    with uploads.staged(str(directory)) as folder:
        assert folder == f"{directory}/"
        Path(folder, "saved_model.pb").write_bytes(b"model")
    assert (directory / "saved_model.pb").read_bytes() == b"model"


def test_a_folder_ends_in_one_slash(tmp_path: Path) -> None:
    with uploads.staged(f"{tmp_path}/") as folder:
        assert folder == f"{tmp_path}/"
