"""What goes over the wire: the generated clients, storage and the log, against prepared answers."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from vertex_jobs.client.job_calls import Jobs
from vertex_jobs.client.journal import REFUSED, Journal
from vertex_jobs.client.log_reading import LogReader
from vertex_jobs.client.package_upload import upload
from vertex_jobs.client.submission import Submitter
from vertex_jobs.errors import (
    EndpointLostError,
    JobNotFoundError,
    RequestRefusedError,
    SubmissionUnknownError,
    UnsupportedHereError,
)
from vertex_jobs.headers import OPTIONS_HEADER
from vertex_jobs.job_kinds import JOB_KINDS, kind_of_collection
from vertex_jobs.requests import Request

PARENT = "projects/p/locations/us-central1"
NAMES = {kind.name: f"{PARENT}/{kind.collection}/7" for kind in JOB_KINDS}
CUSTOM_JOB = {"name": NAMES["custom_job"], "displayName": "digits", "state": "JOB_STATE_PENDING"}

BODY = {
    "displayName": "digits",
    "jobSpec": {
        "workerPoolSpecs": [
            {"replicaCount": "1", "machineSpec": {"acceleratorType": "NVIDIA_TESLA_T4"}}
        ]
    },
}


@pytest.fixture
def at(canned, connection):
    """Makes the collections at an address with these answers, and the address."""
    made = []

    def at(*answers):
        address = canned(*answers)
        jobs = Jobs(connection(address.url))
        made.append(jobs)
        return jobs, address

    yield at
    for jobs in made:
        jobs.close()


def error(code, message="no", status=""):
    return code, {"error": {"code": code, "message": message, "status": status}}


class TestGet:
    @pytest.mark.parametrize("kind", JOB_KINDS, ids=lambda kind: kind.name)
    def test_each_kind_is_read_from_its_collection(self, at, kind):
        jobs, address = at((200, {"name": NAMES[kind.name]}))
        jobs.get(NAMES[kind.name])
        assert address.requests[0][1].startswith(f"/v1/{PARENT}/{kind.collection}/7?")

    def test_the_answer_has_enum_names_and_long_integers_as_text(self, at):
        pools = [{"replicaCount": 3, "machineSpec": {"machineType": "n1-standard-4"}}]
        jobs, _ = at((200, {**CUSTOM_JOB, "state": 3, "jobSpec": {"workerPoolSpecs": pools}}))
        resource = jobs.get(NAMES["custom_job"])
        pool = resource["jobSpec"]["workerPoolSpecs"][0]
        assert (resource["state"], pool["replicaCount"]) == ("JOB_STATE_RUNNING", "3")

    def test_what_was_last_seen_goes_along(self, at):
        jobs, address = at((200, CUSTOM_JOB))
        jobs.get(NAMES["custom_job"], "2026-01-01T00:00:00Z")
        assert address.requests[0][2]["x-vertex-jobs-wait"] == "2026-01-01T00:00:00Z"

    def test_without_it_the_answer_is_not_to_be_held(self, at):
        jobs, address = at((200, CUSTOM_JOB))
        jobs.get(NAMES["custom_job"])
        assert "x-vertex-jobs-wait" not in address.requests[0][2]

    def test_a_job_that_is_gone_is_named(self, at):
        jobs, _ = at(error(404))
        with pytest.raises(JobNotFoundError, match=r"customJobs/7 does not exist \(any more\)"):
            jobs.get(NAMES["custom_job"])

    def test_nothing_is_retried_here(self, at):
        jobs, address = at(error(503, "busy"), (200, CUSTOM_JOB))
        with pytest.raises(RequestRefusedError, match="503 UNAVAILABLE: busy"):
            jobs.get(NAMES["custom_job"])
        assert len(address.requests) == 1


class TestCreate:
    def create(self, jobs, **headers):
        return jobs.create(JOB_KINDS[0], PARENT, BODY, headers)

    def test_the_body_means_the_same_on_the_wire(self, at):
        jobs, address = at((200, CUSTOM_JOB))
        self.create(jobs)
        sent = json.loads(address.requests[0][3])["jobSpec"]["workerPoolSpecs"][0]
        assert (sent["replicaCount"], sent["machineSpec"]) == ("1", {"acceleratorType": 5})

    def test_headers_go_along(self, at):
        jobs, address = at((200, CUSTOM_JOB))
        self.create(jobs, **{OPTIONS_HEADER: '{"seed": 0}'})
        assert address.requests[0][2][OPTIONS_HEADER] == '{"seed": 0}'

    @pytest.mark.parametrize("status", [429, 500, 503, 504])
    def test_it_is_sent_once_whatever_comes(self, at, status):
        jobs, address = at(error(status), (200, CUSTOM_JOB))
        with pytest.raises(RequestRefusedError):
            self.create(jobs)
        assert len(address.requests) == 1

    def test_an_answer_without_a_name_is_no_answer(self, at):
        jobs, _ = at((200, {}))
        with pytest.raises(EndpointLostError, match="answered a create without a job's name"):
            self.create(jobs)

    def test_a_field_that_the_installed_sdk_lacks_is_named(self, at):
        jobs, _ = at()
        with pytest.raises(UnsupportedHereError, match=r"cannot send this CustomJob: .*newField"):
            jobs.create(JOB_KINDS[0], PARENT, {"newField": 1}, {})


def test_a_name_in_another_location_is_asked_for_at_its_host(canned, connection):
    here, there = canned(), canned((200, CUSTOM_JOB))
    jobs = Jobs(replace(connection(here.url), regional_endpoint=there.url))
    jobs.get("projects/p/locations/europe-west4/customJobs/7")
    jobs.close()
    assert (len(here.requests), len(there.requests)) == (0, 1)


class TestSubmit:
    REQUEST = Request("customJobs", PARENT, {"displayName": "digits"})

    def submit(self, jobs, time, tmp_path):
        submitter = Submitter(jobs, Journal(tmp_path), time.timing)
        nonces = iter(["ab" * 8])
        entry = submitter.begin(
            [self.REQUEST], lambda: next(nonces), upload=lambda: None, headers={}
        )
        return submitter.send(entry)[1]

    def test_a_job_whose_answer_was_an_error_is_found_by_its_label(self, at, time, tmp_path):
        ours = {**CUSTOM_JOB, "labels": {"vertex-jobs-submission": "ab" * 8}}
        jobs, address = at(error(500), (200, {"customJobs": [ours]}))
        found = self.submit(jobs, time, tmp_path)
        expected = "filter=labels.vertex-jobs-submission%3D%22abababababababab%22"
        assert (found["name"], expected in address.requests[1][1]) == (CUSTOM_JOB["name"], True)

    def test_a_job_that_is_not_found_is_unknown(self, at, time, tmp_path):
        jobs, address = at(error(500), *[(200, {})] * 30)
        with pytest.raises(SubmissionUnknownError):
            self.submit(jobs, time, tmp_path)
        assert [method for method, *_ in address.requests].count("POST") == 1

    def test_a_refusal_is_final(self, at, time, tmp_path):
        jobs, _ = at(error(501, "not emulated: nfsMounts", "UNIMPLEMENTED"))
        with pytest.raises(RequestRefusedError, match="501 UNIMPLEMENTED: not emulated"):
            self.submit(jobs, time, tmp_path)
        assert Journal(tmp_path).read("ab" * 8).current.state == REFUSED


class TestList:
    def test_all_pages_are_read(self, at):
        second = {**CUSTOM_JOB, "name": f"{PARENT}/customJobs/8"}
        jobs, _ = at(
            (200, {"customJobs": [CUSTOM_JOB], "nextPageToken": "2"}),
            (200, {"customJobs": [second]}),
        )
        assert [found["name"][-1] for found in jobs.list(JOB_KINDS[0])] == ["7", "8"]

    def test_the_filter_and_the_page_token_go_along(self, at):
        jobs, address = at((200, {"nextPageToken": "2"}), (200, {}))
        jobs.list(JOB_KINDS[0], 'display_name="x"')
        path = address.requests[1][1]
        assert ("filter=display_name%3D%22x%22" in path, "pageToken=2" in path) == (True, True)


class TestCancelAndDelete:
    @pytest.mark.parametrize("kind", JOB_KINDS, ids=lambda kind: kind.name)
    def test_each_kind_is_cancelled_by_its_name(self, at, kind):
        jobs, address = at((200, {}))
        jobs.cancel(NAMES[kind.name])
        assert address.requests[0][1].startswith(f"/v1/{NAMES[kind.name]}:cancel?")

    def test_delete_waits_for_its_operation(self, at):
        empty = {"@type": "type.googleapis.com/google.protobuf.Empty"}
        operation = {"name": f"{PARENT}/operations/1", "done": True, "response": empty}
        jobs, address = at((200, operation))
        jobs.delete(NAMES["custom_job"])
        assert address.requests[0][0] == "DELETE"

    def test_a_job_that_still_runs_is_not_deleted(self, at):
        jobs, _ = at(error(400, "It still runs.", "FAILED_PRECONDITION"))
        with pytest.raises(RequestRefusedError, match="400 FAILED_PRECONDITION: It still runs"):
            jobs.delete(NAMES["custom_job"])


class TestModel:
    def test_its_version_is_part_of_its_name(self, at):
        jobs, address = at((200, {"name": f"{PARENT}/models/5", "versionId": "2"}))
        jobs.model(f"{PARENT}/models/5@2")
        assert "/models/5%402?" in address.requests[0][1]


def test_a_collection_without_jobs_is_refused():
    with pytest.raises(ValueError, match="'models' holds no jobs; the collections are customJobs"):
        kind_of_collection("models")


class TestUpload:
    URI = "gs://bucket/vertex-jobs/packages/p.tar.gz"
    ABSENT = (404, {})

    @pytest.fixture
    def package(self, tmp_path):
        path = tmp_path / "p.tar.gz"
        path.write_bytes(b"package")
        return path

    def upload(self, canned, connection, package, *answers):
        address = canned(*answers)
        return upload(connection(address.url), package, self.URI), address

    def test_the_object_must_not_exist_yet(self, canned, connection, package):
        answer = (200, {"name": "vertex-jobs/packages/p.tar.gz", "generation": "1"})
        _, address = self.upload(canned, connection, package, self.ABSENT, answer)
        assert "ifGenerationMatch=0" in address.requests[1][1]

    def test_the_bytes_of_one_that_is_there_are_not_sent(self, canned, connection, package):
        uploaded, address = self.upload(canned, connection, package, (200, {"name": "p.tar.gz"}))
        assert (uploaded, [method for method, *_ in address.requests]) == (False, ["GET"])

    def test_whoever_may_not_look_uploads(self, canned, connection, package):
        answers = (error(403, "no get"), (200, {"name": "p.tar.gz", "generation": "1"}))
        assert self.upload(canned, connection, package, *answers)[0] is True

    @pytest.mark.parametrize(("status", "uploaded"), [(200, True), (412, False)])
    def test_one_that_another_client_puts_there_meanwhile_is_the_same_package(
        self, canned, connection, package, status, uploaded
    ):
        answer = (status, {"name": "vertex-jobs/packages/p.tar.gz", "generation": "1"})
        assert self.upload(canned, connection, package, self.ABSENT, answer)[0] is uploaded

    def test_a_missing_bucket_names_the_command_that_makes_it(self, canned, connection, package):
        missing = error(404, "The specified bucket does not exist.")
        with pytest.raises(
            RequestRefusedError, match=r"does not exist.*\n.*gcloud storage buckets create gs://"
        ):
            self.upload(canned, connection, package, missing, missing)


class TestLogReader:
    @staticmethod
    def page(*texts, token=""):
        entries = [{"timestamp": "2026-01-01T00:00:00Z", "textPayload": text} for text in texts]
        return 200, {"entries": entries, "nextPageToken": token}

    @pytest.fixture
    def read(self, canned, connection):
        readers = []

        def read(*answers, job_ids=("7",)):
            address = canned(*answers)
            readers.append(LogReader(connection(address.url)))
            return [entry.text for entry in readers[-1].read(job_ids)], address

        yield read
        for reader in readers:
            reader.close()

    def test_pages_follow_each_other_through_an_empty_one(self, read):
        pages = (self.page("a", token="2"), self.page(token="3"), self.page("b"))
        assert read(*pages)[0] == ["a", "b"]

    def test_the_request_names_project_filter_and_order(self, read):
        _, address = read(self.page())
        method, path, _, body = address.requests[0]
        assert (method, path, json.loads(body)) == (
            "POST",
            "/v2/entries:list",
            {
                "resourceNames": ["projects/p"],
                "filter": 'resource.type="ml_job" AND resource.labels.job_id="7"',
                "orderBy": "timestamp asc",
                "pageSize": 1000,
            },
        )

    def test_many_jobs_are_asked_for_in_several_filters(self, read):
        ids = [str(number) for number in range(450)]
        _, address = read(self.page(), self.page(), self.page(), job_ids=ids)
        assert [body.count(b"job_id") for *_, body in address.requests] == [200, 200, 50]

    def test_a_refusal_is_the_logs_own(self, read):
        with pytest.raises(RequestRefusedError, match=r"403 PERMISSION_DENIED: no logging\.read"):
            read(error(403, "no logging.read"))


def test_the_console_link_is_filled_in():
    from vertex_jobs.client import Connection
    from vertex_jobs.requests import Place

    place = Place("p", "us-central1", "gs://bucket")
    template = "https://console/{location}/{id}?project={project}"
    connection = Connection(place, "x", None, Path())
    links = [
        replace(connection, console_url=url).console_link(CUSTOM_JOB["name"])
        for url in (template, "")
    ]
    assert links == ["https://console/us-central1/7?project=p", ""]
