"""Submit once: every call of a submission times every fault, and a client that dies at any line.

However it goes, there are never two jobs; the client knows the one, or says that it does not know,
and the next look settles it.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from crashing_client import job as crashing_job
from waits import wait_for

from vertex_jobs.client import Client, Timing
from vertex_jobs.client.journal import CREATED, REFUSED, Entry
from vertex_jobs.emulator.joining import LocalServer
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.errors import EndpointError, SubmissionUnknownError
from vertex_jobs.headers import OPTIONS_HEADER
from vertex_jobs.job_kinds import kind_of_collection
from vertex_jobs.spec import CustomJob, CustomTrainingJob, HyperparameterTuningJob

Inject = Callable[..., None]
Submit = Callable[..., "Outcome"]

FAULTS = (
    *(400, 403, 404, 409, 429, 500, 503, 504),
    *("drop_before", "drop_after", "commit_late", "hang", "slow"),
)
#: After these the answer to a create is not known.
AMBIGUOUS = (500, 503, 504, "drop_before", "drop_after", "commit_late", "hang")
CREATES = {
    "customJobs": "JobService.CreateCustomJob",
    "hyperparameterTuningJobs": "JobService.CreateHyperparameterTuningJob",
    "trainingPipelines": "PipelineService.CreateTrainingPipeline",
}
STEPPED = {OPTIONS_HEADER: '{"pace": "stepped"}'}
LATE_SECONDS = 0.05
#: Lines between two at which a client is killed; ``make soak`` kills it at each.
CRASH_STRIDE = int(os.environ.get("CRASH_STRIDE", "16"))


class Outcome:
    """What a client says of a submission."""

    def __init__(self, submission: Callable[[], Any]) -> None:
        self.name, self.error = "", ""
        try:
            self.name = submission().name
        except SubmissionUnknownError:
            self.error = "unknown"
        except EndpointError:
            self.error = "refused"


class Bench:
    """A case of its own: jobs with one label, clients with one journal."""

    def __init__(self, endpoint: Endpoint, directory: Path, script: Path, case: str) -> None:
        self.endpoint, self.directory, self.script, self.case = endpoint, directory, script, case
        self._seconds = 0.0
        self._clients: list[Client] = []

    def client(self, later: float = 0.0) -> Client:
        """A fresh client, whose minute of looking passes at once."""
        timing = Timing(
            clock=lambda: self._seconds, sleep=self._sleep, now=lambda: time.time() + later
        )
        connection = replace(
            self.endpoint.connection, state_directory=self.directory, timeout_seconds=0.4
        )
        self._clients.append(Client(connection, timing=timing))
        return self._clients[-1]

    def _sleep(self, seconds: float) -> None:
        self._seconds += seconds
        time.sleep(0.005)

    def job(self, collection: str = "customJobs") -> Any:
        fields: dict[str, Any] = {
            "display_name": "once",
            "script_path": str(self.script),
            "container_uri": "docker.io/tensorflow/tensorflow:2.21.0",
            "machine_type": "n1-standard-4",
            "labels": {"case": self.case},
        }
        if collection == "hyperparameterTuningJobs":
            study = {
                "metric_spec": {"score": "maximize"},
                "parameter_spec": {"x": {"type": "double", "min": 0, "max": 1}},
                "max_trial_count": 1,
                "parallel_trial_count": 1,
            }
            return HyperparameterTuningJob(**fields, **study)
        return (CustomTrainingJob if collection == "trainingPipelines" else CustomJob)(**fields)

    def submit(self, collection: str = "customJobs", once: bool = False) -> Outcome:
        client = self.client()
        job = self.job(collection)
        return Outcome(lambda: client.submit(job, headers=STEPPED, once=once))

    def jobs(self, collection: str = "customJobs") -> list[str]:
        """The names of the jobs that there really are, without any client of ours."""
        place = self.endpoint.place
        parent = f"projects/{place.project}/locations/{place.location}"
        only = urllib.parse.quote(f'labels.case="{self.case}"')
        address = self.endpoint.connection.api_endpoint
        with urllib.request.urlopen(f"{address}/v1/{parent}/{collection}?filter={only}") as answer:
            return [job["name"] for job in json.load(answer).get(collection, ())]

    def settled(self, later: float = 0.0) -> list[Entry]:
        """What the next client makes of the journal."""
        return self.client(later).settle()

    def close(self) -> None:
        for client in self._clients:
            client.close()


@pytest.fixture
def bench(
    local_vertex: Endpoint, tmp_path: Path, script: Path, request: pytest.FixtureRequest
) -> Iterator[Bench]:
    case = "".join(char if char.isalnum() else "-" for char in request.node.name.lower())[-63:]
    made = Bench(local_vertex, tmp_path, script, case)
    yield made
    made.close()


def check_told_truth(bench: Bench, outcome: Outcome, collection: str, arrives: bool) -> None:
    """Hold what the client said against what there is.

    Args:
        bench: The case.
        outcome: Of the only submission.
        collection: Of the job.
        arrives: Whether a create that was not answered takes effect all the same.
    """
    if arrives:
        wait_for(lambda: bench.jobs(collection))
    there = bench.jobs(collection)
    if outcome.error == "unknown":
        (entry,) = bench.settled(later=1000.0)
        assert entry.current.state == (CREATED if there else REFUSED)
        assert [entry.current.name] == (there or [""])
        assert len(there) <= 1
    else:
        assert there == ([outcome.name] if outcome.name else [])
        assert bench.settled() == []


# Every call of a submission, times every fault.


@pytest.mark.parametrize("collection", CREATES)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_create_that_goes_wrong(
    bench: Bench, inject: Inject, collection: str, fault: int | str
) -> None:
    inject(CREATES[collection], fault, seconds=LATE_SECONDS)
    outcome = bench.submit(collection)
    check_told_truth(bench, outcome, collection, arrives=fault in ("drop_after", "commit_late"))


@pytest.mark.parametrize("fault", FAULTS)
def test_an_upload_that_goes_wrong(bench: Bench, inject: Inject, fault: int | str) -> None:
    inject("storage.objects.insert", fault, seconds=LATE_SECONDS)
    check_told_truth(bench, bench.submit(), "customJobs", arrives=False)


@pytest.mark.parametrize("created", ["drop_before", "drop_after", "commit_late"])
@pytest.mark.parametrize("looked_up", FAULTS)
def test_a_look_for_the_lost_job_that_goes_wrong(
    bench: Bench, inject: Inject, created: int | str, looked_up: int | str
) -> None:
    inject(CREATES["customJobs"], created, seconds=LATE_SECONDS)
    inject("JobService.ListCustomJobs", looked_up, seconds=LATE_SECONDS)
    outcome = bench.submit()
    check_told_truth(bench, outcome, "customJobs", arrives=created != "drop_before")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_settling_look_that_goes_wrong_settles_nothing_wrongly(
    bench: Bench, inject: Inject, server: Any, fault: int | str
) -> None:
    inject(CREATES["customJobs"], "drop_after")
    inject("JobService.ListCustomJobs", 403)
    assert bench.submit().error == "unknown"
    inject("JobService.ListCustomJobs", fault, seconds=LATE_SECONDS)
    Outcome(lambda: bench.settled(later=1000.0)[0].current)
    server.clear_faults()
    left = bench.settled(later=1000.0)
    names = [entry.current.name for entry in left] or [
        entry.current.name for entry in bench.client()._journal.entries()
    ]
    assert names == bench.jobs()


# Coming back instead of starting another.


@pytest.mark.parametrize("fault", FAULTS)
def test_once_starts_no_second_job_when_the_look_before_goes_wrong(
    bench: Bench, inject: Inject, fault: int | str
) -> None:
    first = bench.submit(once=True)
    inject("JobService.ListCustomJobs", fault, seconds=LATE_SECONDS)
    again = bench.submit(once=True)
    assert (bench.jobs(), again.name or first.name) == ([first.name], first.name)


@pytest.mark.parametrize("fault", AMBIGUOUS)
def test_once_after_an_unknown_create_makes_no_second_job(
    bench: Bench, inject: Inject, fault: int | str
) -> None:
    inject(CREATES["customJobs"], fault, seconds=LATE_SECONDS)
    inject("JobService.ListCustomJobs", 403)
    bench.submit()
    wait_for(lambda: fault not in ("drop_after", "commit_late") or bench.jobs())
    again = bench.submit(once=True)
    there = bench.jobs()
    assert (again.name, again.error) == ((there[0], "") if there else ("", "unknown"))


@pytest.mark.parametrize("fault", [None, *AMBIGUOUS])
def test_clients_that_race_on_one_directory_make_one_job(
    bench: Bench, inject: Inject, fault: int | str | None
) -> None:
    if fault is not None:
        inject(CREATES["customJobs"], fault, seconds=LATE_SECONDS)
    start = threading.Barrier(3)

    def race() -> Outcome:
        start.wait()
        return bench.submit(once=True)

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        outcomes = [each.result() for each in [pool.submit(race) for _ in range(3)]]
    there = bench.jobs()
    assert len(there) <= 1
    assert {outcome.name for outcome in outcomes if outcome.name} <= set(there)


def test_of_two_machines_that_race_the_later_gives_way(bench: Bench, tmp_path: Path) -> None:
    first = bench.submit(once=True)
    elsewhere = replace(bench.endpoint.connection, state_directory=tmp_path / "elsewhere")
    with Client(elsewhere) as client:
        # It looked before the first had made its job: that look is the one thing left out here.
        answers = iter([[]])
        look = client._jobs.list
        client._jobs.list = lambda *of: next(answers, None) or look(*of)  # type: ignore[method-assign]
        assert client.submit(bench.job(), headers=STEPPED, once=True).name == first.name


# A client that is killed.


def crash(endpoint: Endpoint, crashes: Path, script: Path, stride: int, *places: str) -> int:
    """Kill clients, see ``crashing_client``; the last line before which one was killed."""
    program = [sys.executable, str(Path(__file__).with_name("crashing_client.py"))]
    where = [str(endpoint.connection.state_directory), str(crashes), str(script)]
    driven = subprocess.run(
        [*program, *where, str(stride), *places],
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert driven.returncode == 0, driven.stderr
    return int(driven.stdout)


def later_client(endpoint: Endpoint, directory: Path) -> Client:
    """A client of that journal when what was sent must have arrived."""
    connection = replace(endpoint.connection, state_directory=directory)
    return Client(connection, timing=Timing(now=lambda: time.time() + 1000.0))


def test_a_client_that_is_killed_at_any_line_leaves_at_most_one_job(
    local_vertex: Endpoint, tmp_path: Path, script: Path
) -> None:
    crashes = tmp_path / "crashes"
    last = crash(local_vertex, crashes, script, CRASH_STRIDE)
    made = local_vertex.jobs('display_name="crash"')
    for line in range(1, last + 1, CRASH_STRIDE):
        there = [job.name for job in made if job.last_seen.resource["labels"]["crash"] == str(line)]
        with later_client(local_vertex, crashes / str(line)) as client:
            client.settle()
            creates = [entry.current for entry in client._journal.entries()]
            known = [create.name for create in creates if create.name]
        assert known == there, f"killed before line {line} of {last}"
        assert len(there) <= 1


def test_once_goes_on_after_a_client_that_is_killed_on_its_way_to_the_next_place(
    local_vertex: Endpoint, server: LocalServer, tmp_path: Path, script: Path
) -> None:
    crashes, stride = tmp_path / "crashes", 3 * CRASH_STRIDE if CRASH_STRIDE > 1 else 1
    last = crash(local_vertex, crashes, script, stride, "europe-west4")
    server.clear_faults()
    for line in range(1, last + 1, stride):
        directory = crashes / str(line)
        with later_client(local_vertex, directory) as client:
            job = crashing_job(directory, script, "europe-west4")
            name = client.submit(job, headers=STEPPED, once=True).name
            there = [
                job["name"]
                for location in ("us-central1", "europe-west4")
                for job in client._jobs.list(
                    kind_of_collection("customJobs"),
                    f'labels.crash="{directory.name}" AND display_name="crash-elsewhere"',
                    f"projects/{local_vertex.place.project}/locations/{location}",
                )
            ]
        assert there == [name], f"killed before line {line} of {last}"
