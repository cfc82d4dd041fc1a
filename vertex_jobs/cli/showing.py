"""The verb ``show``: what would be sent, in the form that was asked for.

It contacts nothing and does not import the SDK, but for ``--diff``, which asks the endpoint for a
job that exists.
"""

from typing import TYPE_CHECKING

from vertex_jobs.cli.options import Options
from vertex_jobs.cli.parser import UsageError
from vertex_jobs.cli.places import job_place
from vertex_jobs.cli.tables import print_structured
from vertex_jobs.cli.terminal import print_result, warn
from vertex_jobs.spec import load

if TYPE_CHECKING:
    from vertex_jobs.requests import Request
    from vertex_jobs.spec import JobSpec

__all__ = ["prepared_request", "show"]


def show(options: Options) -> int:
    """Print the request, the config or the schema; with ``--diff``, 1 if something differs."""
    if options.schema:
        from vertex_jobs.spec.schema import PUBLISHED

        print_result(PUBLISHED.read_text(encoding="utf-8").rstrip("\n"))
        return 0
    if options.optional_config is None:
        raise UsageError("name a CONFIG, or ask for --schema\nsee: vertex-jobs show --help")
    job = load(options.optional_config, options.overrides, options.overlays)
    if options.diff is not None:
        from vertex_jobs.cli.comparing import print_difference

        return print_difference(options, prepared_request(options, job))
    if options.format == "config":
        from vertex_jobs.spec import to_yaml

        print_result(to_yaml(job).rstrip("\n"))
        return 0
    request = prepared_request(options, job)
    if options.format == "gcloud":
        if options.on == "local":
            warn(
                "project and bucket are Local Vertex's, which gcloud cannot reach; add --on vertex "
                "--project PROJECT --staging-bucket gs://BUCKET"
            )
        print_result(_for_gcloud(options, request))
    else:
        print_structured(request.body, options.format)
    return 0


def prepared_request(options: Options, job: "JobSpec") -> "Request":
    """The request as it would be sent, with ``{submission}`` in it; contacts nothing.

    Raises:
        InvalidJobError: If an option is missing.
        PackagingError: If the script cannot be packaged.
    """
    from vertex_jobs import packaging, requests

    place = job_place(options, job)
    package = packaging.describe(job) if job.script_path is not None else None
    return requests.build(job, package, place)


def _for_gcloud(options: Options, request: "Request") -> str:
    """The document, and in comments above it the commands that use it."""
    from vertex_jobs.requests import gcloud_form
    from vertex_jobs.spec.yaml_text import render

    form = gcloud_form(request)
    steps = [
        "SUBMISSION=$(openssl rand -hex 8)",
        'sed -i "s/{submission}/$SUBMISSION/g" job.yaml',
    ]
    if form.package_uris:
        configs = " ".join(map(str, (options.optional_config, *options.overlays)))
        folder = form.package_uris[0].rpartition("/")[0]
        steps += [
            f"vertex-jobs package {configs} --output dist",
            *(
                f"gcloud storage cp dist/{uri.rpartition('/')[2]} {folder}/"
                for uri in form.package_uris
            ),
        ]
    steps.append(
        " \\\n".join([f"gcloud ai {form.group} create --config=job.yaml", *_indented(form.flags)])
    )
    comments = "\n".join(f"# {line}" for step in steps for line in step.splitlines())
    return f"# Save this as job.yaml, then:\n{comments}\n{render(form.document)}".rstrip("\n")


def _indented(flags: tuple[str, ...]) -> list[str]:
    return [f"    {flag}" for flag in flags]
