"""What the conformance suite speaks through: the generated clients, over REST and over gRPC."""

import os
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from budget import Budget, BudgetExceededError
from deployment import Deployment
from exchanges import Recorder, Replayer, new_marker
from google.auth.credentials import AnonymousCredentials
from google.cloud import aiplatform_v1, storage
from job_forms import PROGRAM, TERMINAL, source_distribution

_DEPLOYMENT = pytest.StashKey[Deployment]()
_BUDGET = pytest.StashKey[Budget]()


def pytest_configure(config: pytest.Config) -> None:
    # Read before any test: the environment is cleaned for each.
    config.stash[_DEPLOYMENT] = Deployment.from_environment(os.environ)
    config.stash[_BUDGET] = Budget(config.stash[_DEPLOYMENT].budget_usd)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what a real project cannot show: whatever does not speak through ``clients``."""
    if config.stash[_DEPLOYMENT].kind == "local":
        return
    items[:] = [item for item in items if _can_run_elsewhere(item)]


def _can_run_elsewhere(item: pytest.Item) -> bool:
    fixtures = getattr(item, "fixturenames", ())
    return (
        "clients" in fixtures
        and "local_vertex" not in fixtures
        and item.get_closest_marker("local_only") is None
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Both transports here; REST alone, which can be recorded, where jobs cost money."""
    if "transport" in metafunc.fixturenames:
        local = metafunc.config.stash[_DEPLOYMENT].kind == "local"
        metafunc.parametrize("transport", ["rest", "grpc"] if local else ["rest"])


@pytest.fixture(scope="session")
def deployment(pytestconfig: pytest.Config) -> Deployment:
    return pytestconfig.stash[_DEPLOYMENT]


@pytest.fixture(scope="session")
def parent(deployment: Deployment) -> str:
    return f"projects/{deployment.project}/locations/{deployment.location}"


@pytest.fixture(scope="session")
def bucket(deployment: Deployment, request: pytest.FixtureRequest) -> storage.Bucket:
    settings: dict[str, Any] = {}
    if deployment.kind != "live":
        settings["credentials"] = AnonymousCredentials()
    if deployment.kind == "local":
        endpoint = request.getfixturevalue("local_vertex").connection.storage_endpoint
        settings["client_options"] = {"api_endpoint": endpoint}
    client = storage.Client(project=deployment.project, **settings)
    bucket = client.bucket(deployment.bucket)
    if deployment.kind != "replay" and not bucket.exists():
        bucket.create(location=deployment.location)
    return bucket


@pytest.fixture(scope="session")
def package_uri(deployment: Deployment, bucket: storage.Bucket) -> str:
    blob = bucket.blob("packages/trainer-0.1.tar.gz")
    if deployment.kind != "replay":
        blob.upload_from_string(source_distribution(task=PROGRAM))
    return f"gs://{bucket.name}/{blob.name}"


@pytest.fixture
def exchanges(
    request: pytest.FixtureRequest, deployment: Deployment
) -> Iterator[Recorder | Replayer | None]:
    """What stands between the clients and the network; nothing for Local Vertex."""
    name = re.sub(r"\W+", "-", request.node.nodeid.rpartition("/")[2]).strip("-")
    path = deployment.folder / f"{name}.json" if deployment.folder else None
    if deployment.kind == "replay":
        assert path is not None
        if not path.exists():
            pytest.skip(f"{path.name} was not recorded")
        yield Replayer(path)
    elif deployment.kind == "live":
        budget = request.config.stash[_BUDGET]
        recorder = Recorder(deployment.project, deployment.bucket, budget)
        try:
            yield recorder
        finally:
            if path is not None:
                recorder.write(path)
    else:
        yield None


@pytest.fixture
def marker(exchanges: Recorder | Replayer | None) -> str:
    """A word that no other test and no earlier run has used; in a replay that of the recording."""
    return exchanges.marker if exchanges is not None else new_marker()


@pytest.fixture
def transport() -> str:
    """``rest`` or ``grpc``; see ``pytest_generate_tests``."""
    raise AssertionError("it is parametrized")


@pytest.fixture
def clients(
    request: pytest.FixtureRequest,
    deployment: Deployment,
    exchanges: Recorder | Replayer | None,
    bucket: storage.Bucket,
    transport: str,
) -> Iterator[Callable[[str], Any]]:
    """Makes a generated client of the given class over the transport under test."""
    made = []
    host = f"{deployment.location}-aiplatform.googleapis.com"
    settings: dict[str, Any] = {"client_options": {"api_endpoint": host}}
    if transport == "rest":
        settings["transport"] = "rest"
    if deployment.kind == "local":
        request.getfixturevalue("google_clients")
        if transport == "rest":
            url = request.getfixturevalue("local_vertex").connection.api_endpoint
            settings["client_options"] = {"api_endpoint": url}
    if exchanges is not None:
        bucket.client._http.mount("https://", exchanges)
    if transport == "rest" and deployment.kind != "live":
        settings["credentials"] = AnonymousCredentials()

    def make(name: str) -> Any:
        client = getattr(aiplatform_v1, name)(**settings)
        if exchanges is not None:
            client.transport._session.mount("https://", exchanges)
        made.append(client)
        return client

    yield make
    for client in made:
        client.transport.close()


@pytest.fixture
def jobs(clients: Callable[[str], Any]) -> Any:
    return clients("JobServiceClient")


@pytest.fixture
def outputs(bucket: storage.Bucket) -> Callable[[str], dict[str, str]]:
    """Reads what a job wrote below a ``gs://`` directory: names and texts."""

    def read(uri: str) -> dict[str, str]:
        prefix = uri.removeprefix(f"gs://{bucket.name}/") + "/"
        blobs = bucket.client.list_blobs(bucket, prefix=prefix)
        return {blob.name.removeprefix(prefix): blob.download_as_text() for blob in blobs}

    return read


@pytest.fixture
def wait(deployment: Deployment) -> Callable[[Callable[[], Any]], Any]:
    """Polls, as any client must, until the job has ended; bounded."""

    def until_it_ends(get: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + deployment.patience_seconds
        job = get()
        while job.state.name not in TERMINAL:
            assert time.monotonic() < deadline, f"{job.name} is still {job.state!r}"
            time.sleep(deployment.poll_seconds)
            job = get()
        return job

    return until_it_ends


@pytest.fixture
def run(jobs: Any, parent: str, wait: Callable[..., Any]) -> Callable[[dict[str, Any]], Any]:
    """Runs a custom job to its end."""

    def to_the_end(job: dict[str, Any]) -> Any:
        created = jobs.create_custom_job(parent=parent, custom_job=job)
        return wait(lambda: jobs.get_custom_job(name=created.name))

    return to_the_end


@pytest.fixture
def tune(jobs: Any, parent: str, wait: Callable[..., Any]) -> Callable[[dict[str, Any]], Any]:
    """Runs a tuning job to its end."""

    def to_the_end(job: dict[str, Any]) -> Any:
        created = jobs.create_hyperparameter_tuning_job(
            parent=parent, hyperparameter_tuning_job=job
        )
        return wait(lambda: jobs.get_hyperparameter_tuning_job(name=created.name))

    return to_the_end


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """End the whole run when the money does."""
    report = yield
    if call.excinfo is not None and call.excinfo.errisinstance(BudgetExceededError):
        item.session.shouldstop = f"the budget is spent: {call.excinfo.value}"
    return report
