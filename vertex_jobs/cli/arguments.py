"""The options that verbs take, each group added in one place.

For ``verbs``. Every help text says the default and the unit.
"""

import argparse
from pathlib import Path

from vertex_jobs.cli.parser import Parser, one_of

__all__ = [
    "add_best",
    "add_check",
    "add_cloud_place",
    "add_config",
    "add_document_format",
    "add_emulate",
    "add_endpoint",
    "add_filter",
    "add_job",
    "add_logs",
    "add_machines",
    "add_new",
    "add_optional_config",
    "add_output",
    "add_overrides",
    "add_place",
    "add_port",
    "add_report",
    "add_run",
    "add_show",
    "add_table_format",
    "add_trials",
]


def add_place(parser: Parser) -> None:
    """Where a job is submitted, without contact."""
    _add_place(parser)


def add_cloud_place(parser: Parser) -> None:
    """Where a job will be submitted, Vertex AI unless something else is said."""
    _add_place(parser, default="vertex")


def add_endpoint(parser: Parser) -> None:
    """Which endpoint, and how it is reached."""
    group = _add_place(parser)
    _add_state_directory(group)
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


def add_config(parser: Parser) -> None:
    """The config and changes to it."""
    parser.add_argument("config", metavar="CONFIG", type=Path, help="a job or study in YAML")
    _add_overlays(parser)
    add_overrides(parser)


def add_new(parser: Parser) -> None:
    """What to scaffold."""
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        default="train",
        help="of the script, the config and the job (default: train)",
    )
    parser.add_argument(
        "--kind",
        metavar="KIND",
        type=one_of("hyperparameter_tuning_job", "custom_job"),
        default="hyperparameter_tuning_job",
        help="of the job: hyperparameter_tuning_job or custom_job (default: the first)",
    )


def add_optional_config(parser: Parser) -> None:
    """The config and changes to it, where a verb can do without."""
    parser.add_argument(
        "optional_config", metavar="CONFIG", type=Path, nargs="?", help="a job or study in YAML"
    )
    _add_overlays(parser)
    add_overrides(parser)


def _add_overlays(parser: Parser) -> None:
    parser.add_argument(
        "overlays",
        metavar="OVERLAY",
        type=Path,
        nargs="*",
        help="more configs, each laid over those before it: mappings merge, all else is replaced",
    )


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


def add_run(parser: Parser) -> None:
    """How a job is run."""
    parser.add_argument(
        "--seed",
        metavar="N",
        type=_whole,
        help="on local: seed of the search (default: the config's local.seed, else drawn)",
    )
    parser.add_argument(
        "--warm-start",
        metavar="JOB",
        action="append",
        default=[],
        help="on local: an earlier study from whose trials the search learns, so that this one "
        "goes on where it ended; may be repeated",
    )
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="on local: start every replica as a fresh process, not from one that has imported "
        "its libraries",
    )
    parser.add_argument(
        "--environment",
        choices=("current", "isolated", "docker", "podman"),
        help="on local: where the job's code runs: this environment, one built from the job's "
        "requirements and kept, or a container (default: the config's local.environment, else "
        "current)",
    )
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
        "--drill",
        metavar="NAME",
        help="on local: rehearse the job while things go wrong, and say whether it came back: "
        "preempt, kill-worker, oom, api-faults, quota or stockout",
    )
    parser.add_argument(
        "--debug",
        action="store_true",
        help="on local: run one replica in this terminal, of a study the first trial, and open the "
        "debugger where it fails; breakpoint() works, and no job is made",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="check and package the job and print its request; contact nothing",
    )
    parser.add_argument("--yes", action="store_true", help="with --on vertex: do not ask")


def add_job(parser: Parser) -> None:
    """An existing job."""
    parser.add_argument("job", metavar="JOB", help="id, full resource name or display name")


def add_filter(parser: Parser) -> None:
    """Which jobs."""
    parser.add_argument(
        "--filter",
        dest="filter_text",
        metavar="TEXT",
        default="",
        help="""in the API's language, e.g. 'display_name="x" AND state="JOB_STATE_FAILED"' """
        "(default: every job)",
    )


def add_table_format(parser: Parser) -> None:
    """The forms of a list."""
    _add_format(parser, ("table", "json", "yaml", "csv"))


def add_check(parser: Parser) -> None:
    """What is tried, and the forms of the result."""
    parser.add_argument(
        "--dry-trial",
        action="store_true",
        help="run one trial of a study on this machine, until it has reported every metric",
    )
    _add_format(parser, ("table", "json", "yaml"))


