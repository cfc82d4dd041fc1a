"""The context managers and the pytest plugin, as the how-to page tells people to use them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from vertex_jobs import local
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.testing import google_clients, local_vertex

pytest_plugins = ["pytester"]

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "test-your-own-project.md"
WITH_THE_SDK, WITH_AN_ENDPOINT, WITH_UNITTEST = re.findall(
    r"```python\n(.*?)```", HOW_TO.read_text(encoding="utf-8"), re.DOTALL
)
MORE = """
def test_its_package_is_in_the_bucket(google_clients):
    from google.cloud import storage
    assert [blob.name for blob in storage.Client().list_blobs("my-bucket")]


def test_variables_are_set_for_one_test(local_vertex):
    import os
    assert "GOOGLE_APPLICATION_CREDENTIALS" not in os.environ
"""


def test_a_users_project_with_pytest(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(WITH_THE_SDK + WITH_AN_ENDPOINT + MORE)
    pytester.runpytest_subprocess("-W", "ignore").assert_outcomes(passed=4)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="enterClassContext came with Python 3.11")
def test_a_users_project_with_unittest(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(WITH_UNITTEST + "\n\nunittest.main()\n")
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1:] == ["OK"], done.stderr


def test_nothing_outlives_the_block() -> None:
    with local_vertex(project="mine") as endpoint:
        server = endpoint.server
        assert (endpoint.place.project, server.runs()) == ("mine", True)
    assert (server.runs(), server.directory.path.exists()) == (False, False)


def test_variables_are_as_before(local_vertex: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "mine.pem")
    monkeypatch.delenv("https_proxy", raising=False)
    with google_clients(local_vertex) as variables:
        inside = {name: os.environ.get(name) for name in variables}
    assert inside == variables
    assert (os.environ["REQUESTS_CA_BUNDLE"], "https_proxy" in os.environ) == ("mine.pem", False)


def test_an_endpoint_that_is_not_local(tmp_path: Path) -> None:
    with local(state_dir=tmp_path) as endpoint:
        vertex_ai = Endpoint(endpoint.connection)
    with pytest.raises(UnsupportedHereError, match="this endpoint is Vertex AI"):
        google_clients(vertex_ai).__enter__()
    endpoint.server.stop()
