"""The files of this project that a training script may import, and that travel with its code."""

from pathlib import Path

_MODULES = ("__init__.py", "errors.py", "names.py", "py.typed")


def runtime_files() -> dict[str, bytes]:
    """Return byte-identical copies by path, e.g. ``vertex_jobs/runtime/metrics.py``."""
    home = Path(__file__).parent.parent
    paths = [home / name for name in _MODULES]
    paths += (home / "runtime").rglob("*.py")
    return {f"vertex_jobs/{path.relative_to(home).as_posix()}": path.read_bytes() for path in paths}
