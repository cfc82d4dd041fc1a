"""Where this machine keeps what outlives a command: Local Vertex and the journal of submissions."""

import os
from collections.abc import Mapping
from pathlib import Path

__all__ = ["default_state_directory"]


def default_state_directory(environ: Mapping[str, str] | None = None) -> Path:
    """``$VERTEX_JOBS_STATE_DIR``, else ``~/.local/state/vertex-jobs``."""
    environ = os.environ if environ is None else environ
    named = environ.get("VERTEX_JOBS_STATE_DIR")
    return Path(named) if named else Path.home() / ".local" / "state" / "vertex-jobs"
