"""Fallback: the next place is tried when one is short, never two at once, and the story is told."""

import contextlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vertex_jobs.cli import main
from vertex_jobs.client import JobHandle
from vertex_jobs.emulator.joining import LocalServer
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.errors import JobFailedError, RequestRefusedError, SubmissionUnknownError
from vertex_jobs.names import ResourceName
from vertex_jobs.spec import CustomJob

Inject = Callable[..., None]
MakeJob = Callable[..., CustomJob]

CREATE = "JobService.CreateCustomJob"
STOCKOUT = {"replica": "*", "fault": "stockout"}
ELSEWHERE = [{"location": "europe-west4"}, {"machine_type": "n1-standard-8"}]


def locations(handles: list[JobHandle]) -> list[str]:
    return [ResourceName.parse(handle.name).location for handle in handles]


def machine(handle: JobHandle) -> str:
    spec = handle.last_seen.resource["jobSpec"]["workerPoolSpecs"][0]["machineSpec"]
    return str(spec["machineType"])


def test_quota_at_the_create_leads_to_the_next_place(
    local_vertex: Endpoint, make_job: MakeJob, inject: Inject
) -> None:
    inject(CREATE, 429)
    handle = local_vertex.submit(make_job(fallback=ELSEWHERE))
    assert locations([handle]) == ["europe-west4"]


def test_a_stockout_after_the_create_leads_to_the_next_place(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    server.inject([STOCKOUT])
    handles = list(local_vertex.submit_in_turn(make_job(fallback=ELSEWHERE)))
    assert locations(handles) == ["us-central1", "europe-west4"]


def test_a_fallback_without_a_location_is_at_the_endpoints_own(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    server.inject([{**STOCKOUT, "times": 2}])
    handles = list(local_vertex.submit_in_turn(make_job(fallback=ELSEWHERE)))
    assert (locations(handles)[-1], machine(handles[-1])) == ("us-central1", "n1-standard-8")


def test_no_two_of_the_jobs_ran_at_once(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    server.inject([{**STOCKOUT, "times": 2}])
    ended = []
    for handle in local_vertex.submit_in_turn(make_job(fallback=ELSEWHERE)):
        assert all(earlier.refresh().done for earlier in ended)
        ended.append(handle)
    assert len(ended) == 3


def test_a_place_that_may_have_the_job_is_the_last(
    local_vertex: Endpoint, make_job: MakeJob, inject: Inject
) -> None:
    inject(CREATE, "drop_after")
    inject("JobService.ListCustomJobs", 403)
    with pytest.raises(SubmissionUnknownError):
        local_vertex.submit(make_job(fallback=ELSEWHERE, labels={"case": "unknown"}))
    assert local_vertex.job(local_vertex.settle()[0].name).state
    elsewhere = f"projects/{local_vertex.place.project}/locations/europe-west4"
    there = local_vertex._client_at("europe-west4").jobs('labels.case="unknown"')
    assert there == [], elsewhere


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
    assert len(list(local_vertex.submit_in_turn(job))) == 1


def test_when_every_place_is_short_the_last_one_says_so(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    server.inject([{**STOCKOUT, "times": None}])
    *_, last = local_vertex.submit_in_turn(make_job(fallback=ELSEWHERE))
    with pytest.raises(JobFailedError, match="Resources are insufficient in region: us-central1"):
        last.result()


def test_once_comes_back_to_the_job_in_its_fallbacks_place(
    local_vertex: Endpoint, make_job: MakeJob, inject: Inject
) -> None:
    job = make_job(fallback=ELSEWHERE, labels={"case": "once-elsewhere"})
    inject(CREATE, 429)
    first = local_vertex.submit(job, once=True)
    assert local_vertex.submit(job, once=True).name == first.name


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
