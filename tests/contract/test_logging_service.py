"""Cloud Logging's entries:list over the lines of jobs, and following them."""

import json
import os
from collections.abc import Callable
from typing import Any

import pytest
import requests
from job_forms import custom_job, source_distribution, tuning_job

pytestmark = pytest.mark.local_only

STRUCTURED = """
import json, sys
print("starting", flush=True)
print(json.dumps({"severity": "WARNING", "message": "low on fuel", "litres": 2}), flush=True)
print("Traceback", file=sys.stderr, flush=True)
"""


@pytest.fixture(scope="module")
def finished(local_vertex: Any, bucket: Any) -> Any:
    """A job that has printed three lines."""
    uri = f"gs://{bucket.name}/packages/logging-0.1.tar.gz"
    bucket.blob("packages/logging-0.1.tar.gz").upload_from_string(
        source_distribution(task=STRUCTURED)
    )
    return start(local_vertex, uri, wait=True)


def start(local_vertex: Any, uri: str, *, wait: bool) -> Any:
    """Submits a job by a client of its own, whose reads are not held; answers the handle."""
    from google.auth.credentials import AnonymousCredentials
    from google.cloud import aiplatform_v1

    place = local_vertex.place
    client = aiplatform_v1.JobServiceClient(
        transport="rest",
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": local_vertex.connection.api_endpoint},
    )
    parent = f"projects/{place.project}/locations/{place.location}"
    created = client.create_custom_job(parent=parent, custom_job=custom_job(uri))
    client.transport.close()
    handle = local_vertex.job(created.name)
    if wait:
        handle.result()
    return handle


@pytest.fixture
def ask(local_vertex: Any, finished: Any) -> Callable[..., Any]:
    """Lists entries of the finished job; answers the JSON."""

    def call(text: str = "", **fields: Any) -> Any:
        job_id = finished.name.rsplit("/", 1)[1]
        query = f'resource.type="ml_job" AND resource.labels.job_id="{job_id}"'
        body = {
            "resourceNames": [f"projects/{local_vertex.place.project}"],
            "filter": f"{query} {text}",
            **fields,
        }
        url = f"{local_vertex.connection.api_endpoint}/v2/entries:list"
        return requests.post(url, json=body, timeout=10).json()

    return call


def texts(answer: Any) -> list[str]:
    return [
        entry.get("textPayload") or entry["jsonPayload"]["message"] for entry in answer["entries"]
    ]


REPLICA = 'AND resource.labels.task_name="workerpool0-0"'
PRINTED = f'{REPLICA} AND NOT textPayload:"Task completed" AND NOT textPayload:"Running"'


def test_an_entry_has_the_services_fields(ask: Callable[..., Any]) -> None:
    (entry,) = ask(f'{REPLICA} AND textPayload="starting"')["entries"]
    assert (entry["logName"], entry["resource"]["type"], entry["severity"]) == (
        "projects/local-project/logs/workerpool0-0",
        "ml_job",
        "INFO",
    )


@pytest.mark.parametrize(("text", "level"), [("starting", "INFO"), ("Traceback", "ERROR")])
def test_a_plain_line_is_the_message_of_a_payload(
    ask: Callable[..., Any], text: str, level: str
) -> None:
    (entry,) = ask(f'{REPLICA} AND jsonPayload.message="{text}"')["entries"]
    assert (entry["severity"], entry["jsonPayload"], "textPayload" in entry) == (
        level,
        {"attrs": {"tag": "workerpool0-0"}, "levelname": level, "message": text},
        False,
    )


def test_the_services_own_line_is_a_text(ask: Callable[..., Any]) -> None:
    (entry,) = ask('AND resource.labels.task_name="service" AND "Job is running."')["entries"]
    assert entry["textPayload"] == "Job is running."


def test_a_line_of_json_is_structured(ask: Callable[..., Any]) -> None:
    (entry,) = ask("AND jsonPayload.litres=2")["entries"]
    assert (entry["severity"], entry["jsonPayload"]) == (
        "WARNING",
        {"message": "low on fuel", "litres": 2},
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('textPayload:"TRACE"', ["Traceback"]),
        ('textPayload=~"^start"', ["starting"]),
        ("severity=ERROR AND textPayload:Trace", ["Traceback"]),
        ("severity>=WARNING AND jsonPayload.litres:*", ["low on fuel"]),
        ('jsonPayload.message:"trace" jsonPayload.levelname="ERROR"', ["Traceback"]),
        ('jsonPayload.attrs.tag="workerpool0-0" AND severity>=WARNING', ["Traceback"]),
        ('textPayload:"fuel"', ["low on fuel"]),
        ('NOT jsonPayload.message:"a" AND jsonPayload.levelname:*', []),
        ("NOT severity>=WARNING AND textPayload=starting", ["starting"]),
        ('"low on fuel"', ["low on fuel"]),
        ('textPayload=("starting" OR "Traceback")', ["starting", "Traceback"]),
        ('timestamp<"2020-01-01T00:00:00Z"', []),
        ('labels.task_name="workerpool0-0" textPayload=starting', ["starting"]),
    ],
)
def test_queries(ask: Callable[..., Any], text: str, expected: list[str]) -> None:
    assert sorted(texts(ask(f"{REPLICA} AND {text}"))) == sorted(expected)


