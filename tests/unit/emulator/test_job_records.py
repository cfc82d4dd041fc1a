"""One job in the store: how its record reads and changes it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.resources.job_records import JobRecord, JobRecords
from vertex_jobs.emulator.store.logbook import Logbook
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.names import ResourceName

NAME = ResourceName("1", "us-central1", "hyperparameterTuningJobs", "5")


@pytest.fixture
def record(tmp_path: Path) -> Iterator[JobRecord]:
    store, logbook = Store(tmp_path / "resources.sqlite"), Logbook(tmp_path / "logs")
    job = protos.HyperparameterTuningJob(name=str(NAME), state=states.PENDING)
    settings = {"fresh": True, "seed": 3, "warnings": ["old image"]}
    store.insert(job, project="mine", settings=settings)
    yield JobRecord(JobRecords(store, Identity(), logbook), NAME)
    store.close()
    logbook.close()


def lines(record: JobRecord) -> list[tuple[str, str, str]]:
    found = record._records.logbook.read(record.job_id)
    return [(line.task, line.severity, line.text) for line in found]


def test_a_record_has_its_settings_typed(record: JobRecord) -> None:
    settings = record.settings
    assert (settings.fresh, settings.local.seed, settings.warnings) == (True, 3, ("old image",))


def test_changes_are_durable_one_by_one(record: JobRecord) -> None:
    record.advance(states.RUNNING)
    record.end(Ending(states.FAILED, "INTERNAL", "lost"))
    job = record.load()
    assert (job.state, job.error.code, job.error.message) == (states.FAILED, 13, "lost")


def test_a_job_that_has_ended_is_not_cancelled(record: JobRecord) -> None:
    record.advance(states.FAILED)
    record.request_cancel()
    assert record.load().state == states.FAILED


def test_a_line_is_the_services_unless_it_is_a_replicas(record: JobRecord) -> None:
    record.say_warnings()
    record.say("ready", task="workerpool0-0")
    assert lines(record) == [
        ("service", "WARNING", "old image"),
        ("workerpool0-0", "INFO", "ready"),
    ]


def test_a_trial_changes_its_tuning_job(record: JobRecord) -> None:
    before = record.load().update_time.ToNanoseconds()
    record.save_trial(protos.Trial(id="1"))
    assert [trial.id for trial in record.trials()] == ["1"]
    assert record.load().update_time.ToNanoseconds() > before


def test_an_owned_job_runs_with_its_owners_settings_and_its_own_warnings(
    record: JobRecord,
) -> None:
    job = record.new_custom_job("a trial", protos.CustomJobSpec())
    record.insert_owned(job, {"data_variables": {"AIP_DATA_FORMAT": "csv"}})
    owned = record.owned(job.name)
    assert (owned.settings.fresh, owned.settings.local.seed) == (True, 3)
    assert owned.settings.warnings == ()
    assert owned.settings.data_variables == {"AIP_DATA_FORMAT": "csv"}
    assert record.store.owned(str(NAME)) == [("customJobs", owned.job_id)]
