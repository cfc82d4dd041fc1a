import sqlite3
from pathlib import Path

import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.errors import UnsupportedHereError

TUNING_JOB = "projects/1/locations/us-central1/hyperparameterTuningJobs/5"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "resources.sqlite")


def test_what_was_saved_is_there_after_reopening(store: Store, tmp_path: Path) -> None:
    job = protos.CustomJob(name="projects/1/locations/us-central1/customJobs/7", display_name="a")
    store.insert(job, project="p", settings={"seed": 3})
    again = Store(tmp_path / "resources.sqlite")
    assert (again.load("customJobs", "7"), again.settings("customJobs", "7")) == (job, {"seed": 3})


def test_a_snapshot_is_independent_of_later_changes(store: Store) -> None:
    job = protos.CustomJob(name="projects/1/locations/us-central1/customJobs/7", display_name="a")
    store.insert(job, project="p")
    before = store.load("customJobs", "7")
    job.display_name = "b"
    store.save(job)
    assert before.display_name == "a"


def test_trials_come_in_order_of_completion_unfinished_last(store: Store) -> None:
    store.insert(protos.HyperparameterTuningJob(name=TUNING_JOB), project="p")
    for number in (1, 2, 3, 4):
        store.save_trial("5", protos.Trial(id=str(number)))
    for number in (3, 1):
        store.save_trial("5", protos.Trial(id=str(number)), finished=True)
    store.save_trial("5", protos.Trial(id="3"), finished=True)
    assert [trial.id for trial in store.trials("5")] == ["3", "1", "2", "4"]


def test_a_failed_transaction_leaves_nothing(store: Store) -> None:
    job = protos.CustomJob(name="projects/1/locations/us-central1/customJobs/7")
    store.insert(job, project="p")
    with pytest.raises(sqlite3.IntegrityError), store.transaction():
        _insert_twice(store)
    assert store.load("customJobs", "8") is None


def _insert_twice(store: Store) -> None:
    for number in (8, 7):
        name = f"projects/1/locations/us-central1/customJobs/{number}"
        store.insert(protos.CustomJob(name=name), project="p")


def test_a_store_of_another_version_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "resources.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(UnsupportedHereError, match=r"has store version 99, this vertex-jobs reads"):
        Store(path)


def test_a_damaged_store_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "resources.sqlite"
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(UnsupportedHereError, match="is not a readable store"):
        Store(path)


def test_trials_of_a_study_are_read_and_deleted_by_id(store: Store) -> None:
    for number in (1, 2):
        store.save_trial("9", protos.Trial(id=str(number)))
    store.delete_trial("9", "1")
    assert (store.trial("9", "1"), store.trial("9", "2")) == (None, protos.Trial(id="2"))


def test_a_page_is_asked_for_by_the_projects_number(store: Store) -> None:
    job = protos.CustomJob(name="projects/1/locations/us-central1/customJobs/7")
    store.insert(job, project="p")
    found = [list(store.page("customJobs", number, "-", None)) for number in ("1", "p")]
    assert [len(rows) for rows in found] == [1, 0]
