"""Finding a job by what a person types."""

from pathlib import Path

import pytest

from vertex_jobs.client import Connection
from vertex_jobs.client.lookup import Lookup
from vertex_jobs.errors import JobNotFoundError
from vertex_jobs.requests import Place

PARENT = "projects/p/locations/us-central1"
COLLECTIONS = ("customJobs", "trainingPipelines", "hyperparameterTuningJobs")


def job(job_id, display_name="digits", state="SUCCEEDED", created="2026-01-01T00:00:00Z", kind=0):
    return {
        "name": f"{PARENT}/{COLLECTIONS[kind]}/{job_id}",
        "displayName": display_name,
        "state": f"JOB_STATE_{state}",
        "createTime": created,
    }


class Jobs:
    """The seam that looking up needs: a fixed set of jobs, and one kind of filter."""

    def __init__(self, *jobs):
        self.connection = Connection(Place("p", "us-central1", "gs://bkt"), "x", None, Path())
        self.jobs = jobs

    def get(self, name, seen=""):
        for resource in self.jobs:
            if resource["name"] == name:
                return resource
        raise JobNotFoundError(name)

    def list(self, kind, filter_text="", parent=""):
        return [
            resource
            for resource in self.jobs
            if resource["name"].startswith(f"{parent or PARENT}/{kind.collection}/")
            and filter_text in ("", f'display_name="{resource["displayName"]}"')
        ]


@pytest.fixture
def find(time):
    return lambda text, *jobs: Lookup(Jobs(*jobs), time.timing).find(text)["name"].split("/")[-1]


@pytest.fixture
def refusal(time):
    def refusal(text, *jobs):
        with pytest.raises(JobNotFoundError) as caught:
            Lookup(Jobs(*jobs), time.timing).find(text)
        return str(caught.value)

    return refusal


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_an_id_is_looked_for_in_every_collection(find, kind):
    assert find("7", job(6), job(7, kind=kind)) == "7"


def test_a_full_name_is_taken_as_it_is(find):
    assert find(f"{PARENT}/trainingPipelines/7", job(7, kind=1)) == "7"


def test_a_display_name_means_the_newest(find):
    newer, older = "2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00Z"
    assert find("digits", job(1, created=older), job(2, created=newer, kind=2)) == "2"


def test_the_one_that_runs_is_meant_before_a_newer_one(find):
    running = job(1, state="RUNNING", created="2026-01-01T00:00:00Z")
    assert find("digits", running, job(2, created="2026-01-02T00:00:00Z")) == "1"


def test_all_jobs_of_one_name_are_named(time):
    said = []
    jobs = Jobs(job(1), job(2, created="2026-01-02T00:00:00Z"), job(3))
    Lookup(jobs, time.timing).find("digits", said.append)
    assert said == [
        "3 jobs are called 'digits': 2, the newest, is meant; not 1, 3; use an id to choose"
    ]


def test_a_display_name_may_be_a_number(find):
    assert find("2026", job(5, "2026")) == "5"


def test_several_that_run_are_refused_with_their_ids(refusal):
    text = refusal("digits", job(1, state="RUNNING"), job(2, state="PENDING"))
    assert text == ("2 jobs called 'digits' are running, and one must be meant; use an id: 1, 2")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("digit", "did you mean digits?"),
        ("1234567", "did you mean 1234568?"),
        (f"{PARENT}/customJobs/1234567", "did you mean 1234568?"),
        ("mnist", "list the jobs there with: vertex-jobs list"),
    ],
)
def test_an_unknown_one_is_answered_with_what_is_near(refusal, text, hint):
    assert refusal(text, job(1234568)) == (
        f"{text!r} is no id, resource name or display name of a job in {PARENT}; {hint}"
    )


def test_an_empty_place_raises_the_question_of_the_place(refusal):
    assert "there are no jobs at all; is it the right --project" in refusal("digits")


def test_a_name_in_another_location_is_missed_there(refusal):
    name = "projects/p/locations/europe-west4/customJobs/7"
    assert "of a job in projects/p/locations/europe-west4;" in refusal(name)


def test_a_resource_that_is_no_job_is_refused(refusal):
    assert "is no job: 'models' is none of customJobs" in refusal(f"{PARENT}/models/7")


def test_a_name_that_is_cut_short_is_refused(refusal):
    assert "is not a resource name; expected projects/PROJECT" in refusal("projects/p/customJobs")


def test_jobs_of_all_kinds_are_listed_newest_first(time):
    jobs = Jobs(*(job(n, created=f"2026-01-0{n}T00:00:00Z", kind=n % 3) for n in (2, 1, 3)))
    listed = Lookup(jobs, time.timing).list()
    assert [resource["name"][-1] for resource in listed] == ["3", "2", "1"]
