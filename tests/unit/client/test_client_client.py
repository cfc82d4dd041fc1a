"""Submitting a real script: what is uploaded, what is created, and when nothing is."""

import json

import pytest

from vertex_jobs import packaging, requests
from vertex_jobs.client import Client
from vertex_jobs.client.journal import Journal
from vertex_jobs.errors import RequestRefusedError, SubmissionUnknownError
from vertex_jobs.names import CONTENT_LABEL
from vertex_jobs.requests import Place
from vertex_jobs.spec import from_mapping

PARENT = "projects/p/locations/us-central1"
NAME = f"{PARENT}/customJobs/7"
NONCE = "00112233445566ff"
UPLOADED = (200, {"name": "vertex-jobs/packages/x", "generation": "1"})
ABSENT = (404, {})
CREATED = (200, {"name": NAME, "displayName": "digits", "state": "JOB_STATE_PENDING"})
NONE = (200, {})
PLACE = Place("p", "us-central1", "gs://bucket")


@pytest.fixture
def job(tmp_path):
    (tmp_path / "train.py").write_text("print('hello')\n")
    config = {
        "kind": "custom_job",
        "display_name": "digits",
        "script_path": "train.py",
        "machine_type": "n1-standard-4",
        "container_uri": "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest",
    }
    return from_mapping(config, source="test", base_directory=tmp_path)


@pytest.fixture
def client(canned, connection, time):
    """Makes a client of an endpoint that gives these answers, and the address."""
    opened = []

    def client(*answers):
        address = canned(*answers)
        opened.append(Client(connection(address.url), timing=time.timing, nonce=lambda: NONCE))
        return opened[-1], address

    yield client
    for each in opened:
        each.close()


def posts(address):
    return [path.partition("?")[0] for method, path, *_ in address.requests if method == "POST"]


def test_the_package_is_there_before_the_job(client, job):
    made, address = client(ABSENT, UPLOADED, CREATED)
    made.submit(job)
    assert posts(address) == ["/upload/storage/v1/b/bucket/o", f"/v1/{PARENT}/customJobs"]


def test_the_handle_is_the_created_jobs(client, job):
    assert client(ABSENT, UPLOADED, CREATED)[0].submit(job).name == NAME


def test_the_nonce_is_label_and_output_directory(client, job):
    made, address = client(ABSENT, UPLOADED, CREATED)
    made.submit(job)
    sent = json.loads(address.requests[-1][3])
    assert (
        sent["labels"]["vertex-jobs-submission"],
        sent["jobSpec"]["baseOutputDirectory"]["outputUriPrefix"],
    ) == (NONCE, f"gs://bucket/vertex-jobs/{NONCE}")


def test_a_place_may_differ_in_its_bucket(client, job):
    made, address = client(ABSENT, UPLOADED, CREATED)
    made.submit(job, place=Place("p", "us-central1", "gs://other"))
    assert posts(address)[0] == "/upload/storage/v1/b/other/o"


def test_without_the_package_there_is_no_job(client, job):
    made, address = client(*[(403, {"error": {"message": "no"}})] * 2)
    with pytest.raises(RequestRefusedError, match="403 PERMISSION_DENIED: no"):
        made.submit(job)
    assert len(posts(address)) == 1


def same_content(job, state):
    """A page of the list with one job of this content."""
    content = requests.build(job, packaging.describe(job), PLACE).body["labels"][CONTENT_LABEL]
    found = {"name": NAME, "state": f"JOB_STATE_{state}", "labels": {CONTENT_LABEL: content}}
    return {"customJobs": [found]}


class TestOnce:
    @pytest.mark.parametrize("state", ["RUNNING", "SUCCEEDED", "PARTIALLY_SUCCEEDED"])
    def test_a_job_of_the_same_content_is_enough(self, client, job, state):
        made, address = client((200, same_content(job, state)))
        assert (made.submit(job, once=True).name, posts(address)) == (NAME, [])

    @pytest.mark.parametrize("state", ["FAILED", "CANCELLED", "EXPIRED"])
    def test_one_that_came_to_nothing_is_not(self, client, job, state):
        found = same_content(job, state)
        made, address = client((200, found), ABSENT, UPLOADED, CREATED, (200, found))
        made.submit(job, once=True)
        assert len(posts(address)) == 2

    def test_it_is_looked_for_by_its_contents_label(self, client, job):
        made, address = client(ABSENT, UPLOADED, CREATED, NONE, ABSENT, UPLOADED, CREATED, NONE)
        made.submit(job)
        content = json.loads(address.requests[-1][3])["labels"]["vertex-jobs-content"]
        made.submit(job, once=True)
        assert f"labels.vertex-jobs-content%3D%22{content}%22" in address.requests[3][1]

    def test_one_that_may_exist_stops_another(self, client, job):
        made, _ = client(ABSENT, UPLOADED, (500, {}), *[NONE] * 30)
        with pytest.raises(SubmissionUnknownError):
            made.submit(job)
        with pytest.raises(SubmissionUnknownError, match="of the same content, 'digits', may"):
            made.submit(job, once=True)


def test_listing_settles_what_was_left_open(client, job, tmp_path):
    made, _ = client(
        ABSENT,
        UPLOADED,
        (500, {}),
        (403, {}),
        (200, {"customJobs": [{**CREATED[1], "labels": {"vertex-jobs-submission": NONCE}}]}),
        *[NONE] * 3,
    )
    with pytest.raises(SubmissionUnknownError):
        made.submit(job)
    made.jobs()
    assert Journal(tmp_path / "state").read(NONCE).current.name == NAME
