"""One table from the exceptions of the libraries below to ours, and what each means for a create.

For every module of the client that calls out: wrap the call in `translated`. The service's own
message is kept, and a remedy is added where the cause is known. Nothing is retried here.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from vertex_jobs.client.remedies import remedy_for
from vertex_jobs.errors import (
    EndpointError,
    EndpointLostError,
    RequestRefusedError,
    ServerFaultError,
)
from vertex_jobs.headers import FAULT_DOMAIN, NOTHING_CHANGED

#: Worth another attempt when reading: time-outs, rate limits, and trouble inside the service.
_TRANSIENT = frozenset({408, 429, 499, 500, 502, 503, 504})
#: After these a create may have taken effect. 429 is not among them: quota and rate limits are
#: checked before anything is made. Neither is 501: a method that is not implemented did nothing.
_AMBIGUOUS = _TRANSIENT - {429}

#: Canonical names of the statuses, for answers that carry a number only.
#: Source: google.rpc.Code.
_STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    412: "FAILED_PRECONDITION",
    416: "OUT_OF_RANGE",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    501: "UNIMPLEMENTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}

Translation = Callable[[Any, str], EndpointError]


@contextmanager
def translated(subject: str) -> Iterator[None]:
    """Turn a lower library's exception into ours; anything that is not in the table passes.

    The message names ``subject``, an endpoint or a URL.

    Raises:
        EndpointError: From the exception that was caught.
    """
    try:
        yield
    except Exception as error:
        translation = translate(error, subject)
        if translation is None:
            raise
        raise translation from error


def translate(error: Exception, subject: str) -> EndpointError | None:
    """Return our error for an exception of a lower library; None if the table has none."""
    for exception_type, translation in _table():
        if isinstance(error, exception_type):
            return translation(error, subject)
    return None


def is_transient(error: EndpointError) -> bool:
    """Return whether asking again may succeed; a certificate that is not trusted stays so."""
    if isinstance(error, ServerFaultError):
        return False
    if isinstance(error, RequestRefusedError):
        return error.code in _TRANSIENT
    return isinstance(error, EndpointLostError) and not _is_distrust(error.__cause__)


def may_pass(error: Exception) -> bool:
    """Return whether a lower library may repeat a safe call after this exception."""
    translation = translate(error, "")
    if translation is None:
        return False
    translation.__cause__ = error
    return is_transient(translation)


def is_definite(error: EndpointError) -> bool:
    """Return whether a create that ended so has certainly made nothing."""
    if isinstance(error, ServerFaultError):
        return error.changed_nothing
    if isinstance(error, RequestRefusedError):
        return error.code not in _AMBIGUOUS
    return was_never_sent(error.__cause__)


def was_never_sent(error: BaseException | None) -> bool:
    """Return whether no byte of the request can have reached the endpoint.

    A refused connection, a host that does not exist and credentials that could not be had say so;
    a connection that broke later does not.
    """
    import requests
    import urllib3
    from google.auth.exceptions import GoogleAuthError

    never = (
        GoogleAuthError,
        requests.ConnectTimeout,
        requests.exceptions.InvalidURL,
        requests.exceptions.ProxyError,  # raised while a proxy is being reached, never later
    )
    if isinstance(error, never) or _is_distrust(error):
        return True
    if not isinstance(error, requests.ConnectionError) or not error.args:
        return False
    reason = getattr(error.args[0], "reason", None)
    return isinstance(reason, urllib3.exceptions.ConnectTimeoutError)  # base of refused, unresolved


@cache
def _table() -> tuple[tuple[type[Exception], Translation], ...]:
    """Return the table; the first row that fits an exception counts, so special rows come first."""
    import grpc
    import requests
    from google.api_core import exceptions as api
    from google.auth import exceptions as auth
    from google.cloud.storage.exceptions import InvalidResponse
    from google.protobuf.json_format import ParseError

    return (
        (api.GoogleAPICallError, _answered),
        (api.RetryError, _lost),
        (InvalidResponse, _answered_storage),
        (auth.TransportError, _lost),
        (auth.GoogleAuthError, _without_credentials),
        (requests.exceptions.RequestException, _lost),
        (ParseError, _garbled),
        (UnicodeDecodeError, _garbled),
        (grpc.RpcError, _answered_grpc),
    )


def _answered(error: Any, subject: str) -> EndpointError:
    code = int(error.code or 500)
    body = _error_body(error.response)
    status = str(body.get("status") or getattr(error.grpc_status_code, "name", ""))
    message = str(body.get("message") or error.message)
    for detail in body.get("details", ()):
        if detail.get("domain") == FAULT_DOMAIN:
            nothing = detail.get("metadata", {}).get("effect") == NOTHING_CHANGED
            return ServerFaultError(message, code=code, status=status, changed_nothing=nothing)
    return _refused(message, code, status)


def _answered_storage(error: Any, subject: str) -> EndpointError:
    """Translate an upload's exception, which holds the bare HTTP answer."""
    body = _error_body(error.response)
    return _refused(body.get("message") or str(error), int(error.response.status_code), "")


