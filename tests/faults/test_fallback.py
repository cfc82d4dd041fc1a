"""Fallback: the next place is tried when one is short, never two at once, and the story is told."""

import concurrent.futures
import contextlib
import io
import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vertex_jobs.cli import main
from vertex_jobs.client import Client, Entry, JobHandle, as_completed
from vertex_jobs.emulator.joining import LocalServer
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.errors import JobFailedError, RequestRefusedError, SubmissionUnknownError
from vertex_jobs.job_kinds import kind_of_collection
from vertex_jobs.spec import CustomJob, CustomTrainingJob
from vertex_jobs.spec.drills import DRILLS
from vertex_jobs.timestamps import read_moment

Inject = Callable[..., None]
MakeJob = Callable[..., CustomJob]

CREATE = "JobService.CreateCustomJob"
STOCKOUT = {"replica": "*", "fault": "stockout"}
ELSEWHERE = [{"location": "europe-west4"}, {"machine_type": "n1-standard-8"}]


def locations(handle: JobHandle) -> list[str]:
    """Where its jobs were made, in turn."""
    assert handle.submission is not None
    return [create.location for create in handle.submission.creates if create.name]


def machine(handle: JobHandle) -> str:
    spec = handle.last_seen.resource["jobSpec"]["workerPoolSpecs"][0]["machineSpec"]
    return str(spec["machineType"])


def test_quota_at_the_create_leads_to_the_next_place(
    local_vertex: Endpoint, make_job: MakeJob, inject: Inject
) -> None:
    inject(CREATE, 429)
    handle = local_vertex.submit(make_job(fallback=ELSEWHERE))
    assert (locations(handle), handle.exception()) == (["europe-west4"], None)


