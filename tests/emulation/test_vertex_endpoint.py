"""``vertex()`` end to end: TLS, tokens and quota projects that are checked, jobs that run."""

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from google_gate import DEPUTY, PERSON, PROJECT, ROBOT, Gate, Seen

from vertex_jobs import vertex
from vertex_jobs.cli import main
from vertex_jobs.client.journal import REFUSED, Journal
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.errors import (
    EndpointLostError,
    InvalidJobError,
    RequestRefusedError,
    UnsupportedHereError,
)
from vertex_jobs.spec import CustomJob, Fallback, to_yaml

BUCKET = "gs://signed-in"
Sign = Callable[..., Endpoint]


@pytest.fixture(scope="module")
def module_gate(local_vertex: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    made = Gate(local_vertex.server.record.port, tmp_path_factory.mktemp("gate"))
    yield made
    made.close()


@pytest.fixture
def gate(module_gate: Gate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Gate:
    """Google, for the clients of this test."""
    gate = module_gate
    gate.seen.clear()
    gate.refused.clear()
    gate.deputies.clear()
    gate.revoked = False
    for name in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, gate.url)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(gate.authority))
    monkeypatch.setenv("NO_GCE_CHECK", "true")  # read when google-auth is imported, hence also:
    monkeypatch.setenv("GCE_METADATA_IP", "127.0.0.1:9")  # nobody answers there
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "gcloud"))
    return gate


@pytest.fixture
def sign_in(gate: Gate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Sign]:
    """Makes a ``vertex()`` with the application default credentials of that file."""
    opened: list[Endpoint] = []

    def sign_in(file: Path, **settings: str) -> Endpoint:
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
        made = vertex(
            **{"project": PROJECT, "staging_bucket": BUCKET, **settings},
            state_dir=tmp_path / "state",
        )
        opened.append(made)
        return made

    yield sign_in
    for each in opened:
        each.close()


@pytest.fixture
def job(tmp_path: Path) -> CustomJob:
    (tmp_path / "train.py").write_text("print('trained')\n")
    return CustomJob(
        display_name="signed-in",
        script_path=str(tmp_path / "train.py"),
        container_uri="docker.io/tensorflow/tensorflow:2.21.0",
        machine_type="n1-standard-4",
        timeout=3600,
    )


@pytest.fixture
def wrong_job(tmp_path: Path) -> CustomJob:
    """A job with a mistake of each sort: flag, machine, money."""
    (tmp_path / "train.py").write_text("import argparse\nargparse.ArgumentParser().parse_args()\n")
    return CustomJob(
        display_name="wrong",
        script_path=str(tmp_path / "train.py"),
        args={"epochs": 3},
        accelerator_type="NVIDIA_TESLA_T4",
        accelerator_count=3,
        timeout=3600,
        max_cost_usd=0.01,
    )


def journalled(state_directory: Path) -> list[str]:
    """The states of all submissions."""
    return [entry.current.state for entry in Journal(state_directory).entries()]


def apis(gate: Gate) -> set[str]:
    return {call.host.removesuffix(".googleapis.com") for call in gate.seen}


def test_a_service_account_submits_watches_and_reads_the_log(
    sign_in: Sign, gate: Gate, job: CustomJob
) -> None:
    handle = sign_in(gate.service_account_file()).submit(job)
    assert handle.exception(timeout=60) is None
    assert "trained" in [line.text for line in handle.logs()]
    assert {call.identity for call in awaited(gate)} == {ROBOT}
    assert apis(gate) == {"us-central1-aiplatform", "storage", "logging"}


def test_every_mistake_is_refused_at_once_and_nothing_is_sent(
    sign_in: Sign, gate: Gate, wrong_job: CustomJob, tmp_path: Path
) -> None:
    endpoint = sign_in(gate.service_account_file(), staging_bucket="")
    with pytest.raises(InvalidJobError) as refused:
        endpoint.submit(wrong_job)
    assert {fault.path for fault in refused.value.faults} == {
        "accelerator_count",
        "args.epochs",
        "max_cost_usd",
        "staging_bucket",
    }
    assert (gate.seen, journalled(tmp_path / "state")) == ([], [])


