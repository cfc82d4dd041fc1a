"""Errors as the service answers them: a canonical code and a message.

Raised by services and resources, turned into JSON or gRPC status by the fronts.
Source: google.rpc.Code.
"""

from collections.abc import Iterable, Mapping, Sequence

#: Canonical code name to HTTP status.
HTTP_STATUS = {
    "CANCELLED": 499,
    "UNKNOWN": 500,
    "INVALID_ARGUMENT": 400,
    "DEADLINE_EXCEEDED": 504,
    "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409,
    "PERMISSION_DENIED": 403,
    "RESOURCE_EXHAUSTED": 429,
    "FAILED_PRECONDITION": 400,
    "ABORTED": 409,
    "OUT_OF_RANGE": 400,
    "UNIMPLEMENTED": 501,
    "INTERNAL": 500,
    "UNAVAILABLE": 503,
    "UNAUTHENTICATED": 401,
}

_DETAIL = "type.googleapis.com/google.rpc."

#: A detail of an error: a message of google.rpc in JSON, with its type.
Detail = Mapping[str, object]


def error_info(reason: str, domain: str, metadata: Mapping[str, str]) -> Detail:
    """Return a google.rpc.ErrorInfo."""
    form = {"reason": reason, "domain": domain, "metadata": dict(metadata)}
    return {"@type": f"{_DETAIL}ErrorInfo", **form}


def bad_request(faults: Iterable[tuple[str, str]]) -> Detail:
    """Return a google.rpc.BadRequest of fields and descriptions."""
    violations = [{"field": field, "description": text} for field, text in faults]
    return {"@type": f"{_DETAIL}BadRequest", "fieldViolations": violations}


def listed_faults(faults: Iterable[tuple[str, str]]) -> str:
    """Return the service's list of faults: a tab before each number, and one at the end.

    Source: GoogleCloudPlatform/k8s-config-connector, _http.log of vertexaicustomjob; a refused
    persistent resource, public text, source not named.
    """
    numbered = "".join(
        f"{number}.Field: {field}; Message: {message}\t"
        for number, (field, message) in enumerate(faults, start=1)
    )
    return f"List of found errors:\t{numbered}"


class ApiError(Exception):
    """One refusal.

    Attributes:
        status: The canonical code's name, e.g. ``NOT_FOUND``.
        message: The text.
        details: What programs read beside it.
    """

    def __init__(self, status: str, message: str, details: Sequence[Detail] = ()) -> None:
        self.details = tuple(details)
        self.status = status
        self.message = message
        super().__init__(f"{status}: {message}")

    @property
    def http_status(self) -> int:
        """The HTTP status of this code."""
        return HTTP_STATUS[self.status]

    def to_json(self) -> dict[str, object]:
        """Return Google's error object."""
        error: dict[str, object] = {
            "code": self.http_status,
            "message": self.message,
            "status": self.status,
        }
        if self.details:
            error["details"] = list(self.details)
        return {"error": error}
