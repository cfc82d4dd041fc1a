"""The verb ``demo``: the demo study, whose config and script come with the package."""

from importlib.util import find_spec
from pathlib import Path

from vertex_jobs.cli.options import Options
from vertex_jobs.cli.running import run_checked
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.spec import examine

__all__ = ["run_demo"]

_CONFIG = Path("configs", "digits_search.yaml")
#: What the demo's script imports, and the extra that brings it.
_IMPORTS = ("keras", "sklearn", "tensorflow")


def run_demo(options: Options) -> int:
    """Run the demo study as ``run`` would.

    Raises:
        UnsupportedHereError: If what the script imports is not installed.
    """
    missing = [name for name in _IMPORTS if find_spec(name) is None]
    if missing and options.on == "local" and not options.dry_run:
        raise UnsupportedHereError(
            f"the demo trains with {', '.join(missing)}, not installed here; "
            "install it with: pip install 'vertex-jobs[train]'"
        )
    return run_checked(options, examine(_config(), options.overrides))


def _config() -> Path:
    """The demo's config in the installed package, else in the source checkout."""
    package = Path(__file__).parent.parent
    installed = package / "demo" / _CONFIG
    return installed if installed.exists() else package.parent / _CONFIG
