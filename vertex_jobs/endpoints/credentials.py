"""Application default credentials, perhaps on behalf of a service account.

For ``vertex()``. Reads files and variables as every Google client does; contacts nothing, except
the metadata server of a Google machine, which holds that machine's credentials.

Source: documentation pages "How Application Default Credentials works", "Use service account
impersonation", "Set the quota project".
"""

import os
import warnings
from dataclasses import dataclass
from typing import Any

from vertex_jobs.errors import NotSignedInError

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_FILE_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"


@dataclass(frozen=True)
class Identity:
    """Credentials and the project they act in."""

    credentials: Any
    project: str


def sign_in(
    project: str | None, impersonate_service_account: str | None, quota_project: str | None
) -> Identity:
    """Return credentials and project; arguments are those of ``vertex``.

    Raises:
        NotSignedInError: If there are none, or no project.
    """
    credentials, default_project = _default(quota_project)
    project = project or default_project
    if not project:
        raise NotSignedInError(
            "project", "the credentials name none", "pass project=… or --project"
        )
    if _is_persons(credentials) and not credentials.quota_project_id:
        # Vertex AI refuses a person's calls that charge no project; gcloud does the same.
        credentials = credentials.with_quota_project(project)
    if impersonate_service_account:
        credentials = _impersonated(credentials, impersonate_service_account, quota_project)
    return Identity(credentials, project)


def _default(quota_project: str | None) -> tuple[Any, str | None]:
    import google.auth
    from google.auth.exceptions import DefaultCredentialsError

    untyped: Any = google.auth
    with warnings.catch_warnings():
        # It warns of a person's credentials without a quota project, which are given one here.
        warnings.filterwarnings("ignore", message=".*without a quota project", category=UserWarning)
        try:
            credentials, project = untyped.default(scopes=[_SCOPE], quota_project_id=quota_project)
        except DefaultCredentialsError as error:
            fact = str(error.args[0]).rstrip(".")
            raise NotSignedInError("credentials", fact, _remedy()) from error
    return credentials, project


def _remedy() -> str:
    login = "gcloud auth application-default login"
    path = os.environ.get(_FILE_VARIABLE)
    if path:
        return f"correct {_FILE_VARIABLE}, which is {path!r}, or unset it and run: {login}"
    return f"run: {login}"


def _is_persons(credentials: Any) -> bool:
    from google.oauth2.credentials import Credentials

    return isinstance(credentials, Credentials)


def _impersonated(source: Any, account: str, quota_project: str | None) -> Any:
    from google.auth.impersonated_credentials import Credentials

    untyped: Any = Credentials
    return untyped(
        source_credentials=source,
        target_principal=account,
        target_scopes=[_SCOPE],
        quota_project_id=quota_project,
    )
