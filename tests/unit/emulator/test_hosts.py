"""Which API a Google host means, and the proxy for all other hosts."""

import pytest

from vertex_jobs.emulator.fronts.hosts import api_of, is_google_host
from vertex_jobs.emulator.fronts.outer_proxy import OuterProxy


@pytest.mark.parametrize(
    ("host", "api"),
    [
        ("aiplatform.googleapis.com", "aiplatform"),
        ("us-central1-aiplatform.googleapis.com", "aiplatform"),
        ("US-Central1-AIPlatform.GoogleAPIs.com", "aiplatform"),
        ("aiplatform.us.rep.googleapis.com", "aiplatform"),
        ("us-central1-aiplatform.mtls.googleapis.com", "aiplatform"),
        ("storage.googleapis.com", "storage"),
        ("my.bucket_1.storage.googleapis.com", "storage"),
        ("storage.europe-west4.rep.googleapis.com", "storage"),
        ("www.googleapis.com", "www"),
        ("oauth2.googleapis.com", "oauth2"),
        ("cloudresourcemanager.googleapis.com", "cloudresourcemanager"),
        ("bigquerystorage.googleapis.com", ""),
        ("storagetransfer.googleapis.com", ""),
        ("notaiplatform.googleapis.com", ""),
        ("bigquery.googleapis.com", ""),
        ("googleapis.com", ""),
        ("metadata.google.internal", ""),
        ("aiplatform.googleapis.com.example.org", ""),
    ],
)
def test_api_of_a_host(host: str, api: str) -> None:
    assert api_of(host) == api


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("bigquery.googleapis.com", True),
        ("metadata.google.internal", True),
        ("googleapis.com.example.org", False),
        ("mygoogleapis.com", False),
        ("docs.python.org", False),
    ],
)
def test_hosts_that_are_not_left_to_the_network(host: str, ours: bool) -> None:
    assert is_google_host(host) is ours


class TestOuterProxy:
    @pytest.mark.parametrize(
        ("environ", "host", "address"),
        [
            ({}, "docs.python.org", None),
            ({"https_proxy": "http://proxy:8080"}, "docs.python.org", ("proxy", 8080)),
            ({"HTTPS_PROXY": "proxy:8080"}, "docs.python.org", ("proxy", 8080)),
            ({"https_proxy": "http://proxy"}, "docs.python.org", ("proxy", 3128)),
            (
                {"https_proxy": "http://proxy:1", "no_proxy": "docs.python.org"},
                "docs.python.org",
                None,
            ),
            ({"https_proxy": "http://proxy:1", "NO_PROXY": ".corp"}, "x.corp", None),
            ({"https_proxy": "http://proxy:1", "no_proxy": "*"}, "docs.python.org", None),
            ({"https_proxy": "http://127.0.0.1:777"}, "docs.python.org", None),
        ],
    )
    def test_who_is_asked(
        self, environ: dict[str, str], host: str, address: tuple[str, int] | None
    ) -> None:
        assert OuterProxy.from_environment(environ, 777).address(host) == address

    def test_the_request_carries_the_password(self) -> None:
        request = OuterProxy("http://me:p%40ss@proxy:1").request("::1", 443)
        assert request == (
            b"CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n"
            b"Proxy-Authorization: Basic bWU6cEBzcw==\r\n\r\n"
        )

    def test_messages_do_not_show_the_password(self) -> None:
        assert str(OuterProxy("http://me:secret@proxy:1")) == "proxy:1"