def test_the_mistakes_are_those_of_the_command_line(
    sign_in: Sign, gate: Gate, wrong_job: CustomJob, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    config = tmp_path / "wrong.yaml"
    config.write_text(to_yaml(wrong_job))
    with pytest.raises(InvalidJobError) as refused:
        sign_in(gate.service_account_file()).submit(wrong_job)
    code = main(["run", str(config), "--on", "vertex", "--staging-bucket", BUCKET, "--yes"])
    said = " ".join(capsys.readouterr().err.split())
    assert (code, [fault for fault in refused.value.faults if fault.rule not in said]) == (2, [])


def test_a_bucket_is_needed_even_by_a_job_that_is_not_checked(sign_in: Sign, gate: Gate) -> None:
    endpoint = sign_in(gate.service_account_file(), staging_bucket="")
    container = CustomJob(display_name="job", container_uri="docker.io/me/x")
    with pytest.raises(InvalidJobError, match=r"staging_bucket: is required .*; pass"):
        endpoint.submit(container, check=False)


def test_the_project_is_the_credentials_own(sign_in: Sign, gate: Gate) -> None:
    assert sign_in(gate.service_account_file(), project="").place.project == PROJECT


def test_what_only_local_vertex_needs_is_nothing_to_do(sign_in: Sign, gate: Gate) -> None:
    endpoint = sign_in(gate.service_account_file())
    endpoint.hold()
    assert (endpoint.resume(), endpoint.has_ended()) == ([], False)


def test_the_quota_project_reaches_every_api(sign_in: Sign, gate: Gate, job: CustomJob) -> None:
    handle = sign_in(gate.service_account_file(), quota_project="payer").submit(job)
    handle.exception(timeout=60)
    list(handle.logs())
    assert {call.quota_project for call in awaited(gate)} == {"payer"}


def test_a_persons_calls_are_charged_to_the_project(
    sign_in: Sign, gate: Gate, job: CustomJob
) -> None:
    assert sign_in(gate.person_file()).submit(job).exception(timeout=60) is None
    charged = {(call.identity, call.quota_project) for call in gate.seen}
    assert charged == {(PERSON, PROJECT)}


def test_another_account_is_impersonated(sign_in: Sign, gate: Gate, job: CustomJob) -> None:
    gate.deputies[PERSON] = {DEPUTY}
    endpoint = sign_in(gate.person_file(), impersonate_service_account=DEPUTY)
    assert endpoint.submit(job).exception(timeout=60) is None
    assert {call.identity for call in awaited(gate)} == {DEPUTY}


def test_an_impersonation_that_is_not_allowed_says_which_role_allows_it(
    sign_in: Sign, gate: Gate, job: CustomJob
) -> None:
    endpoint = sign_in(gate.person_file(), impersonate_service_account=DEPUTY)
    with pytest.raises(RequestRefusedError, match=r"roles/iam\.serviceAccountTokenCreator"):
        endpoint.submit(job)


def test_a_sign_in_that_was_taken_back_says_how_to_sign_in(
    sign_in: Sign, gate: Gate, job: CustomJob, tmp_path: Path
) -> None:
    gate.revoked = True
    with pytest.raises(RequestRefusedError, match="gcloud auth application-default login"):
        sign_in(gate.person_file()).submit(job)
    assert journalled(tmp_path / "state") == [REFUSED]


def test_a_token_that_expires_early_is_replaced(sign_in: Sign, gate: Gate, job: CustomJob) -> None:
    handle = sign_in(gate.person_file()).submit(job)
    gate.expire_tokens()
    assert (handle.exception(timeout=60), bool(gate.refused)) == (None, True)


def test_a_create_with_an_expired_token_makes_one_job(
    sign_in: Sign, gate: Gate, job: CustomJob
) -> None:
    endpoint = sign_in(gate.person_file())
    endpoint.jobs()
    gate.expire_tokens()
    handle = endpoint.submit(job.model_copy(update={"display_name": "one-of-a-kind"}))
    assert [each.name for each in endpoint.jobs('display_name="one-of-a-kind"')] == [handle.name]


def test_a_region_has_its_own_host(sign_in: Sign, gate: Gate) -> None:
    sign_in(gate.service_account_file(), location="europe-west4").jobs()
    assert apis(gate) == {"europe-west4-aiplatform"}


def test_a_fallback_is_made_and_followed_at_its_own_regions_host(
    sign_in: Sign, gate: Gate, job: CustomJob, local_vertex: Endpoint
) -> None:
    local_vertex.server.inject([{"call": "JobService.CreateCustomJob", "fault": 429}])
    elsewhere = job.model_copy(update={"fallback": (Fallback(location="europe-west4"),)})
    handle = sign_in(gate.service_account_file()).submit(elsewhere)
    assert (handle.exception(timeout=60), handle.name.split("/")[3]) == (None, "europe-west4")
    reads = {call.host for call in gate.seen if call.call.startswith("GET /v1/")}
    assert reads == {"europe-west4-aiplatform.googleapis.com"}


def test_a_certificate_that_is_not_trusted_is_told_apart(
    sign_in: Sign, gate: Gate, job: CustomJob, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    endpoint = sign_in(gate.service_account_file())
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    for call in (lambda: endpoint.submit(job), endpoint.jobs):
        with pytest.raises(EndpointLostError, match=r"^no answer from .*REQUESTS_CA_BUNDLE"):
            call()
    assert journalled(tmp_path / "state") == [REFUSED]


def test_without_credentials_the_remedy_is_to_sign_in(gate: Gate) -> None:
    with pytest.raises(UnsupportedHereError, match="run: gcloud auth application-default login"):
        vertex(project=PROJECT)


@pytest.mark.parametrize("content", [None, "{}", "no JSON"])
def test_a_credentials_file_that_is_none_is_named(
    sign_in: Sign, tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / "key.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(UnsupportedHereError, match=r"correct GOOGLE_APPLICATION_CREDENTIALS.*key"):
        sign_in(file)


# From the command line.


@pytest.fixture
def run(
    gate: Gate, job: CustomJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str]]:
    """``run --on vertex``, its answer to the question given; exit code and stderr."""
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(gate.service_account_file()))
    config = tmp_path / "job.yaml"
    config.write_text(
        "kind: custom_job\ndisplay_name: from-the-command-line\nscript_path: train.py\n"
        f"machine_type: n1-standard-4\nstaging_bucket: {BUCKET}\ntimeout: 3600\n"
    )

    def run(answer: str | None, *words: str) -> tuple[int, str]:
        said, results = io.StringIO(), io.StringIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", _Terminal(answer or "", answer is not None))
            patch.setattr(sys, "stderr", said)
            patch.setattr(sys, "stdout", results)
            code = main(
                [
                    "run",
                    str(config),
                    "--on",
                    "vertex",
                    "--state-dir",
                    str(tmp_path / "state"),
                    *words,
                ]
            )
        return code, said.getvalue()

    return run


class _Terminal(io.StringIO):
    """What a person types."""

    def __init__(self, text: str, is_terminal: bool) -> None:
        super().__init__(text)
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


def awaited(gate: Gate) -> list[Seen]:
    """What was called, but for looks at the bucket.

    google-cloud-storage looks in a thread of its own, which may be an earlier test's.
    """
    return [call for call in gate.seen if call.call != "GET /storage/v1/b/signed-in"]


def created(gate: Gate) -> list[str]:
    return [
        call.call for call in gate.seen if call.call.endswith("/customJobs") and "POST" in call.call
    ]


def test_yes_submits_to_vertex_ai_and_follows(
    run: Callable[..., tuple[int, str]], gate: Gate
) -> None:
    code, said = run("y\n", "--impersonate-service-account", DEPUTY, "--quota-project", "payer")
    assert (code, created(gate)) == (3, []), said  # nobody may act as it yet
    gate.deputies[ROBOT] = {DEPUTY}
    code, said = run("y\n", "--impersonate-service-account", DEPUTY, "--quota-project", "payer")
    assert (code, len(created(gate))) == (0, 1), said
    assert {(call.identity, call.quota_project) for call in awaited(gate)} == {(DEPUTY, "payer")}
    assert f"as {DEPUTY}" in said
    assert "in the console: https://console.cloud.google.com/" in said
    assert 'query for its log: resource.type="ml_job"' in said


@pytest.mark.parametrize(("answer", "words"), [("n\n", ()), ("", ()), (None, ())])
def test_anything_but_yes_submits_nothing(
    run: Callable[..., tuple[int, str]], gate: Gate, answer: str | None, words: tuple[str, ...]
) -> None:
    code, said = run(answer, *words)
    assert (code, created(gate), "nothing was submitted" in said) == (2, [], True)


def test_yes_in_advance_asks_nobody(run: Callable[..., tuple[int, str]], gate: Gate) -> None:
    code, said = run(None, "--yes", "--detach")
    assert (code, len(created(gate)), "Proceed?" in said) == (0, 1, False), said
