"""The verbs for a config: check it, run it, show it, package it; with their options."""

from pathlib import Path

from vertex_jobs.cli.parser import Parser, one_of
from vertex_jobs.cli.verbs.common_options import (
    add_cloud_place,
    add_config,
    add_endpoint,
    add_optional_config,
    whole_number,
)
from vertex_jobs.cli.verbs.verb import Verb

__all__ = ["VERBS", "add_run"]


def add_run(parser: Parser) -> None:
    """How a job is run, here or there."""
    _add_local_settings(parser)
    parser.add_argument(
        "--detach",
        action="store_true",
        help="return when the job exists, and print its resource name",
    )
    parser.add_argument(
        "--once",
        action="store_true",
        help="come back to the job of the same content that runs or has succeeded, if there is one",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="check and package the job and print its request; contact nothing",
    )
    parser.add_argument("--yes", action="store_true", help="with --on vertex: do not ask")


def _add_local_settings(parser: Parser) -> None:
    parser.add_argument(
        "--seed",
        metavar="N",
        type=whole_number,
        help="on local: seed of the search (default: the config's local.seed, else drawn)",
    )
    parser.add_argument(
        "--warm-start",
        metavar="JOB",
        action="append",
        default=[],
        help="on local: an earlier study from whose trials the search learns, so that this one "
        "goes on where it ended; or FILE.json with the trials of any study, as printed by trials "
        "--format json; may be repeated",
    )
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="on local: start every replica as a fresh process, not from one that has imported "
        "its libraries",
    )
    parser.add_argument(
        "--environment",
        metavar="WHERE",
        type=one_of("current", "isolated", "docker", "podman"),
        help="on local: where the job's code runs: current, isolated (built from the job's "
        "requirements and kept), docker or podman (default: the config's local.environment, else "
        "current)",
    )
    parser.add_argument(
        "--debug",
        action="store_true",
        help="on local: run one replica in this terminal, of a study the first trial, and open the "
        "debugger where it fails; breakpoint() works, and no job is made",
    )
    parser.add_argument(
        "--drill",
        metavar="NAME",
        help="on local: rehearse the job while things go wrong, and say whether it came back: "
        "preempt, kill-worker, oom, api-faults, quota or stockout",
    )


def _add_check(parser: Parser) -> None:
    parser.add_argument(
        "--dry-trial",
        action="store_true",
        help="run one trial of a study on this machine, until it has reported every metric",
    )


def _add_show(parser: Parser) -> None:
    parser.add_argument(
        "--diff",
        metavar="JOB",
        help="show what differs from what this job was sent; id, full resource name or display "
        "name",
    )
    parser.add_argument(
        "--schema",
        action="store_true",
        help="print the JSON Schema of configs instead, for editors",
    )


def _add_package(parser: Parser) -> None:
    parser.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        default=Path("dist"),
        help="folder of the package, created if missing (default: dist)",
    )
    parser.add_argument(
        "--runtime-only",
        action="store_true",
        help="without CONFIG: write the wheel that holds vertex_jobs.runtime and nothing else",
    )


VERBS = {
    "check": Verb(
        "every mistake that can be known before it is paid for; the cost",
        "Config, machines, image, limits, the flags that the script really takes, and the worst\n"
        "case of the cost, all at once. Nothing is contacted. Unlike the other verbs it asks for\n"
        "Vertex AI by default; --on local: for a run on this machine. Exit code 2 with an error,\n"
        "0 with warnings alone.",
        (
            "check configs/digits_search.yaml",
            "check configs/digits_search.yaml --set machine_type=n1-standard-8",
            "check configs/digits_search.yaml --on local --format json",
        ),
        "vertex_jobs.cli.checking:check",
        (add_config, _add_check, add_cloud_place),
        formats=("table", "json", "yaml"),
    ),
    "run": Verb(
        "package a config's script, submit the job and watch it to its end",
        "On this machine it runs as Vertex AI would run it, with no account and no network. With\n"
        "--on vertex the same request goes to Vertex AI, after the machines and the worst case\n"
        "are shown and you have said yes. Ctrl-C leaves the job running.",
        (
            "run configs/digits_search.yaml",
            "run configs/digits_search.yaml --set max_trial_count=4 --set args.epochs=2",
            "run configs/digits_search.yaml --on vertex --staging-bucket gs://my-bucket",
            "run configs/digits_search.yaml --detach",
            "run configs/digits_search.yaml --debug    # one trial here, with a debugger",
        ),
        "vertex_jobs.cli.running:run",
        (add_config, add_run, add_endpoint),
    ),
    "show": Verb(
        "print the request of a config, exactly as run would send it",
        "The body in the JSON form of the API, v1. {submission} stands for 16 hexadecimal digits\n"
        "that are drawn for each submission. Nothing is contacted, but for --diff, which asks the\n"
        "endpoint for the job and, as diff does, exits with 1 if something differs. CONFIG may be\n"
        "a file in the form of gcloud's --config; --format config prints it as a config.",
        (
            "show configs/digits_search.yaml",
            "show configs/digits_search.yaml --format gcloud --on vertex --staging-bucket gs://my-bucket",
            "show job.yaml --set display_name=digits --format config",
            "show configs/digits_search.yaml --set max_trial_count=32 --diff digits-search",
            "show configs/digits_search.yaml --on vertex --staging-bucket gs://my-bucket",
        ),
        "vertex_jobs.cli.showing:show",
        (add_optional_config, _add_show, add_endpoint),
        formats=("json", "yaml", "gcloud", "config"),
    ),
    "package": Verb(
        "write a config's package, and prove that it works",
        "A source distribution whose name holds the hash of its content. What travels: a script\n"
        "and what it imports beside it, or a whole package folder; data_files; private wheels.\n"
        "What stays: exclude_files, what git ignores, build leftovers. A secret is refused.\n"
        "The proof: unpacked into an empty folder, its module answers --help.",
        (
            "package configs/digits_search.yaml",
            "package configs/digits_search.yaml --output /tmp",
            "package --runtime-only    # the small wheel for an image of your own",
        ),
        "vertex_jobs.cli.packages:write_package",
        (add_optional_config, _add_package),
    ),
}
