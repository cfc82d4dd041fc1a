"""What the cloud's answers mean, with answers in the form of the REST references."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import requests
from google.auth.credentials import Credentials
from google.auth.exceptions import RefreshError, TransportError
from requests.adapters import BaseAdapter

from vertex_jobs.client import Connection
from vertex_jobs.doctor import Finding, cloud_findings
from vertex_jobs.requests import Place
from vertex_jobs.spec import CustomJob

Answers = Mapping[str, tuple[int, Any]]

GRANTED = {
    "permissions": [
        *("aiplatform.customJobs.create", "aiplatform.customJobs.get"),
        *("aiplatform.hyperparameterTuningJobs.create", "aiplatform.trainingPipelines.create"),
        *("logging.logEntries.list", "iam.serviceAccounts.actAs"),
        *("storage.objects.create", "storage.objects.get", "storage.objects.list"),
    ]
}
ENABLED = {
    "services": [
        {"config": {"name": f"{name}.googleapis.com"}, "state": "ENABLED"}
        for name in ("aiplatform", "storage", "logging")
    ]
}


def quota(limit: int) -> dict[str, Any]:
    buckets = [
        {"effectiveLimit": "7", "defaultLimit": "7"},
        {"effectiveLimit": "9", "dimensions": {"region": "europe-west4"}},
        {"effectiveLimit": str(limit), "dimensions": {"region": "us-central1"}},
    ]
    return {"consumerQuotaLimits": [{"quotaBuckets": buckets}]}


READY: Answers = {
    "/customJobs": (200, {}),
    "services:batchGet": (200, ENABLED),
    "testIamPermissions": (200, GRANTED),
    "testPermissions": (200, GRANTED),
    "/b/mine": (200, {"location": "US-CENTRAL1"}),
    "entries:list": (200, {}),
    "custom_model_training_cpus": (200, quota(42)),
    "nvidia_t4_gpus": (200, quota(1)),
}


class Token(Credentials):
    """Credentials that have their token already."""

    def refresh(self, request: Any) -> None:
        self.token = "word"


class Table(BaseAdapter):
    """Answers by the end of the address; 0 breaks the connection."""

    def __init__(self, answers: Answers) -> None:
        super().__init__()
        self.answers = answers
        self.methods: list[tuple[str, str]] = []

    def send(self, request: Any, *_: Any, **__: Any) -> requests.Response:
        self.methods.append((request.method, request.url))
        part = max((part for part in self.answers if part in request.url), key=len)
        status, form = self.answers[part]
        if status == 0:
            raise requests.ConnectionError("no route")
        response = requests.Response()
        response.status_code = status
        response._content = json.dumps(form).encode()
        response.url = request.url
        return response

    def close(self) -> None:
        pass


def found(
    answers: Answers, tmp_path: Path, job: CustomJob | None = None
) -> tuple[dict[str, Finding], Table]:
    table = Table({**READY, **answers})

    def session(credentials: Any) -> requests.Session:
        made = requests.Session()
        made.mount("https://", table)
        return made

    connection = Connection(
        Place("p", "us-central1", "gs://mine/below"),
        "us-central1-aiplatform.googleapis.com",
        Token(),
        tmp_path,
    )
    findings = cloud_findings(connection, job, session)
    return {finding.subject: finding for finding in findings}, table


def test_a_project_that_is_ready(tmp_path: Path) -> None:
    findings, _ = found({}, tmp_path)
    assert {subject: finding.verdict for subject, finding in findings.items()} == dict.fromkeys(
        ["credentials", "Vertex AI", "APIs", "permissions", "bucket", "logs", "quota of CPUs"], "ok"
    )


def test_nothing_is_changed(tmp_path: Path) -> None:
    _, table = found({}, tmp_path)
    posts = {url.rpartition(":")[2] for method, url in table.methods if method == "POST"}
    assert ({method for method, _ in table.methods}, posts) == (
        {"GET", "POST"},
        {"testIamPermissions", "list"},
    )


def denied(text: str) -> tuple[int, Any]:
    return 403, {"error": {"code": 403, "message": text}}


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (
            {"/customJobs": denied("Vertex AI API has not been used in project p before")},
            Finding(
                "Vertex AI",
                "missing",
                "Vertex AI API has not been used in project p before",
                "gcloud services enable aiplatform.googleapis.com --project p",
            ),
        ),
        (
            {"/customJobs": denied("Permission 'aiplatform.customJobs.list' denied")},
            Finding(
                "Vertex AI",
                "missing",
                "Permission 'aiplatform.customJobs.list' denied",
                "grant roles/aiplatform.user on p, or correct --project",
            ),
        ),
        (
            {"/customJobs": (0, None)},
            Finding(
                "Vertex AI",
                "unknown",
                "us-central1-aiplatform.googleapis.com was not reached: no route",
            ),
        ),
        (
            {"services:batchGet": (200, {"services": ENABLED["services"][:2]})},
            Finding(
                "APIs",
                "missing",
                "not enabled: logging.googleapis.com",
                "gcloud services enable logging.googleapis.com --project p",
            ),
        ),
        (
            {"services:batchGet": denied("no")},
            Finding("APIs", "unknown", "could not be asked: no"),
        ),
        (
            {"testIamPermissions": (200, {"permissions": GRANTED["permissions"][1:]})},
            Finding(
                "permissions",
                "missing",
                "without aiplatform.customJobs.create",
                "grant roles/aiplatform.user and roles/logging.viewer on p",
            ),
        ),
        (
            {"/b/mine": (404, {})},
            Finding(
                "bucket",
                "missing",
                "gs://mine does not exist",
                "gcloud storage buckets create gs://mine --location us-central1",
            ),
        ),
        (
            {"/b/mine": (200, {"location": "EU"})},
            Finding(
                "bucket",
                "limited",
                "gs://mine lies in EU, and jobs run in us-central1",
                "take one there: reading is faster and free",
            ),
        ),
        (
            {"testPermissions": (200, {})},
            Finding(
                "bucket",
                "missing",
                "gs://mine: without storage.objects.create, storage.objects.get, "
                "storage.objects.list",
                "grant roles/storage.objectAdmin on gs://mine",
            ),
        ),
        (
            {"custom_model_training_cpus": (200, quota(0))},
            Finding(
                "quota of CPUs",
                "missing",
                "0 in us-central1",
                "ask for more in the console's quota page, or take another --location",
            ),
        ),
    ],
)
def test_what_is_not_ready(answers: Answers, expected: Finding, tmp_path: Path) -> None:
    assert found(answers, tmp_path)[0][expected.subject] == expected


@pytest.mark.parametrize("place", ["US", "us-central1"])
def test_a_bucket_around_the_region_is_near(place: str, tmp_path: Path) -> None:
    assert found({"/b/mine": (200, {"location": place})}, tmp_path)[0]["bucket"].verdict == "ok"


def test_a_jobs_own_needs_are_looked_at(tmp_path: Path) -> None:
    job = CustomJob(
        display_name="x",
        script_path="x.py",
        accelerator_type="NVIDIA_TESLA_T4",
        accelerator_count=1,
        service_account="me@p.iam.gserviceaccount.com",
    )
    findings, _ = found({}, tmp_path, job)
    assert (findings["quota of NVIDIA_TESLA_T4"], findings["service account"]) == (
        Finding("quota of NVIDIA_TESLA_T4", "ok", "1 in us-central1"),
        Finding("service account", "ok", "me@p.iam.gserviceaccount.com: iam.serviceAccounts.actAs"),
    )


def test_quotas_are_of_the_family_and_of_spot_machines(tmp_path: Path) -> None:
    job = CustomJob(
        display_name="x",
        script_path="x.py",
        machine_type="g2-standard-12",
        accelerator_type="NVIDIA_L4",
        accelerator_count=1,
        scheduling_strategy="spot",
    )
    answers: Answers = {
        "custom_model_training_preemptible_g2_cpus": (200, quota(0)),
        "custom_model_training_preemptible_nvidia_l4_gpus": (200, quota(2)),
    }
    findings, _ = found(answers, tmp_path, job)
    shown = {name: one.verdict for name, one in findings.items() if name.startswith("quota")}
    assert shown == {
        "quota of preemptible G2 CPUs": "missing",
        "quota of preemptible NVIDIA_L4": "ok",
    }


@pytest.mark.parametrize(
    ("error", "verdict"),
    [(TransportError("no route"), "unknown"), (RefreshError("revoked"), "missing")],
)
def test_credentials_that_give_no_token_end_the_questions(
    error: Exception, verdict: str, tmp_path: Path
) -> None:
    class Tokenless(Credentials):
        def refresh(self, request: Any) -> None:
            raise error

    place = Place("p", "us-central1", "gs://mine")
    connection = Connection(place, "us-central1-aiplatform.googleapis.com", Tokenless(), tmp_path)
    verdicts = {finding.subject: finding.verdict for finding in cloud_findings(connection, None)}
    ready, _ = found({}, tmp_path)
    assert verdicts == {**dict.fromkeys(ready, "unknown"), "credentials": verdict}
