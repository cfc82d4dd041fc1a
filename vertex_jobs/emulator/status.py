"""Errors as the service answers them: a canonical code and a message.

Raised by services and resources, turned into JSON or gRPC status by the fronts.
Source: google.rpc.Code.
"""

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


class ApiError(Exception):
    """One refusal: ``status`` is the canonical code's name, e.g. ``NOT_FOUND``."""

    def __init__(self, status: str, message: str) -> None:
        """Keep the code beside the text."""
        self.status = status
        self.message = message
        super().__init__(f"{status}: {message}")

    @property
    def http_status(self) -> int:
        """The HTTP status of this code."""
        return HTTP_STATUS[self.status]

    def to_json(self) -> dict[str, object]:
        """Return Google's error object."""
        return {"error": {"code": self.http_status, "message": self.message, "status": self.status}}
