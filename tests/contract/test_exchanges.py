"""Recording, sanitising, replaying and the cost ceiling, tried on Local Vertex."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from budget import Budget, BudgetExceededError, UnpricedJobError, worst_case_usd
from deployment import Deployment
from exchanges import BUCKET, NUMBER, PROJECT, Replayer, ReplayError, sanitise
from google.auth.credentials import AnonymousCredentials
from google.cloud import aiplatform_v1
from job_forms import custom_job, tuning_job
from records import read_all
from replay import replayed

from vertex_jobs.endpoints import Endpoint, google_environment

pytestmark = pytest.mark.local_only
HERE = Path(__file__).parent
#: A slice of the suite: jobs, a file that a job wrote, a refusal, an operation.
SLICE = "test_exit_0 or test_of_a_single_replica or test_every_fault or test_delete"


def as_if_google(local_vertex: Endpoint) -> dict[str, str]:
    """Variables under which every client asks Google's hosts, and Local Vertex answers."""
    variables = google_environment(local_vertex.server)
    del variables["STORAGE_EMULATOR_HOST"]
    return variables


def run_suite(variables: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    """The suite as ``make contract-live`` runs it: nothing of the folders above is loaded."""
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    words += ["--confcutdir", str(HERE), str(HERE / "test_job_service.py"), *options]
    # With another storage host the requests to it would not be recorded.
    inherited = {key: one for key, one in os.environ.items() if key != "STORAGE_EMULATOR_HOST"}
    environment = inherited | variables
    return subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=240, check=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exchanges")


@pytest.fixture(scope="module")
def recorded(local_vertex: Endpoint, folder: Path) -> str:
    local_vertex.outputs().write_bytes("gs://someones-bucket/made", b"")
    variables = {
        "VERTEX_JOBS_CONTRACT_PROJECT": "someones-project",
        "VERTEX_JOBS_CONTRACT_BUCKET": "gs://someones-bucket",
        "VERTEX_JOBS_CONTRACT_BUDGET": "2",
        "VERTEX_JOBS_CONTRACT_RECORD": str(folder),
        "VERTEX_JOBS_CONTRACT_POLL_SECONDS": "0.02",
    }
    done = run_suite(as_if_google(local_vertex) | variables, "-k", SLICE)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class TestRun:
    """Local Vertex stands for the real service: it is reached by Google's own hosts."""

    def test_records_over_rest_alone(self, recorded: str, folder: Path) -> None:
        assert sorted(path.name for path in folder.iterdir()) == [
            "test_job_service-py-TestEnvironment-test_of_a_single_replica-rest.json",
            "test_job_service-py-test_delete-rest.json",
            "test_job_service-py-test_every_fault_is_in_one_answer-rest.json",
            "test_job_service-py-test_exit_0_succeeds-rest.json",
        ]

    def test_keeps_nothing_of_the_project(self, recorded: str, folder: Path) -> None:
        text = "".join(path.read_text() for path in folder.iterdir())
        found = [
            word in text for word in ("someones", "@someones", "Bearer", "iam.gserviceaccount")
        ]
        assert (found, PROJECT in text, NUMBER in text, BUCKET in text) == (
            [False] * 4,
            True,
            True,
            True,
        )

    def test_replays_without_a_server(self, recorded: str, folder: Path) -> None:
        # Whatever would leave this process meets a closed port.
        closed = "http://127.0.0.1:9"
        variables = {"VERTEX_JOBS_CONTRACT_REPLAY": str(folder), "https_proxy": closed}
        done = run_suite(variables, "-k", SLICE)
        assert "4 passed" in done.stdout, done.stdout + done.stderr

    def test_what_is_recorded_is_replayed_as_any_record(
        self, recorded: str, local_vertex: Endpoint, folder: Path
    ) -> None:
        # The cluster's address in the fourth is another one each time.
        records = [one for one in read_all(folder) if "single_replica" not in one.path.stem]
        outcomes = [one for record in records for one in replayed(local_vertex, record)]
        found = [one.place for outcome in outcomes for one in outcome.unlisted]
        assert (len(records), found) == (3, [])

    def test_a_test_that_was_not_recorded_is_skipped(self, recorded: str, folder: Path) -> None:
        done = run_suite({"VERTEX_JOBS_CONTRACT_REPLAY": str(folder)}, "-k", "test_cancel")
        assert "1 skipped" in done.stdout, done.stdout + done.stderr

    def test_stops_before_the_ceiling(self, local_vertex: Endpoint) -> None:
        variables = {
            "VERTEX_JOBS_CONTRACT_PROJECT": "someones-project",
            "VERTEX_JOBS_CONTRACT_BUCKET": "someones-bucket",
            "VERTEX_JOBS_CONTRACT_BUDGET": "0.05",  # one job, not two
            "VERTEX_JOBS_CONTRACT_POLL_SECONDS": "0.02",
        }
        done = run_suite(as_if_google(local_vertex) | variables)
        assert (
            done.returncode,
            "the budget is spent: the next job may cost 0.0364" in done.stdout,
        ) == (
            2,
            True,
        ), done.stdout


class TestDeployment:
    def test_a_project_without_a_budget_is_refused(self) -> None:
        with pytest.raises(ValueError, match="VERTEX_JOBS_CONTRACT_BUDGET"):
            Deployment.from_environment({"VERTEX_JOBS_CONTRACT_PROJECT": "p"})

    def test_nothing_said_is_local(self) -> None:
        assert Deployment.from_environment({}).kind == "local"


class TestSanitising:
    @pytest.mark.parametrize(
        ("text", "clean"),
        [
            ("projects/me-1/x", f"projects/{PROJECT}/x"),
            ("not-me-1 and me-12", "not-me-1 and me-12"),
            ("projects/98765432/jobs; 98765432", f"projects/{NUMBER}/jobs; {NUMBER}"),
            ("a.b+c@mail.example.org", "someone@example.com"),
            ("x@me-1.iam.gserviceaccount.com", "someone@example.com"),
            ("token ya29.a0Af_-x", "token a-token"),
            ("gs://my-bucket/a my-bucket-2", f"gs://{BUCKET}/a my-bucket-2"),
            ("customJobs/1234567890123456789", "customJobs/1234567890123456789"),
        ],
    )
    def test_text(self, text: str, clean: str) -> None:
        assert sanitise(text, "me-1", "my-bucket") == clean


class TestReplayer:
    @pytest.fixture
    def client(self, tmp_path: Path) -> Any:
        def exchange(state: str) -> dict[str, Any]:
            path = "/v1/projects/p/locations/l/customJobs/1"
            answer = {"status": 200, "headers": {"content-type": "application/json"}}
            answer["body"] = {"name": "n", "state": state}
            return {"request": {"method": "GET", "path": path}, "answer": answer}

        path = tmp_path / "exchanges.json"
        states = ["JOB_STATE_RUNNING", "JOB_STATE_SUCCEEDED"]
        path.write_text(json.dumps({"marker": "m", "exchanges": [exchange(one) for one in states]}))
        client = aiplatform_v1.JobServiceClient(
            transport="rest", credentials=AnonymousCredentials()
        )
        client.transport._session.mount("https://", Replayer(path))
        yield client
        client.transport.close()

    def test_the_last_answer_is_repeated(self, client: Any) -> None:
        name = "projects/p/locations/l/customJobs/1"
        seen = [client.get_custom_job(name=name).state.name[10:] for _ in range(3)]
        assert seen == ["RUNNING", "SUCCEEDED", "SUCCEEDED"]

    def test_what_was_not_recorded_is_named(self, client: Any) -> None:
        with pytest.raises(
            ReplayError, match="GET /v1/projects/p/locations/l/customJobs/2 was not"
        ):
            client.get_custom_job(name="projects/p/locations/l/customJobs/2")


class TestBudget:
    JOB = aiplatform_v1.types.CustomJob.to_dict(
        aiplatform_v1.types.CustomJob(custom_job("gs://b/p.tar.gz")),
        preserving_proto_field_name=False,
    )
    STUDY = aiplatform_v1.types.HyperparameterTuningJob.to_dict(
        aiplatform_v1.types.HyperparameterTuningJob(tuning_job("gs://b/p.tar.gz")),
        preserving_proto_field_name=False,
    )
    PATH = "/v1/projects/p/locations/l/customJobs"

    @pytest.mark.parametrize(
        ("path", "body", "price"),
        [
            ("/p/customJobs", JOB, 0.21849885 / 6),
            ("/p/hyperparameterTuningJobs", STUDY, 4 * 0.21849885 / 6),
            ("/p/customJobs/1:cancel", {}, 0.0),
        ],
    )
    def test_worst_case(self, path: str, body: dict[str, Any], price: float) -> None:
        assert worst_case_usd(path, body) == pytest.approx(price)

    def test_a_job_without_a_timeout(self) -> None:
        with pytest.raises(UnpricedJobError, match="has no timeout"):
            worst_case_usd("/p/customJobs", {"displayName": "x", "jobSpec": {}})

    def test_a_machine_of_unknown_price(self) -> None:
        body = json.loads(json.dumps(self.JOB).replace("n1-standard-4", "a3-ultragpu-8g"))
        with pytest.raises(UnpricedJobError, match="a3-ultragpu-8g is not known"):
            worst_case_usd("/p/customJobs", body)

    def test_what_was_refused_is_paid_back(self) -> None:
        budget, body = Budget(0.05), json.dumps(self.JOB).encode()
        budget.refund(budget.pay("POST", self.PATH, body))
        budget.pay("POST", self.PATH, body)
        with pytest.raises(BudgetExceededError, match=r"0\.0364 of 0\.0500 are spent"):
            budget.pay("POST", self.PATH, body)
