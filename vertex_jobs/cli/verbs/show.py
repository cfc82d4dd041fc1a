"""``show CONFIG``: what would be sent, in the form that was asked for.

It contacts nothing and does not import the SDK, but for ``--diff``, which asks the endpoint for a
job that exists.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from vertex_jobs.cli.endpoint_access import open_endpoint
from vertex_jobs.cli.options import option, switch
from vertex_jobs.cli.parser import UsageError
from vertex_jobs.cli.shared_options import EndpointOptions, OptionalConfigOptions
from vertex_jobs.cli.tables import print_structured
from vertex_jobs.cli.terminal import print_result, warn
from vertex_jobs.cli.verb import Verb

if TYPE_CHECKING:
    from vertex_jobs.requests import Request


@dataclass(frozen=True, kw_only=True)
class ShowOptions:
    """The options of ``show``."""

    config: OptionalConfigOptions
    diff: str | None = option(
        "--diff JOB",
        "show what differs from what this job was sent; id, full resource name or display name",
    )
    schema: bool = switch("--schema", "print the JSON Schema of configs instead, for editors")
    format: Literal["json", "yaml", "gcloud", "config"] = option("--format FORM", default="json")
    where: EndpointOptions


def show(options: ShowOptions) -> int:
    """Print the request, the config or the schema; with ``--diff``, return 1 if they differ."""
    if options.schema:
        from vertex_jobs.spec.schema import PUBLISHED

        print_result(PUBLISHED.read_text(encoding="utf-8").rstrip("\n"))
        return 0
    config = options.config
    if config.path is None:
        raise UsageError("name a CONFIG, or ask for --schema\nsee: vertex-jobs show --help")
    from vertex_jobs.cli.checks import prepared_request
    from vertex_jobs.jobs import load
    from vertex_jobs.spec import to_yaml

    job = load(config.path, config.overrides, config.overlays)
    if options.format == "config" and options.diff is None:
        print_result(to_yaml(job).rstrip("\n"))
        return 0
    request = prepared_request(options.where, job)
    if options.diff is not None:
        from vertex_jobs.cli.differences import print_difference

        with open_endpoint(options.where) as endpoint:
            snapshot = endpoint.job(options.diff).last_seen
        return print_difference(snapshot, request, options.diff, str(config.path))
    if options.format == "gcloud":
        if options.where.on == "local":
            warn(
                "project and bucket are Local Vertex's, which gcloud cannot reach; add --on vertex "
                "--project PROJECT --staging-bucket gs://BUCKET"
            )
        print_result(_for_gcloud([str(path) for path in (config.path, *config.overlays)], request))
    else:
        print_structured(request.body, options.format)
    return 0


VERB = Verb(
    description="The body in the JSON form of the API, v1. {submission} stands for 16 hexadecimal "
    "digits that are drawn for each submission. Nothing is contacted, but for --diff, which asks "
    "the endpoint for the job and, as diff does, exits with 1 if something differs. CONFIG may be "
    "a file in the form of gcloud's --config; --format config prints it as a config.",
    examples=(
        "show configs/digits_search.yaml",
        "show configs/digits_search.yaml --format gcloud --on vertex --staging-bucket gs://my-bucket",
        "show job.yaml --set display_name=digits --format config",
        "show configs/digits_search.yaml --set max_trial_count=32 --diff digits-search",
        "show configs/digits_search.yaml --on vertex --staging-bucket gs://my-bucket",
    ),
    options=ShowOptions,
    handler=show,
)


def _for_gcloud(configs: Sequence[str], request: "Request") -> str:
    """Return the document, and in comments above it the commands that use it."""
    from vertex_jobs.requests import gcloud_form
    from vertex_jobs.spec.yaml_text import render

    form = gcloud_form(request)
    steps = [
        "SUBMISSION=$(openssl rand -hex 8)",
        'sed -i "s/{submission}/$SUBMISSION/g" job.yaml',
    ]
    if form.package_uris:
        folder = form.package_uris[0].rpartition("/")[0]
        steps += [
            f"vertex-jobs package {' '.join(configs)} --output dist",
            *(
                f"gcloud storage cp dist/{uri.rpartition('/')[2]} {folder}/"
                for uri in form.package_uris
            ),
        ]
    flags = [f"    {flag}" for flag in form.flags]
    steps.append(" \\\n".join([f"gcloud ai {form.group} create --config=job.yaml", *flags]))
    comments = "\n".join(f"# {line}" for step in steps for line in step.splitlines())
    return f"# Save this as job.yaml, then:\n{comments}\n{render(form.document)}".rstrip("\n")
