"""What a request's headers say beside its message, the same for REST and gRPC."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from vertex_jobs.emulator.services.methods import Call
from vertex_jobs.emulator.status import ApiError

__all__ = ["OPTIONS_HEADER", "POSITION_HEADER", "WAIT_HEADER", "HoldPolicy", "call_of"]

#: The update time that the caller knows; the answer is held until it changes.
WAIT_HEADER = "x-vertex-jobs-wait"
#: Of an answer: what to send in the header above to have the next list of log entries held until
#: one of the jobs has a new line.
POSITION_HEADER = "x-vertex-jobs-position"
#: Settings that Vertex AI does not have, as JSON.
OPTIONS_HEADER = "x-vertex-jobs-options"


@dataclass
class HoldPolicy:
    """How reads are held.

    Attributes:
        seconds: The longest hold. The SDK polls every 5 s and cannot tell a held answer from a
            slow one; 2 s keep its ``.state`` usable.
        unasked: Whether reads of unmodified clients are held too.
    """

    seconds: float = 2.0
    unasked: bool = False


def call_of(headers: Mapping[str, str], hold: HoldPolicy) -> Call:
    """The call that the headers describe.

    Raises:
        ApiError: If the options are not a JSON object.
    """
    seen = headers.get(WAIT_HEADER)
    text = headers.get(OPTIONS_HEADER, "{}")
    try:
        options = json.loads(text)
    except json.JSONDecodeError as error:
        raise ApiError("INVALID_ARGUMENT", f"{OPTIONS_HEADER}: {error}") from error
    if not isinstance(options, dict):
        raise ApiError("INVALID_ARGUMENT", f"{OPTIONS_HEADER}: expected an object, got {text!r}")
    held = seen is not None or hold.unasked
    return Call(hold.seconds if held else 0.0, seen or "", options)
