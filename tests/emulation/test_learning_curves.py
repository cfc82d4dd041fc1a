"""The file of measurements in a bucket: written at once, kept over a restart, never a failure."""

import json
import logging
from typing import Any

import pytest

from vertex_jobs.endpoints import Endpoint
from vertex_jobs.names import GcsUri
from vertex_jobs.runtime.measurement_file import MeasurementFile

FOLDER = "gs://learning-curves"


@pytest.fixture
def in_replica(local_vertex: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    """An endpoint whose storage this process finds as a replica does; the bucket is there."""
    url = local_vertex.connection.storage_endpoint
    assert url is not None
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", url)
    local_vertex.outputs().write_bytes(f"{FOLDER}/made", b"")
    return local_vertex


def reported(endpoint: Endpoint, uri: str) -> list[tuple[str, float, int]]:
    lines = map(json.loads, endpoint.outputs().read_text(uri).splitlines())
    return [(line["metric"], line["value"], line["step"]) for line in lines]


def test_the_first_report_is_there_at_once_and_the_others_in_the_end(in_replica: Endpoint) -> None:
    uri = f"{FOLDER}/first/measurements.jsonl"
    file = MeasurementFile(GcsUri.parse(uri), "7")
    file.add("loss", 0.5, 1)
    at_once = reported(in_replica, uri)
    file.add("loss", 0.25, 2)
    file.close()
    assert (at_once, reported(in_replica, uri)) == (
        [("loss", 0.5, 1)],
        [("loss", 0.5, 1), ("loss", 0.25, 2)],
    )


def test_what_the_same_job_wrote_before_a_restart_stays_and_another_jobs_goes(
    in_replica: Endpoint,
) -> None:
    uri = f"{FOLDER}/again/measurements.jsonl"
    for job, step in (("6", 9), ("7", 1), ("7", 2)):
        file = MeasurementFile(GcsUri.parse(uri), job)
        file.add("loss", 0.5, step)
        file.close()
    assert [step for _, _, step in reported(in_replica, uri)] == [1, 2]


def test_a_bucket_that_refuses_is_said_once_and_costs_the_trial_nothing(
    in_replica: Endpoint, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", "http://127.0.0.1:1")
    file = MeasurementFile(GcsUri.parse(f"{FOLDER}/refused/m.jsonl"), "7")
    with caplog.at_level(logging.WARNING):
        file.add("loss", 0.5, 1)
        file.close()
    (message,) = caplog.messages
    assert message.startswith(f"the learning curve is not kept in {FOLDER}/refused/m.jsonl: ")