def add_trials(parser: Parser) -> None:
    """The forms of a study's trials, and where a file of them goes."""
    _add_format(parser, ("table", "json", "yaml", "csv", "optuna"))
    parser.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        help="with --format optuna: the SQLite file, replaced if it is there (default: the job's "
        "display name with .db, in the current directory)",
    )


def add_document_format(parser: Parser) -> None:
    """The forms of one document."""
    _add_format(parser, ("json", "yaml"))


def add_show(parser: Parser) -> None:
    """What is shown of a config."""
    _add_format(parser, ("json", "yaml", "gcloud", "config"))
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


def add_logs(parser: Parser) -> None:
    """Which log lines, and how."""
    parser.add_argument("-f", "--follow", action="store_true", help="go on until the job has ended")
    parser.add_argument(
        "--replica",
        metavar="R",
        default="",
        help="only this one's lines, e.g. workerpool0-0 (default: all)",
    )
    _add_format(parser, ("text", "json"))


def add_best(parser: Parser) -> None:
    """What to do with the best trial."""
    parser.add_argument(
        "--trial",
        metavar="ID",
        help="this trial instead of the best, for the options below",
    )
    parser.add_argument(
        "--download",
        metavar="DIR",
        type=Path,
        help="copy what the trial wrote to its model directory into DIR",
    )
    parser.add_argument(
        "--register",
        action="store_true",
        help="put the trial's model into the model registry; once, however often it is asked",
    )
    parser.add_argument(
        "--serving-image",
        metavar="URI",
        help="with --register: the container that serves the model (default: the newest prebuilt "
        "one for TensorFlow)",
    )
    made = parser.add_mutually_exclusive_group()
    made.add_argument(
        "--retrain",
        action="store_true",
        help="print the config of a training job with the trial's arguments, and nothing else",
    )
    made.add_argument(
        "--continue",
        dest="go_on",
        action="store_true",
        help="the same, starting from the trial's saved model, which the script finds in "
        "VERTEX_JOBS_INITIAL_MODEL_DIR",
    )
    parser.add_argument(
        "--config",
        dest="optional_config",
        metavar="CONFIG",
        type=Path,
        help="with --retrain or --continue: the study's own config, so that the training runs its "
        "script as it is now, on any endpoint (default: the package that the trials ran)",
    )


def add_report(parser: Parser) -> None:
    """Where a report goes."""
    parser.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        help="the HTML file, replaced if it is there (default: the job's display name with "
        "-report.html, in the current directory)",
    )


def add_output(parser: Parser) -> None:
    """Where a package goes."""
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


def add_port(parser: Parser) -> None:
    """Where TensorBoard answers."""
    parser.add_argument(
        "--port",
        metavar="N",
        type=_whole,
        default=0,
        help="on this machine's loopback address (default: any free port)",
    )


def add_machines(parser: Parser) -> None:
    """Which machines."""
    parser.add_argument(
        "--gpu", metavar="TYPE", default="", help="only with this one, e.g. L4 or T4 (default: all)"
    )
    parser.add_argument(
        "--machine",
        metavar="NAME",
        default="",
        help="only those whose name starts so, e.g. g2 (default: all)",
    )
    parser.add_argument("--tpu", action="store_true", help="only TPUs")
    parser.add_argument(
        "--location",
        "--region",
        metavar="L",
        help="leave out what is reported to be refused there (default: anywhere)",
    )


def add_emulate(parser: Parser) -> None:
    """How Local Vertex is offered to other programs."""
    parser.add_argument(
        "--print-env",
        action="store_true",
        help="print the variables as shell commands, and keep the server while the calling shell "
        "lives",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="answer the reads of unmodified clients at once, as the service does; else they are "
        "held until something changes, for 2 s at most",
    )
    group = parser.add_argument_group("server")
    _add_state_directory(group)
    group.add_argument(
        "--project", metavar="ID", help="default project of programs (default: local-project)"
    )
    group.add_argument(
        "--location", "--region", metavar="L", help="default region (default: us-central1)"
    )


def _add_place(parser: Parser, default: str = "local") -> "argparse._ArgumentGroup":
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
        help="gs:// place of packages and default outputs (default: the config's; on local also "
        "gs://local-staging)",
    )
    return group


def _add_state_directory(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "--state-dir",
        metavar="DIR",
        type=Path,
        help="jobs and buckets of Local Vertex, and the journal of submissions (default: "
        "$VERTEX_JOBS_STATE_DIR, else ~/.local/state/vertex-jobs)",
    )


def _add_format(parser: Parser, forms: tuple[str, ...]) -> None:
    parser.add_argument(
        "--format",
        metavar="FORM",
        type=one_of(*forms),
        default=forms[0],
        help=f"{', '.join(forms[:-1])} or {forms[-1]} (default: {forms[0]})",
    )


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)
