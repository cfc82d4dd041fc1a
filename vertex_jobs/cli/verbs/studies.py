"""The verbs for a tuning job's trials: list them, decide, show the decision."""

from pathlib import Path

from vertex_jobs.cli.parser import Parser
from vertex_jobs.cli.verbs.common_options import add_endpoint, add_job
from vertex_jobs.cli.verbs.verb import Verb

__all__ = ["VERBS"]


def _add_trials(parser: Parser) -> None:
    parser.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        help="with --format optuna: the SQLite file, replaced if it is there (default: the job's "
        "display name with .db, in the current directory)",
    )


def _add_best(parser: Parser) -> None:
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


def _add_report(parser: Parser) -> None:
    parser.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        help="the HTML file, replaced if it is there (default: the job's display name with "
        "-report.html, in the current directory)",
    )


VERBS = {
    "trials": Verb(
        "every trial: state, metric, parameters",
        "JSON and YAML have every measurement as well. Optuna's form is an SQLite file, for\n"
        "optuna-dashboard; it needs the extra 'optuna'.",
        (
            "trials digits-search",
            "trials digits-search --format csv > trials.csv",
            "trials digits-search --format optuna --output digits.db",
        ),
        "vertex_jobs.cli.studies:print_trials",
        (add_job, _add_trials, add_endpoint),
        formats=("table", "json", "yaml", "csv", "optuna"),
    ),
    "best": Verb(
        "the best trial, why it is, how sure that is, and its model",
        "With several metrics: every trial that no other beats. While the job runs: the best so\n"
        "far. The chance to be truly the best is that of a model of all trials.",
        (
            "best digits-search",
            "best digits-search --download best-model",
            "best digits-search --retrain > retrain.yaml",
            "best digits-search --register",
        ),
        "vertex_jobs.cli.deciding:print_best",
        (add_job, _add_best, add_endpoint),
        formats=("table", "json", "yaml", "csv"),
    ),
    "report": Verb(
        "a study as one HTML file with charts, to open without a network",
        "History, learning curves, importance of the parameters, contour, slices, parallel\n"
        "coordinates, timeline and every trial; with several metrics the Pareto front. Needs the\n"
        "extra 'report'. While the job runs: the trials so far.",
        ("report digits-search", "report digits-search --output digits.html"),
        "vertex_jobs.cli.reporting:write_report",
        (add_job, _add_report, add_endpoint),
    ),
}