def test_under_strict_a_text_is_found_by_its_own_field_alone(
    ask: Callable[..., Any], local_vertex: Any
) -> None:
    fields = ("textPayload", "jsonPayload.message")
    local_vertex.server.hold(os.getpid(), strict=True)
    try:
        answers = [ask(f'{REPLICA} AND {field}="starting"') for field in fields]
    finally:
        local_vertex.server.hold(os.getpid(), strict=False)
    assert [texts(answer) for answer in answers] == [[], ["starting"]]


def test_lines_of_a_time_bound_come(ask: Callable[..., Any]) -> None:
    (entry,) = ask(f'{REPLICA} AND textPayload="Traceback"')["entries"]
    moment = entry["timestamp"]
    assert "Traceback" in texts(ask(f'AND timestamp>="{moment}" AND timestamp<="{moment}"'))


@pytest.mark.parametrize("order", ["timestamp asc", "timestamp desc"])
def test_pages_hold_every_line_once(ask: Callable[..., Any], order: str) -> None:
    whole = ask(orderBy=order, pageSize=1000)
    ids, token = [], ""
    while True:
        answer = ask(orderBy=order, pageSize=2, pageToken=token)
        ids += [entry["insertId"] for entry in answer["entries"]]
        token = answer.get("nextPageToken", "")
        if not token:
            break
    assert ids == [entry["insertId"] for entry in whole["entries"]]


def test_the_newest_come_first_when_asked(ask: Callable[..., Any]) -> None:
    newest = ask(orderBy="timestamp desc")["entries"][0]
    assert newest["textPayload"] == "Job completed successfully."


def test_another_projects_jobs_are_not_shown(ask: Callable[..., Any]) -> None:
    assert ask(resourceNames=["projects/somebody-else"])["entries"] == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"pageToken": "x"}, "The page token 'x' is not valid."),
        ({"orderBy": "severity"}, "orderBy 'severity': expected timestamp asc or desc."),
        ({"resourceNames": ["folders/1"]}, "expected projects/PROJECT"),
        ({"filter": "severity>=LOUD AND ("}, "is not understood"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(
    ask: Callable[..., Any], fields: dict[str, Any], message: str
) -> None:
    assert message in ask(**fields)["error"]["message"]


WAITING = """
import time
from google.cloud import storage
client = storage.Client()
for word in ("ready", "released"):
    print(word, flush=True)
    uri = "gs://contract-suite/logging/{marker}/" + word
    while not storage.Blob.from_string(uri, client=client).exists():
        time.sleep(0.01)
"""


def test_a_followed_line_comes_without_a_pause(local_vertex: Any, bucket: Any, marker: str) -> None:
    """The job goes on only once its line was followed; no pause of the follower takes place."""
    from vertex_jobs.client.log_lines import LogSource
    from vertex_jobs.client.log_reading import LogReader
    from vertex_jobs.client.timing import Timing

    uri = f"gs://{bucket.name}/packages/{marker}.tar.gz"
    program = WAITING.replace("{marker}", marker)
    bucket.blob(f"packages/{marker}.tar.gz").upload_from_string(source_distribution(task=program))
    handle, seen, pauses = start(local_vertex, uri, wait=False), [], []
    job_id = handle.name.rsplit("/", 1)[1]
    reader = LogReader(local_vertex.connection, Timing(sleep=pauses.append))

    def rounds(reads_wait: Callable[[], bool]) -> Any:
        while True:
            yield (job_id,), handle.done()

    for entry in reader.follow(rounds, LogSource("workerpool0-0")):
        seen.append(entry.text)
        if entry.text in ("ready", "released"):
            bucket.blob(f"logging/{marker}/{entry.text}").upload_from_string("seen")
    reader.close()
    printed = [text for text in seen if text in ("ready", "released")]
    assert (printed, pauses) == (["ready", "released"], [])


def test_handles_follow_the_same_way(finished: Any) -> None:
    followed = [entry.text for entry in finished.logs(follow=True)]
    assert followed == [entry.text for entry in finished.logs()]


def test_stored_fields_are_named_in_a_warning(
    jobs: Any, parent: str, package_uri: str, local_vertex: Any
) -> None:
    job = custom_job(package_uri, spec={"service_account": "me@p.iam.gserviceaccount.com"})
    created = jobs.create_custom_job(parent=parent, custom_job=job)
    handle = local_vertex.job(created.name)
    handle.result()
    warnings = [one.text for one in handle.logs() if one.severity == "WARNING"]
    stored = [text for text in warnings if text.startswith("Stored, without effect")]
    assert (len(stored), "custom_job.job_spec.service_account" in stored[0]) == (1, True)


def test_what_is_retired_is_named_in_a_warning(
    jobs: Any, parent: str, package_uri: str, local_vertex: Any
) -> None:
    job = custom_job(package_uri)
    machine = job["job_spec"]["worker_pool_specs"][0]["machine_spec"]
    machine |= {"accelerator_type": "NVIDIA_TESLA_K80", "accelerator_count": 1}
    created = jobs.create_custom_job(parent=parent, custom_job=job)
    handle = local_vertex.job(created.name)
    handle.result()
    assert any("accelerator NVIDIA_TESLA_K80" in entry.text for entry in handle.logs())


def test_json_lines_are_shown_by_their_message(finished: Any) -> None:
    shown = [entry.text for entry in finished.logs(replica="workerpool0-0")]
    assert "low on fuel" in shown


def test_bodies_that_are_no_json_are_refused(local_vertex: Any) -> None:
    url = f"{local_vertex.connection.api_endpoint}/v2/entries:list"
    answer = requests.post(url, data="{", timeout=10)
    assert (answer.status_code, json.loads(answer.text)["error"]["status"]) == (
        400,
        "INVALID_ARGUMENT",
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('AND (resource.labels.task_name="service" OR severity>=ERROR)', True),
        ('AND resource.labels.task_name="workerpool0-0" AND NOT severity>=ERROR', False),
        ('AND NOT (resource.type="ml_job" AND severity=INFO)', True),
        ('AND NOT resource.type="ml_job"', False),
    ],
)
def test_what_is_asked_of_source_and_line_together_is_answered(
    ask: Callable[..., Any], text: str, found: bool
) -> None:
    told = texts({"entries": ask(text, pageSize=1000).get("entries", ())})
    assert ("Traceback" in told) == found