def _answered_grpc(error: Any, subject: str) -> EndpointError:
    """Translate a bare gRPC error, which the generated clients let through between pages."""
    from google.api_core import exceptions

    untyped: Any = exceptions
    return _answered(untyped.from_grpc_error(error), subject)


def _lost(error: Exception, subject: str) -> EndpointError:
    remedy = "check that the endpoint is up and that this machine can reach it"
    if _is_distrust(error):
        remedy = (
            "if a proxy or a private endpoint has a certificate authority of its own, name its "
            "file in REQUESTS_CA_BUNDLE"
        )
    return EndpointLostError(f"no answer from {subject}: {_root(error)}; {remedy}")


def _is_distrust(error: BaseException | None) -> bool:
    """Return whether the endpoint's certificate was not accepted, before anything was sent."""
    return "CERTIFICATE_VERIFY_FAILED" in str(error)


def _garbled(error: Exception, subject: str) -> EndpointError:
    return EndpointLostError(
        f"the answer from {subject} is no answer of this API ({error}); "
        "check that the address is the API's and that no proxy answers in its place"
    )


def _without_credentials(error: Exception, subject: str) -> EndpointError:
    """Translate credentials that give no token: arguments are the text and the answer."""
    text = str(error.args[0]) if error.args else str(error)
    try:
        answered = json.loads(error.args[1])["error"]["message"]
    except (IndexError, KeyError, TypeError, ValueError):
        answered = ""
    return _refused(f"{text}: {answered}" if answered else text, 401, "UNAUTHENTICATED")


def _refused(message: str, code: int, status: str) -> RequestRefusedError:
    remedy = remedy_for(message, code)
    text = f"{message}\n{remedy}" if remedy else message
    return RequestRefusedError(
        text, code=code, status=status or _STATUS_NAMES.get(code, f"HTTP_{code}")
    )


def _error_body(response: Any) -> dict[str, Any]:
    """Return the ``error`` object of a JSON answer; empty when the body is something else."""
    try:
        body = response.json()["error"]
    except (AttributeError, KeyError, TypeError, ValueError):
        return {}
    return body if isinstance(body, dict) else {}


def _root(error: BaseException) -> str:
    """Return the innermost cause, which says most: ``[Errno 111] Connection refused``."""
    inner: Any = error
    while True:
        reason = getattr(inner, "reason", None)
        nested = inner.args[-1] if getattr(inner, "args", ()) else None
        if isinstance(reason, BaseException):
            inner = reason
        elif isinstance(nested, BaseException):
            inner = nested
        else:
            break
    text = str(inner)
    return text.rpartition("Failed to establish a new connection: ")[2] or type(inner).__name__
