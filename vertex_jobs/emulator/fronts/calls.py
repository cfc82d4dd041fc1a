"""Headers beside a request's message, the same for REST and gRPC."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from vertex_jobs.emulator.services.methods import Call
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.headers import OPTIONS_HEADER, WAIT_HEADER


@dataclass
class HoldPolicy:
    """How long reads are held.

    Attributes:
        seconds: The longest hold. The SDK polls every 5 s and cannot tell a held answer from a
            slow one; 2 s keep its ``.state`` usable.
        unasked: Whether reads of unmodified clients are held too.
    """

    seconds: float = 2.0
    unasked: bool = False


def call_of(headers: Mapping[str, str], hold: HoldPolicy) -> Call:
    """Return the call that the headers describe.

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