def test_a_stockout_after_the_create_leads_to_the_next_place(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    server.inject([STOCKOUT])
    handle = local_vertex.submit(make_job(fallback=ELSEWHERE))
    assert (handle.exception(), handle.name.split("/")[3]) == (None, "europe-west4")
    assert locations(handle) == ["us-central1", "europe-west4"]


def test_a_fallback_without_a_location_is_at_the_endpoints_own(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    server.inject([{**STOCKOUT, "times": 2}])
    handle = local_vertex.submit(make_job(fallback=ELSEWHERE))
    handle.result()
    assert (locations(handle)[-1], machine(handle)) == ("us-central1", "n1-standard-8")


def test_no_two_of_the_jobs_ran_at_once(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    server.inject([{**STOCKOUT, "times": 2}])
    handle = local_vertex.submit(make_job(fallback=ELSEWHERE))
    seen = {snapshot.name for snapshot in handle.watch()}
    creates = handle.submission.creates if handle.submission is not None else ()
    jobs = [local_vertex.job(create.name).last_seen for create in creates]
    assert seen <= {job.name for job in jobs}
    moments = [str(moment) for job in jobs for moment in (job.create_time, job.end_time)]
    # The ends are whole seconds, rounded up; so the creates are too.
    seconds = [math.ceil(read_moment(moment).timestamp()) for moment in moments]
    assert (len(moments), seconds) == (6, sorted(seconds))


def test_a_place_that_may_have_the_job_is_the_last(
    local_vertex: Endpoint, make_job: MakeJob, inject: Inject
) -> None:
    inject(CREATE, "drop_after")
    inject("JobService.ListCustomJobs", 403)
    with pytest.raises(SubmissionUnknownError):
        local_vertex.submit(make_job(fallback=ELSEWHERE, labels={"case": "unknown"}))
    assert local_vertex.job(local_vertex.settle()[0].current.name).state
    parent = f"projects/{local_vertex.place.project}/locations/europe-west4"
    kind = kind_of_collection("customJobs")
    with Client(local_vertex.connection) as client:
        assert client._jobs.list(kind, 'labels.case="unknown"', parent) == []


@pytest.mark.parametrize("status", [400, 403])
def test_a_job_that_is_refused_for_another_reason_is_tried_nowhere_else(
    local_vertex: Endpoint, make_job: MakeJob, inject: Inject, status: int
) -> None:
    inject(CREATE, status)
    with pytest.raises(RequestRefusedError) as refused:
        local_vertex.submit(make_job(fallback=ELSEWHERE))
    assert refused.value.code == status


def test_a_job_that_failed_by_itself_is_tried_nowhere_else(
    local_vertex: Endpoint, make_job: MakeJob, tmp_path: Path
) -> None:
    (tmp_path / "fails.py").write_text("raise SystemExit(3)\n")
    job = make_job(script_path=str(tmp_path / "fails.py"), fallback=ELSEWHERE)
    handle = local_vertex.submit(job)
    assert (isinstance(handle.exception(), JobFailedError), len(locations(handle))) == (True, 1)


def test_when_every_place_is_short_the_last_one_says_so(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    server.inject([{**STOCKOUT, "times": None}])
    handle = local_vertex.submit(make_job(fallback=ELSEWHERE))
    with pytest.raises(JobFailedError, match="Resources are insufficient in region: us-central1"):
        handle.result()
    assert len(locations(handle)) == 3


def test_once_comes_back_to_the_job_in_its_fallbacks_place(
    local_vertex: Endpoint, make_job: MakeJob, inject: Inject
) -> None:
    job = make_job(fallback=ELSEWHERE, labels={"case": "once-elsewhere"})
    inject(CREATE, 429)
    first = local_vertex.submit(job, once=True)
    assert local_vertex.submit(job, once=True).name == first.name


def fruitful(endpoint: Endpoint, case: str) -> list[str]:
    """Jobs of a case that did not come to nothing, wherever they are."""
    kind = kind_of_collection("customJobs")
    with Client(endpoint.connection) as client:
        jobs = [
            job
            for location in ("us-central1", "europe-west4")
            for job in client._jobs.list(
                kind,
                f'labels.case="{case}"',
                f"projects/{endpoint.place.project}/locations/{location}",
            )
        ]
    return [job["name"] for job in jobs if job["state"] != "JOB_STATE_FAILED"]


@pytest.mark.parametrize("short", ["quota", "stockout"])
def test_clients_that_race_with_once_make_one_job_across_places(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer, short: str
) -> None:
    server.inject([STOCKOUT if short == "stockout" else {"call": CREATE, "fault": 429}])
    case = f"race-{short}"
    job = make_job(fallback=ELSEWHERE, labels={"case": case})
    start = threading.Barrier(3)

    def race() -> str:
        start.wait()
        handle = local_vertex.submit(job, once=True)
        handle.result()
        return handle.name

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        names = {each.result() for each in [pool.submit(race) for _ in range(3)]}
    assert sorted(names) == fruitful(local_vertex, case)
    assert len(names) == 1


def test_once_goes_on_where_a_client_left_a_job_whose_place_was_short(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    server.inject([STOCKOUT])
    job = make_job(fallback=ELSEWHERE, labels={"case": "left"})
    left = local_vertex.submit(job)
    local_vertex.job(left.name).exception()  # waits without going on
    again = local_vertex.submit(job, once=True)
    assert locations(again) == ["us-central1", "europe-west4"]
    assert left.name != again.name == left.refresh().name


def test_once_goes_on_where_a_client_died_between_two_places(
    local_vertex: Endpoint, make_job: MakeJob, inject: Inject
) -> None:
    def die(entry: Entry) -> None:
        raise KeyboardInterrupt

    inject(CREATE, 429)
    job = make_job(fallback=ELSEWHERE, labels={"case": "between"})
    with pytest.raises(KeyboardInterrupt):
        local_vertex.submit(job, on_short=die)
    handle = local_vertex.submit(job, once=True)
    assert (locations(handle), handle.exception()) == (["europe-west4"], None)


def test_a_plain_submission_is_a_new_one_from_the_first_place_on(
    local_vertex: Endpoint, make_job: MakeJob, inject: Inject
) -> None:
    inject(CREATE, 429)
    job = make_job(fallback=ELSEWHERE, labels={"case": "anew"})
    assert locations(local_vertex.submit(job)) == ["europe-west4"]
    assert locations(local_vertex.submit(job)) == ["us-central1"]


def test_a_create_at_the_next_place_that_is_not_answered_is_not_sent_again(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer, inject: Inject
) -> None:
    server.inject([STOCKOUT])
    handle = local_vertex.submit(make_job(fallback=ELSEWHERE, labels={"case": "lost-later"}))
    inject(CREATE, "drop_after")
    inject("JobService.ListCustomJobs", 403)
    with pytest.raises(SubmissionUnknownError):
        handle.result()
    assert handle.result() is not None  # the job is found by its label
    assert fruitful(local_vertex, "lost-later") == [handle.name]


def test_a_next_place_that_refuses_leaves_the_job_that_failed(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer, inject: Inject
) -> None:
    server.inject([STOCKOUT])
    handle = local_vertex.submit(make_job(fallback=ELSEWHERE))
    inject(CREATE, 403)
    with pytest.raises(RequestRefusedError):
        handle.result()
    with pytest.raises(JobFailedError, match="Resources are insufficient in region: us-central1"):
        handle.result()


def test_jobs_that_go_on_elsewhere_are_awaited_together(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    server.inject([STOCKOUT])
    handles = [local_vertex.submit(make_job(fallback=ELSEWHERE)) for _ in range(2)]
    ended = list(as_completed(handles, timeout=60))
    assert {id(each) for each in ended} == {id(each) for each in handles}
    assert [each.exception() for each in handles] == [None, None]


Told = tuple[int, str]


@pytest.fixture
def run(local_vertex: Endpoint, tmp_path: Path) -> Callable[..., Told]:
    """Runs a job with a fallback under a drill, from the command line."""

    def run(drill: str, *settings: str) -> Told:
        (tmp_path / "train.py").write_text("print('trained')\n")
        (tmp_path / "job.yaml").write_text(
            "kind: custom_job\ndisplay_name: short\nscript_path: train.py\n"
            "fallback: [{location: europe-west4}]\n"
        )
        said: Any = io.StringIO()
        state = str(local_vertex.connection.state_directory)
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            words = ["--drill", drill, "--state-dir", state, *settings]
            code = main(["run", str(tmp_path / "job.yaml"), *words])
        return code, said.getvalue()

    return run


@pytest.mark.parametrize("drill", ["quota", "stockout"])
def test_a_drill_rehearses_the_way_to_the_next_place(run: Callable[..., Told], drill: str) -> None:
    code, said = run(drill)
    story = ["us-central1 is short of machines or quota", "next in fallback: europe-west4 on"]
    assert ([line in said for line in story], code) == ([True, True], 0), said


def test_a_stockout_with_nowhere_to_go_says_what_would_help(run: Callable[..., Told]) -> None:
    code, said = run("stockout", "--set", "fallback=[]")
    assert ("name other places under fallback" in said, code) == (True, 1), said


def test_a_pipeline_without_quota_is_created_and_fails_later(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    """Source: GoogleCloudPlatform/vertex-ai-samples issue 3479, minutes after the create."""
    job = make_job()
    pipeline = CustomTrainingJob(
        display_name="quota",
        script_path=job.script_path,
        container_uri=job.container_uri,
        machine_type="n1-standard-4",
    )
    server.inject(DRILLS["quota"].standing_faults(pipeline))
    handle = local_vertex.submit(pipeline)
    error = handle.exception(timeout=60)
    assert error is not None
    assert (error.state, error.message) == (
        "PIPELINE_STATE_FAILED",
        "The following quota metrics exceed quota limits: "
        "aiplatform.googleapis.com/custom_model_training_cpus",
    )
