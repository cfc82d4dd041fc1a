"""The answers that Google clients ask for around the API: tokens, the project, locations.

No credential is checked: who may call was settled by the owner of the connection. Sources: OAuth
2.0 token endpoint of Google accounts, Resource Manager v3, IAM Credentials.
"""

from collections.abc import Callable, Mapping
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.identity import project_number
from vertex_jobs.emulator.services.methods import Call, Method, rule
from vertex_jobs.emulator.status import ApiError

__all__ = ["answer_account_request", "project_methods"]

#: An hour, as the real endpoint grants.
_TOKEN = {"access_token": "local-vertex", "expires_in": 3600, "token_type": "Bearer"}


def answer_account_request(verb: str, path: str) -> Mapping[str, Any] | None:
    """The JSON answer of a token or credentials request, or None if it is neither.

    Raises:
        ApiError: NOT_FOUND for the list of allowed locations, which google-auth accepts.
    """
    if verb == "POST" and path in ("/token", "/oauth2/v4/token"):
        return _TOKEN
    if path.startswith("/v1/projects/-/serviceAccounts/"):
        raise ApiError("NOT_FOUND", "Local Vertex restricts no location.")
    if verb == "GET" and path.startswith("/v3/projects/") and path.count("/") == 3:
        return _project(path.rsplit("/", 1)[1])
    return None


def _project(project: str) -> Mapping[str, Any]:
    return {
        "name": f"projects/{project_number(project)}",
        "projectId": project,
        "state": "ACTIVE",
        "displayName": project,
    }


def project_methods(project_of_number: Callable[[str], str]) -> list[Method]:
    """The Resource Manager call that the SDK makes when it only knows a project's number."""
    from google.cloud.resourcemanager_v3.types import GetProjectRequest, Project

    request_class, project_class = GetProjectRequest.pb(), Project.pb()

    async def get_project(request: protos.Message, call: Call) -> protos.Message:
        project = project_of_number(request.name.rpartition("/")[2])
        return protos.from_json(_project(project), project_class())

    return [
        Method(
            "google.cloud.resourcemanager.v3.Projects",
            "GetProject",
            request_class,
            project_class,
            (rule("GET", "{name=resource-manager/projects/*}"),),
            get_project,
        )
    ]
