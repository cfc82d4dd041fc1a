"""Errors as the service answers them: a canonical code and a message.

Raised by services and resources, turned into JSON or gRPC status by the fronts.
Source: google.rpc.Code.
"""

from collections.abc import Mapping, Sequence

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

_ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"


class ApiError(Exception):
    """One refusal.

    Attributes:
        status: The canonical code's name, e.g. ``NOT_FOUND``.
        message: The text.
        infos: Each a google.rpc.ErrorInfo: reason, domain and metadata.
    """

    def __init__(
        self, status: str, message: str, infos: Sequence[Mapping[str, object]] = ()
    ) -> None:
        self.infos = tuple(infos)
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
        if self.infos:
            error["details"] = [{"@type": _ERROR_INFO, **info} for info in self.infos]
        return {"error": error}
