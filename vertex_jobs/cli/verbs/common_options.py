"""The options that verbs of several tables take: which config, which job, which endpoint.

For the tables beside this module. Every help text says the default and the unit.
"""

import argparse
from pathlib import Path

from vertex_jobs.cli.parser import Parser, one_of
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.names import GcsUri
from vertex_jobs.state import named_directory

__all__ = [
    "add_cloud_place",
    "add_config",
    "add_endpoint",
    "add_job",
    "add_optional_config",
    "add_overrides",
    "add_state_directory",
    "whole_number",
]


def add_config(parser: Parser) -> None:
    """The config and changes to it."""
    parser.add_argument("config", metavar="CONFIG", type=Path, help="a job or study in YAML")
    _add_overlays(parser)
    add_overrides(parser)


def add_optional_config(parser: Parser) -> None:
    """The config and changes to it, where a verb can do without."""
    parser.add_argument(
        "optional_config", metavar="CONFIG", type=Path, nargs="?", help="a job or study in YAML"
    )
    _add_overlays(parser)
    add_overrides(parser)


def add_overrides(parser: Parser) -> None:
    """Changes to a config."""
    parser.add_argument(
        "--set",
        dest="overrides",
        metavar="PATH=VALUE",
        action="append",
        default=[],
        help="replace one value of the config, the path dotted, the value YAML, e.g. "
        "args.epochs=2; may be repeated, the last one wins",
    )


def add_job(parser: Parser) -> None:
    """An existing job."""
    parser.add_argument("job", metavar="JOB", help="id, full resource name or display name")


def add_endpoint(parser: Parser) -> None:
    """Which endpoint, and how it is reached."""
    group = _add_place(parser, "local")
    add_state_directory(group)
    group.add_argument(
        "--api-endpoint",
        metavar="HOST",
        help="with --on vertex: where the API answers (default: that of the location)",
    )
    group.add_argument(
        "--impersonate-service-account",
        metavar="EMAIL",
        help="with --on vertex: act as that account (default: as yourself)",
    )
    group.add_argument(
        "--quota-project",
        metavar="ID",
        help="with --on vertex: charged for the calls' quota (default: the credentials' own)",
    )


def add_cloud_place(parser: Parser) -> None:
    """Where a job will be submitted, Vertex AI unless something else is said; no contact."""
    _add_place(parser, "vertex")


def add_state_directory(group: "argparse._ArgumentGroup") -> None:
    """Where Local Vertex keeps what it has."""
    group.add_argument(
        "--state-dir",
        metavar="DIR",
        type=_state_directory,
        help="jobs and buckets of Local Vertex, and the journal of submissions (default: "
        "$VERTEX_JOBS_STATE_DIR, else ~/.local/state/vertex-jobs)",
    )


def whole_number(text: str) -> int:
    """The type of an option that is a count or a seed.

    Raises:
        argparse.ArgumentTypeError: If it is not a whole number of 0 or more.
    """
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def _state_directory(text: str) -> Path:
    try:
        return named_directory(text, "the value")
    except UnsupportedHereError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _bucket_uri(text: str) -> str:
    try:
        GcsUri.parse(text)
    except ValueError as error:
        hint = "" if text.startswith("gs://") else f"; did you mean gs://{text}?"
        raise argparse.ArgumentTypeError(f"{error}{hint}") from error
    return text


def _add_overlays(parser: Parser) -> None:
    parser.add_argument(
        "overlays",
        metavar="OVERLAY",
        type=Path,
        nargs="*",
        help="more configs, each laid over those before it: mappings merge, all else is replaced",
    )


def _add_place(parser: Parser, default: str) -> "argparse._ArgumentGroup":
    group = parser.add_argument_group("endpoint")
    group.add_argument(
        "--on",
        metavar="WHERE",
        type=one_of("local", "vertex"),
        default=default,
        help="local: this machine; vertex: Vertex AI, with application default credentials "
        f"(default: {default})",
    )
    group.add_argument(
        "--project",
        metavar="ID",
        help="project (default: local-project, or the credentials' own on vertex)",
    )
    group.add_argument("--location", "--region", metavar="L", help="region (default: us-central1)")
    group.add_argument(
        "--staging-bucket",
        metavar="URI",
        type=_bucket_uri,
        help="gs:// place of packages and default outputs (default: the config's; on local also "
        "gs://local-staging)",
    )
    return group
