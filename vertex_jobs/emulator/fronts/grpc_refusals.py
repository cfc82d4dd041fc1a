"""Refusals over gRPC: code, message and details, within what a client's headers can hold.

An answer's headers may have 8 KB altogether; beyond that a client reports RESOURCE_EXHAUSTED
instead, which reads as quota. Source: gRPC, GRPC_ARG_MAX_METADATA_SIZE; google.rpc.Status.
"""

from typing import NoReturn
from urllib.parse import quote

import grpc
import grpc.aio
from google.protobuf import json_format
from google.rpc import code_pb2, error_details_pb2, status_pb2

from vertex_jobs.emulator.status import ApiError

#: Bytes that a message may have on its way.
_MOST_MESSAGE = 4096
#: Bytes of message and details together; what is left is for the other headers.
_MOST_ALTOGETHER = 7168
_CUT = " (cut; whole over REST)"
#: Where google.rpc.Status travels, in Base64. Source: grpcio-status.
_DETAILS_HEADER = "grpc-status-details-bin"
#: Imported for the types that details are packed from.
assert error_details_pb2.DESCRIPTOR


async def refuse(context: grpc.aio.ServicerContext, error: ApiError) -> NoReturn:
    """End the call with the error; what is too long for the headers is cut."""
    message = _cut(error.message)
    await context.abort(getattr(grpc.StatusCode, error.status), message, _header(error, message))
    raise error  # not reached: abort has raised


def _cut(message: str) -> str:
    """Return the message as far as it fits, with a sign where it ends too early."""
    if _size(message) <= _MOST_MESSAGE:
        return message
    left = _MOST_MESSAGE - _size(_CUT)
    for kept, letter in enumerate(message):
        left -= _size(letter)
        if left < 0:
            return message[:kept] + _CUT
    return message


def _size(text: str) -> int:
    """Return the bytes of a text as gRPC sends it: all but plain ASCII behind percent signs."""
    plain = sum(" " <= letter <= "~" and letter != "%" for letter in text)
    others = "".join(one for one in text if not (" " <= one <= "~" and one != "%"))
    return plain + len(quote(others, safe=""))


def _header(error: ApiError, message: str) -> tuple[tuple[str, bytes], ...]:
    """Return the header with the details, the last of which are left out if they do not fit."""
    if not error.details:
        return ()
    status = status_pb2.Status(code=code_pb2.Code.Value(error.status), message=message)
    details = [dict(detail) for detail in error.details]
    while details:
        del status.details[:]
        for detail in details:
            json_format.ParseDict(detail, status.details.add())
        if status.ByteSize() * 4 // 3 + _size(message) <= _MOST_ALTOGETHER:
            return ((_DETAILS_HEADER, status.SerializeToString()),)
        violations = details[-1].get("fieldViolations")
        if isinstance(violations, list) and len(violations) > 1:
            details[-1]["fieldViolations"] = violations[: len(violations) // 2]
        else:
            del details[-1]
    return ()
