"""``doctor``: what this machine can emulate, or whether the cloud side is ready.

It changes nothing. Findings are results, so they go to stdout.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from vertex_jobs.cli.endpoint_access import open_endpoint
from vertex_jobs.cli.options import option
from vertex_jobs.cli.shared_options import EndpointOptions, OptionalConfigOptions
from vertex_jobs.cli.tables import print_structured
from vertex_jobs.cli.terminal import print_prose, say
from vertex_jobs.cli.verb import Verb
from vertex_jobs.errors import NotSignedInError
from vertex_jobs.state import state_directory
from vertex_jobs.wording import count

if TYPE_CHECKING:
    from vertex_jobs.doctor import Finding

_COLUMNS = ("subject", "verdict", "fact", "remedy")
#: Its silence is the endpoint's; what else is unknown may not be needed.
_ENDPOINT = "Vertex AI"


@dataclass(frozen=True, kw_only=True)
class DoctorOptions:
    """The options of ``doctor``."""

    config: OptionalConfigOptions
    format: Literal["table", "json", "yaml", "csv"] = option("--format FORM", default="table")
    where: EndpointOptions


def doctor(options: DoctorOptions) -> int:
    """Print every finding.

    Returns:
        1 if something is missing, 3 if Vertex AI was not reached, else 0.
    """
    as_text = options.format == "table"
    findings = []
    for finding in _findings(options.config, options.where):
        findings.append(finding)
        if as_text:
            _print(finding)
    rows = [asdict(finding) for finding in findings]
    if not as_text:
        print_structured(rows, options.format, _COLUMNS, [row.values() for row in rows])
    missing = sum(finding.verdict == "missing" for finding in findings)
    unknown = [finding.subject for finding in findings if finding.verdict == "unknown"]
    if missing:
        say(f"{count(missing, 'thing')} missing")
    if unknown:
        say(f"not known: {', '.join(unknown)}")
    if missing:
        return 1
    return 3 if _ENDPOINT in unknown else 0


VERB = Verb(
    description="On local: what jobs count on here; nothing is contacted. With --on vertex: "
    "credentials, APIs, permissions, bucket, logs and quotas; with a CONFIG also what its job "
    "asks for. It changes nothing, and what it cannot find out it calls unknown. Exit code 1 if "
    "something is missing, 3 if Vertex AI does not answer.",
    examples=(
        "doctor",
        "doctor --on vertex --project my-project --staging-bucket gs://my-bucket",
        "doctor configs/digits_search.yaml --on vertex --format json",
    ),
    options=DoctorOptions,
    handler=doctor,
)


def _findings(config: OptionalConfigOptions, where: EndpointOptions) -> "Iterator[Finding]":
    from vertex_jobs.doctor import cloud_findings, machine_findings, signed_out_findings
    from vertex_jobs.jobs import load

    job = None
    if config.path is not None:
        job = load(config.path, config.overrides, config.overlays)
    if where.on == "local":
        yield from machine_findings(state_directory(where.state_dir))
        return
    try:
        endpoint = open_endpoint(where)
    except NotSignedInError as error:
        yield from signed_out_findings(error)
        return
    with endpoint:
        yield from cloud_findings(endpoint.connection, job)


def _print(finding: "Finding") -> None:
    start = f"{finding.verdict:<8} {finding.subject:<16} "
    print_prose(start + finding.fact, hang=len(start))
    if finding.remedy:
        print_prose(f"{'':{len(start)}}-> {finding.remedy}", hang=len("-> "))