def test_the_last_lines_of_a_job_are_read_from_its_end(finished: Any) -> None:
    lines = [entry.text for entry in finished.logs()]
    assert [entry.text for entry in finished.logs(tail=2)] == lines[-2:]


def test_a_trials_lines_are_its_tuning_jobs(
    local_vertex: Any, tune: Callable[[dict[str, Any]], Any], package_uri: str
) -> None:
    """As gcloud asks for them: by the id of the tuning job, with the trial in a label."""
    tuned = tune(tuning_job(package_uri, max_trial_count=2))
    job_id = tuned.name.rpartition("/")[2]
    label = 'labels."ml.googleapis.com/trial_id"'
    body = {
        "resourceNames": [f"projects/{local_vertex.place.project}"],
        "filter": f'resource.type="ml_job" AND resource.labels.job_id="{job_id}" AND {label}="2"',
    }
    answer = requests.post(
        f"{local_vertex.connection.logging_endpoint}/v2/entries:list", json=body, timeout=30
    )
    entries = answer.json()["entries"]
    assert {entry["labels"]["ml.googleapis.com/trial_id"] for entry in entries} == {"2"}
    assert "a line" in [entry.get("jsonPayload", {}).get("message") for entry in entries]


def test_what_local_vertex_alone_says_is_marked(
    local_vertex: Any, tune: Callable[[dict[str, Any]], Any], package_uri: str
) -> None:
    """A trial reports a metric of another name, which the service would not remark on."""
    tuned = tune(tuning_job(package_uri, "--metric=other", max_trial_count=1))
    query = f'resource.labels.job_id="{tuned.name.rpartition("/")[2]}"'
    url = f"{local_vertex.connection.logging_endpoint}/v2/entries:list"
    names, label = [f"projects/{local_vertex.place.project}"], 'labels."local-vertex/remark"'

    def texts(more: str) -> list[str]:
        body = {"resourceNames": names, "filter": f"{query} AND {more}"}
        entries = requests.post(url, json=body, timeout=30).json()["entries"]
        return [entry.get("textPayload", "") for entry in entries]

    remark = "The metric 'other' was reported but is not one of the study's (score); it is ignored."
    assert remark in texts(f'{label}="true"')
    assert not {remark, *texts(f'{label}="true"')} & set(texts(f"NOT {label}:*"))
