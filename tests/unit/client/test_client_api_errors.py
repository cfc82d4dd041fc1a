"""The exception table against real exceptions, and against real sockets."""

import contextlib
import json
import socket
import threading

import google.api_core.exceptions as api
import grpc
import pytest
import requests
from google.auth.credentials import AnonymousCredentials
from google.auth.exceptions import DefaultCredentialsError, TransportError
from google.cloud.storage.exceptions import InvalidResponse

from vertex_jobs.client import Connection
from vertex_jobs.client.api_errors import (
    is_definite,
    is_transient,
    may_pass,
    translate,
    translated,
)
from vertex_jobs.client.job_calls import Jobs
from vertex_jobs.errors import EndpointError, EndpointLostError, RequestRefusedError
from vertex_jobs.job_kinds import JOB_KINDS
from vertex_jobs.requests import Place

PARENT = "projects/p/locations/us-central1"


def http_error(code, message="no", status="", body=None):
    """What a generated REST client raises for this answer."""
    response = requests.Response()
    response.status_code = code
    response.request = requests.Request("GET", "http://127.0.0.1/v1/x").prepare()
    error = {"error": {"code": code, "message": message, "status": status}}
    response._content = json.dumps(error).encode() if body is None else body
    return api.from_http_response(response)


class TestTable:
    def test_the_message_is_the_services_own(self):
        error = translate(http_error(400, "Bad field.", "INVALID_ARGUMENT"), "here")
        assert str(error) == "400 INVALID_ARGUMENT: Bad field."

    def test_the_status_is_the_answers_own(self):
        error = translate(http_error(400, "It still runs.", "FAILED_PRECONDITION"), "here")
        assert error.status == "FAILED_PRECONDITION"

    def test_an_answer_that_is_not_json_keeps_its_status(self):
        error = translate(http_error(502, body=b"<html>"), "here")
        assert (error.code, error.status) == (502, "HTTP_502")

    def test_a_known_cause_brings_its_remedy(self):
        text = (
            "The following quota metrics exceed quota limits: "
            "aiplatform.googleapis.com/custom_model_training_cpus"
        )
        error = translate(http_error(429, text, "RESOURCE_EXHAUSTED"), "here")
        assert str(error).splitlines()[1].startswith("Quota is short: ask for more")

    @pytest.mark.parametrize(
        ("error", "code", "status"),
        [
            (api.NotFound("x"), 404, "NOT_FOUND"),
            (api.ServiceUnavailable("x"), 503, "UNAVAILABLE"),
            (api.MethodNotImplemented("x"), 501, "UNIMPLEMENTED"),
            (DefaultCredentialsError("no credentials"), 401, "UNAUTHENTICATED"),
        ],
    )
    def test_refusals_carry_code_and_status(self, error, code, status):
        found = translate(error, "here")
        assert (found.code, found.status) == (code, status)

    @pytest.mark.parametrize(
        "error",
        [
            requests.ConnectionError("x"),
            requests.Timeout("x"),
            TransportError("x"),
            api.RetryError("x", None),
        ],
    )
    def test_silence_is_a_lost_endpoint(self, error):
        assert isinstance(translate(error, "here"), EndpointLostError)

    def test_an_uploads_bare_answer_is_read(self):
        response = requests.Response()
        response.status_code = 403
        response._content = b'{"error": {"message": "no storage.objects.create access"}}'
        error = translate(InvalidResponse(response, "x"), "gs://b/o")
        assert str(error).startswith("403 PERMISSION_DENIED: no storage.objects.create access\n")

    def test_a_bare_grpc_error_is_read(self):
        channel = grpc.insecure_channel("127.0.0.1:9")
        with channel, pytest.raises(grpc.RpcError) as caught:
            channel.unary_unary("/a/b")(b"", timeout=5)
        assert translate(caught.value, "here").status == "UNAVAILABLE"

    def test_our_own_errors_pass_unchanged(self):
        mine = EndpointLostError("x")
        with pytest.raises(EndpointLostError) as caught, translated("here"):
            raise mine
        assert caught.value is mine

    def test_what_is_not_in_the_table_passes_unchanged(self):
        with pytest.raises(ZeroDivisionError), translated("here"):
            _ = 1 / 0

    def test_the_cause_is_kept(self):
        with pytest.raises(RequestRefusedError) as caught, translated("here"):
            raise api.NotFound("x")
        assert isinstance(caught.value.__cause__, api.NotFound)


class TestMeaning:
    @pytest.mark.parametrize("code", [400, 401, 403, 404, 409, 412, 429, 501])
    def test_after_these_a_create_has_made_nothing(self, code):
        assert is_definite(RequestRefusedError("x", code=code, status="X"))

    @pytest.mark.parametrize("code", [408, 499, 500, 502, 503, 504])
    def test_after_these_a_create_may_have_made_a_job(self, code):
        assert not is_definite(RequestRefusedError("x", code=code, status="X"))

    @pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 504])
    def test_these_are_worth_another_read(self, code):
        assert is_transient(RequestRefusedError("x", code=code, status="X"))

    @pytest.mark.parametrize("code", [400, 401, 403, 404, 409, 412, 501])
    def test_these_are_not(self, code):
        assert not is_transient(RequestRefusedError("x", code=code, status="X"))


def create_error(endpoint, tmp_path):
    """What comes of a real create at that address."""
    place = Place("p", "us-central1", "gs://bucket")
    jobs = Jobs(Connection(place, endpoint, AnonymousCredentials(), tmp_path))
    with pytest.raises(EndpointError) as caught:
        jobs.create(JOB_KINDS[0], PARENT, {"displayName": "x"}, {})
    jobs.close()
    return caught.value


@contextlib.contextmanager
def peer(answer):
    """An address where one connection is read and answered with these bytes, then closed."""

    def serve():
        with contextlib.suppress(OSError), server.accept()[0] as connection:
            connection.recv(65536)
            connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            thread.join()


class TestRealConnections:
    @pytest.fixture
    def closed(self):
        """An address that is taken, so that nobody else listens there, and refuses."""
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"

    def test_a_refused_connection_never_sent_the_create(self, closed, tmp_path):
        assert is_definite(create_error(closed, tmp_path))

    def test_a_refused_connection_is_named(self, closed, tmp_path):
        assert f"no answer from {closed}: [Errno 111]" in str(create_error(closed, tmp_path))

    @pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{"])
    def test_a_connection_that_breaks_later_leaves_it_open(self, answer, tmp_path):
        with peer(answer) as address:
            assert not is_definite(create_error(address, tmp_path))

    def test_an_answer_that_is_no_resource_leaves_it_open(self, tmp_path):
        with peer(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\noops") as address:
            assert not is_definite(create_error(address, tmp_path))


DISTRUST = requests.exceptions.SSLError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed")


class TestRepeating:
    @pytest.mark.parametrize("error", [DISTRUST, TransportError(DISTRUST)])
    def test_a_certificate_that_is_not_trusted_is_met_once(self, error):
        with pytest.raises(EndpointLostError) as lost, translated("here"):
            raise error
        assert (is_transient(lost.value), may_pass(error)) == (False, False)

    @pytest.mark.parametrize(
        ("error", "passes"),
        [
            (requests.ConnectionError("broken"), True),
            (requests.Timeout("late"), True),
            (api.ServiceUnavailable("x"), True),
            (api.Forbidden("x"), False),
            (api.PreconditionFailed("x"), False),
            (ValueError("ours"), False),
        ],
    )
    def test_an_upload_is_repeated_after_what_may_pass(self, error, passes):
        assert may_pass(error) is passes
