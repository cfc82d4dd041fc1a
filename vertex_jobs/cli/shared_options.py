"""The options that several verbs take: which config, which job, which endpoint, how to run.

For the modules of ``verbs`` and for the functions that need one of these groups. Every help text
says the default and the unit.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from vertex_jobs.cli.options import argument, option, switch
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.names import GcsUri
from vertex_jobs.state import named_directory

_CONFIG = "a job or study in YAML"
_OVERLAYS = "more configs, each laid over those before it: mappings merge, all else is replaced"
_ON = (
    "local: this machine; vertex: Vertex AI, with application default credentials "
    "(default: %(default)s)"
)


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


def state_directory_option() -> Any:
    """Return a field for the directory of Local Vertex."""
    return option(
        "--state-dir DIR",
        "jobs and buckets of Local Vertex, and the journal of submissions (default: "
        "$VERTEX_JOBS_STATE_DIR, else ~/.local/state/vertex-jobs)",
        parse=_state_directory,
    )


@dataclass(frozen=True, kw_only=True)
class OverrideOptions:
    """Changes to a config."""

    overrides: tuple[str, ...] = option(
        "--set PATH=VALUE",
        "replace one value of the config, the path dotted, the value YAML, e.g. args.epochs=2; "
        "may be repeated, the last one wins",
        default=(),
    )


@dataclass(frozen=True, kw_only=True)
class ConfigOptions(OverrideOptions):
    """A config and changes to it."""

    path: Path = argument("CONFIG", _CONFIG)
    overlays: tuple[Path, ...] = argument("OVERLAY", _OVERLAYS, default=())


@dataclass(frozen=True, kw_only=True)
class OptionalConfigOptions(OverrideOptions):
    """A config and changes to it, for a verb that can do without."""

    path: Path | None = argument("CONFIG", _CONFIG, default=None)
    overlays: tuple[Path, ...] = argument("OVERLAY", _OVERLAYS, default=())


@dataclass(frozen=True, kw_only=True)
class PlaceOptions:
    """The place where a job is submitted."""

    TITLE: ClassVar = "endpoint"

    on: Literal["local", "vertex"] = option("--on WHERE", _ON, default="local")
    project: str | None = option(
        "--project ID", "project (default: local-project, or the credentials' own on vertex)"
    )
    location: str | None = option("--location, --region L", "region (default: us-central1)")
    staging_bucket: str | None = option(
        "--staging-bucket URI",
        "gs:// place of packages and default outputs (default: the config's; on local also "
        "gs://local-staging)",
        parse=_bucket_uri,
    )


@dataclass(frozen=True, kw_only=True)
class CloudPlaceOptions(PlaceOptions):
    """The same, on Vertex AI unless something else is said; nothing is contacted."""

    on: Literal["local", "vertex"] = option("--on WHERE", _ON, default="vertex")


@dataclass(frozen=True, kw_only=True)
class EndpointOptions(PlaceOptions):
    """An endpoint, and how it is reached."""

    state_dir: Path | None = state_directory_option()
    api_endpoint: str | None = option(
        "--api-endpoint HOST",
        "with --on vertex: where the API answers (default: that of the location)",
    )
    impersonate_service_account: str | None = option(
        "--impersonate-service-account EMAIL",
        "with --on vertex: act as that account (default: as yourself)",
    )
    quota_project: str | None = option(
        "--quota-project ID",
        "with --on vertex: charged for the calls' quota (default: the credentials' own)",
    )


@dataclass(frozen=True, kw_only=True)
class JobOptions:
    """A job that exists, and its endpoint."""

    job: str = argument("JOB", "id, full resource name or display name")
    where: EndpointOptions


@dataclass(frozen=True, kw_only=True)
class LocalOptions:
    """Settings of Local Vertex for a job; Vertex AI has none of these."""

    seed: int | None = option(
        "--seed N", "on local: seed of the search (default: the config's local.seed, else drawn)"
    )
    warm_start: tuple[str, ...] = option(
        "--warm-start JOB",
        "on local: an earlier study from whose trials the search learns, so that this one "
        "goes on where it ended; or FILE.json with the trials of any study, as printed by "
        "trials --format json; may be repeated",
        default=(),
    )
    fresh: bool = switch(
        "--fresh",
        "on local: start every replica as a fresh process, not from one that has imported its "
        "libraries",
    )
    environment: Literal["current", "isolated", "docker", "podman"] | None = option(
        "--environment WHERE",
        "on local: where the job's code runs: current, isolated (built from the job's "
        "requirements and kept), docker or podman (default: the config's local.environment, "
        "else current)",
    )
    debug: bool = switch(
        "--debug",
        "on local: run one replica in this terminal, of a study the first trial, and open the "
        "debugger where it fails; breakpoint() works, and no job is made",
    )
    drill: str | None = option(
        "--drill NAME",
        "on local: rehearse the job while things go wrong, and say whether it came back: "
        "preempt, kill-worker, oom, api-faults, quota or stockout; where a replica was restarted "
        "and went on, the result is compared with an undisturbed run of the job, or of the trial, "
        "and with a second one if they differ: up to three times the cost of one",
    )


@dataclass(frozen=True, kw_only=True)
class SubmissionOptions:
    """The ways to submit a job, here or there."""

    local: LocalOptions
    detach: bool = switch("--detach", "return when the job exists, and print its resource name")
    once: bool = switch(
        "--once",
        "come back to the job of the same content that runs or has succeeded, if there is one",
    )
    dry_run: bool = switch(
        "--dry-run", "check and package the job and print its request; contact nothing"
    )
    yes: bool = switch("--yes", "with --on vertex: do not ask")
