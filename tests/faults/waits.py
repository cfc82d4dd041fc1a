"""Waiting in tests that see a server from outside."""

import time
from collections.abc import Callable
from typing import Any


def wait_for(condition: Callable[[], Any], seconds: float = 60) -> Any:
    """Poll as any client must; bounded."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.01)
    return found
