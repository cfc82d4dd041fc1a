"""Unmodified programs that are led to Local Vertex by environment variables alone."""

import os
import shutil
import subprocess
import sys

import environment_checks
import pytest
from google.cloud import storage

from vertex_jobs.endpoints import Endpoint, google_environment

pytestmark = pytest.mark.local_only
_PATIENCE_SECONDS = 120


def run(local_vertex: Endpoint, bucket: str, name: str, **variables: str) -> str:
    """Run one check; answers what it wrote to standard error, warnings included."""
    done = subprocess.run(
        [sys.executable, environment_checks.__file__, name, bucket],
        env={**os.environ, **google_environment(local_vertex.server), **variables},
        capture_output=True,
        text=True,
        timeout=_PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("name", environment_checks.CHECKS)
def test_program(local_vertex: Endpoint, bucket: storage.Bucket, name: str) -> None:
    run(local_vertex, str(bucket.name), name)


@pytest.mark.parametrize("variable", ["GOOGLE_CLOUD_PROJECT", "CLOUD_ML_PROJECT_ID"])
def test_the_sdk_gets_its_project_without_a_complaint(
    local_vertex: Endpoint, bucket: storage.Bucket, variable: str
) -> None:
    """Offline it would ask Resource Manager for 40 s, warn, and go on."""
    variables = {"GOOGLE_CLOUD_PROJECT": "", variable: "123456789012"}
    heard = run(local_vertex, str(bucket.name), "program_that_names_no_project", **variables)
    assert "Unable to" not in heard
    assert "project" not in heard.lower()


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
@pytest.mark.parametrize("quiet", [[], ["-q"]], ids=["as a person calls it", "no settings"])
def test_curl_finds_its_way(local_vertex: Endpoint, quiet: list[str]) -> None:
    """CURL_CA_BUNDLE is TensorFlow's; curl trusts the system's authorities as well."""
    variables = google_environment(local_vertex.server)
    done = subprocess.run(
        ["curl", *quiet, "-sSfv", "https://storage.googleapis.com/storage/v1/b?project=p"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=_PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    trusted = variables["CURL_CA_BUNDLE" if quiet else "SSL_CERT_FILE"]
    assert f"CAfile: {trusted}\n" in done.stderr
