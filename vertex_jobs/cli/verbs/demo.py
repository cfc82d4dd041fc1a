"""``demo``: the demo study, whose config and script come with the package."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from vertex_jobs.cli.shared_options import EndpointOptions, OverrideOptions, SubmissionOptions
from vertex_jobs.cli.verb import Verb
from vertex_jobs.errors import UnsupportedHereError

_CONFIG = Path("configs", "digits_search.yaml")
#: What the demo's script imports, and the extra that brings it.
_IMPORTS = ("keras", "sklearn", "tensorflow")


@dataclass(frozen=True, kw_only=True)
class DemoOptions(OverrideOptions):
    """The options of ``demo``."""

    how: SubmissionOptions
    where: EndpointOptions


def demo(options: DemoOptions) -> int:
    """Run the demo study as ``run`` would.

    Raises:
        UnsupportedHereError: If what the script imports is not installed.
    """
    from vertex_jobs.cli.runs import run_config
    from vertex_jobs.jobs import examine

    missing = [name for name in _IMPORTS if find_spec(name) is None]
    if missing and options.where.on == "local" and not options.how.dry_run:
        raise UnsupportedHereError(
            f"the demo trains with {', '.join(missing)}, not installed here; "
            "install it with: pip install 'vertex-jobs[train]'"
        )
    return run_config(examine(_config(), options.overrides), options.how, options.where)


VERB = Verb(
    description="Config and script come with the package. Needs the extra 'train': TensorFlow, "
    "Keras and scikit-learn. Takes one to three minutes on two CPU cores.",
    examples=("demo", "demo --set max_trial_count=4"),
    options=DemoOptions,
    handler=demo,
)


def _config() -> Path:
    """Return the demo's config in the installed package, else in the source checkout."""
    package = Path(__file__).parents[2]
    installed = package / "demo" / _CONFIG
    return installed if installed.exists() else package.parent / _CONFIG
