"""Refusals and injected errors, as the JSON and the XML API spell them.

Source: Cloud Storage documentation, HTTP status and error codes, for JSON and for XML.
"""

from dataclasses import dataclass
from xml.sax.saxutils import escape

from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.storage.objects import object_errors
from vertex_jobs.emulator.storage.objects.object_errors import (
    ObjectStoreError,
    PreconditionFailedError,
)
from vertex_jobs.emulator.storage.wire.http_messages import Response, json_response


class NotModifiedError(ObjectStoreError):
    """A read's condition says that the client has the live object already."""


class UnknownPathError(ObjectStoreError):
    """No method of the API has that path."""


class RangeNotSatisfiableError(ObjectStoreError):
    """A range that begins behind the end of an object of ``size`` bytes."""

    def __init__(self, size: int) -> None:
        self.size = size
        super().__init__("Request range not satisfiable")


@dataclass(frozen=True)
class _Spelling:
    status: int
    reason: str
    code: str


_SPELLINGS: dict[type[ObjectStoreError], _Spelling] = {
    object_errors.AlreadyExistsError: _Spelling(409, "conflict", "BucketAlreadyOwnedByYou"),
    object_errors.BucketNotFoundError: _Spelling(404, "notFound", "NoSuchBucket"),
    object_errors.ChecksumMismatchError: _Spelling(400, "invalid", "BadDigest"),
    object_errors.InvalidObjectRequestError: _Spelling(400, "invalid", "InvalidArgument"),
    object_errors.NotEmptyError: _Spelling(409, "conflict", "BucketNotEmpty"),
    object_errors.NotEmulatedError: _Spelling(501, "notImplemented", "NotImplemented"),
    object_errors.ObjectNotFoundError: _Spelling(404, "notFound", "NoSuchKey"),
    PreconditionFailedError: _Spelling(412, "conditionNotMet", "PreconditionFailed"),
    RangeNotSatisfiableError: _Spelling(416, "requestedRangeNotSatisfiable", "InvalidRange"),
    UnknownPathError: _Spelling(404, "notFound", "MethodNotAllowed"),
    object_errors.UploadNotFoundError: _Spelling(404, "notFound", "NoSuchUpload"),
}

#: Of injected errors, by HTTP status.
_INJECTED = {
    400: _Spelling(400, "invalid", "InvalidArgument"),
    403: _Spelling(403, "forbidden", "AccessDenied"),
    404: _Spelling(404, "notFound", "NoSuchKey"),
    409: _Spelling(409, "conflict", "OperationAborted"),
    429: _Spelling(429, "rateLimitExceeded", "SlowDown"),
    500: _Spelling(500, "internalError", "InternalError"),
    503: _Spelling(503, "backendError", "ServiceUnavailable"),
    504: _Spelling(504, "gatewayTimeout", "GatewayTimeout"),
}


def json_failure(error: ObjectStoreError | ApiError) -> Response:
    """Return the JSON API's answer to an error."""
    if isinstance(error, NotModifiedError):
        return Response(304)
    spelling, message = _spelled(error)
    cause = {"message": message, "domain": "global", "reason": spelling.reason}
    if isinstance(error, PreconditionFailedError):
        cause |= {"locationType": "parameter", "location": error.condition}
    body = {"error": {"code": spelling.status, "message": message, "errors": [cause]}}
    response = json_response(body, spelling.status)
    return Response(response.status, {**response.headers, **_extra_headers(error)}, response.body)


def xml_failure(error: ObjectStoreError | ApiError) -> Response:
    """Return the XML API's answer to an error."""
    if isinstance(error, NotModifiedError):
        return Response(304)
    spelling, message = _spelled(error)
    body = (
        "<?xml version='1.0' encoding='UTF-8'?>"
        f"<Error><Code>{spelling.code}</Code><Message>{escape(message)}</Message></Error>"
    )
    headers = {"Content-Type": "application/xml; charset=UTF-8", **_extra_headers(error)}
    return Response(spelling.status, headers, body.encode())


def _spelled(error: ObjectStoreError | ApiError) -> tuple[_Spelling, str]:
    if isinstance(error, ApiError):
        return _INJECTED[error.http_status], error.message
    return _SPELLINGS[type(error)], str(error)


def _extra_headers(error: ObjectStoreError | ApiError) -> dict[str, str]:
    if isinstance(error, RangeNotSatisfiableError):
        return {"Content-Range": f"bytes */{error.size}"}
    return {}
