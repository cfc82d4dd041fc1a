"""Projects, locations, IAM policies, tokens and signatures."""

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests
from google.api_core import exceptions
from google.auth import jwt
from google.auth.credentials import AnonymousCredentials
from job_forms import custom_job

pytestmark = pytest.mark.local_only


@pytest.fixture
def projects(local_vertex: Any, google_clients: dict[str, str], transport: str) -> Iterator[Any]:
    """The unmodified Resource Manager client."""
    from google.cloud import resourcemanager_v3

    settings: dict[str, Any] = {}
    if transport == "rest":
        settings = {
            "transport": "rest",
            "credentials": AnonymousCredentials(),
            "client_options": {"api_endpoint": local_vertex.connection.api_endpoint},
        }
    client = resourcemanager_v3.ProjectsClient(**settings)
    yield client
    client.transport.close()


def test_a_project_is_found_by_id_and_by_number(projects: Any) -> None:
    project = projects.get_project(name="projects/never-seen-before")
    again = projects.get_project(name=project.name)
    assert (again.project_id, again.name) == ("never-seen-before", project.name)


def test_the_number_is_that_of_resource_names(
    projects: Any, jobs: Any, parent: str, package_uri: str
) -> None:
    created = jobs.create_custom_job(parent=parent, custom_job=custom_job(package_uri))
    number = "/".join(created.name.split("/")[:2])
    assert projects.get_project(name=number).project_id == parent.split("/")[1]


def test_a_number_that_nobody_named_is_a_project_of_that_number(projects: Any) -> None:
    project = projects.get_project(name="projects/123456789012")
    assert (project.name, project.project_id) == (
        "projects/123456789012",
        "project-123456789012",
    )


def test_locations(jobs: Any, parent: str) -> None:
    project = parent.rpartition("/locations")[0]
    found = [one.location_id for one in jobs.list_locations({"name": project}).locations]
    one = jobs.get_location({"name": f"{project}/locations/europe-west4"})
    assert (one.location_id in found, len(found) > 30) == (True, True)


def test_an_unknown_location_is_not_found(jobs: Any, parent: str) -> None:
    project = parent.rpartition("/locations")[0]
    with pytest.raises(exceptions.NotFound, match="'atlantis' does not exist"):
        jobs.get_location({"name": f"{project}/locations/atlantis"})


@pytest.fixture
def model(clients: Callable[[str], Any], parent: str) -> tuple[Any, str]:
    models = clients("ModelServiceClient")
    form = {"display_name": "m", "artifact_uri": "gs://contract-suite/m"}
    return models, models.upload_model(parent=parent, model=form).result().model


def test_a_policy_is_kept(model: tuple[Any, str]) -> None:
    client, name = model
    binding = {"role": "roles/viewer", "members": ["user:a@example.com"]}
    client.set_iam_policy({"resource": name, "policy": {"bindings": [binding]}})
    kept = client.get_iam_policy({"resource": name})
    assert (kept.bindings[0].role, list(kept.bindings[0].members)) == (
        "roles/viewer",
        ["user:a@example.com"],
    )


def test_a_policy_that_has_changed_is_not_overwritten(model: tuple[Any, str]) -> None:
    client, name = model
    stale = client.set_iam_policy({"resource": name, "policy": {}}).etag
    client.set_iam_policy({"resource": name, "policy": {"etag": stale}})
    with pytest.raises(exceptions.GoogleAPICallError, match="has changed since it was read"):
        client.set_iam_policy({"resource": name, "policy": {"etag": stale}})


def test_every_permission_is_granted(model: tuple[Any, str]) -> None:
    client, name = model
    asked = ["aiplatform.models.get", "aiplatform.models.delete"]
    granted = client.test_iam_permissions({"resource": name, "permissions": asked})
    assert list(granted.permissions) == asked


def test_a_policy_of_nothing_is_not_found(model: tuple[Any, str], parent: str) -> None:
    with pytest.raises(exceptions.NotFound, match="does not exist"):
        model[0].get_iam_policy({"resource": f"{parent}/models/404"})


@pytest.fixture
def post(local_vertex: Any) -> Callable[..., Any]:
    """Calls the service account's credentials API; answers the JSON."""

    def call(action: str, form: dict[str, Any]) -> Any:
        url = f"{local_vertex.connection.api_endpoint}/v1/projects/-/serviceAccounts/me:{action}"
        return requests.post(url, json=form, timeout=10).json()

    return call


def test_signatures_verify(post: Callable[..., Any], google_clients: dict[str, str]) -> None:
    from google.auth import crypt
    from google.oauth2 import service_account

    signed = post("signBlob", {"payload": base64.b64encode(b"text").decode()})
    path = google_clients["GOOGLE_APPLICATION_CREDENTIALS"]
    with open(path, encoding="utf-8") as file:
        account = json.load(file)
    signer = service_account.Credentials.from_service_account_info(account).signer
    assert base64.b64decode(signed["signedBlob"]) == crypt.RSASigner.sign(signer, b"text")


def test_identity_tokens_name_their_audience(post: Callable[..., Any]) -> None:
    token = post("generateIdToken", {"audience": "https://a"})["token"]
    assert jwt.decode(token, verify=False)["aud"] == "https://a"


def test_impersonated_credentials_get_a_token(google_clients: dict[str, str]) -> None:
    import google.auth
    from google.auth import impersonated_credentials
    from google.auth.transport import requests as transport

    source, _ = google.auth.default()
    credentials = impersonated_credentials.Credentials(
        source,
        "robot@p.iam.gserviceaccount.com",
        ["https://www.googleapis.com/auth/cloud-platform"],
    )
    credentials.refresh(transport.Request())
    assert credentials.token == "local-vertex"


def test_a_service_account_gets_an_identity_token(google_clients: dict[str, str]) -> None:
    from google.auth.transport import requests as transport
    from google.oauth2 import service_account

    credentials = service_account.IDTokenCredentials.from_service_account_file(
        google_clients["GOOGLE_APPLICATION_CREDENTIALS"], target_audience="https://b"
    )
    credentials.refresh(transport.Request())
    assert jwt.decode(credentials.token, verify=False)["aud"] == "https://b"
