"""``run CONFIG``: a job from its config, submitted and watched to its end."""

from dataclasses import dataclass

from vertex_jobs.cli.shared_options import ConfigOptions, EndpointOptions, SubmissionOptions
from vertex_jobs.cli.verb import Verb


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of ``run``."""

    config: ConfigOptions
    how: SubmissionOptions
    where: EndpointOptions


def run(options: RunOptions) -> int:
    """Run a config."""
    from vertex_jobs.cli.runs import run_config
    from vertex_jobs.jobs import examine

    config = options.config
    reading = examine(config.path, config.overrides, config.overlays)
    return run_config(reading, options.how, options.where)


VERB = Verb(
    description="On this machine it runs as Vertex AI would run it, with no account and no "
    "network. With --on vertex the same request goes to Vertex AI, after the machines and the "
    "worst case are shown and you have said yes. Ctrl-C leaves the job running.",
    examples=(
        "run configs/digits_search.yaml",
        "run configs/digits_search.yaml --set max_trial_count=4 --set args.epochs=2",
        "run configs/digits_search.yaml --on vertex --staging-bucket gs://my-bucket",
        "run configs/digits_search.yaml --detach",
        "run configs/digits_search.yaml --debug    # one trial here, with a debugger",
    ),
    options=RunOptions,
    handler=run,
)
