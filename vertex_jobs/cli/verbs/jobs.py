"""The verbs for a job that exists, on either endpoint: find it, follow it, end it."""

from vertex_jobs.cli.parser import Parser
from vertex_jobs.cli.verbs.common_options import add_endpoint, add_job, whole_number
from vertex_jobs.cli.verbs.verb import Verb

__all__ = ["VERBS"]


def _add_filter(parser: Parser) -> None:
    parser.add_argument(
        "--filter",
        dest="filter_text",
        metavar="TEXT",
        default="",
        help="""in the API's language, e.g. 'display_name="x" AND state="JOB_STATE_FAILED"' """
        "(default: every job)",
    )


def _add_logs(parser: Parser) -> None:
    parser.add_argument("-f", "--follow", action="store_true", help="go on until the job has ended")
    parser.add_argument(
        "--replica",
        metavar="R",
        default="",
        help="only this one's lines, e.g. workerpool0-0 (default: all)",
    )


def _add_tensorboard(parser: Parser) -> None:
    parser.add_argument(
        "--port",
        metavar="N",
        type=whole_number,
        default=0,
        help="on this machine's loopback address (default: any free port)",
    )


VERBS = {
    "list": Verb(
        "every job, newest first",
        "JSON and YAML give the API's resources. Earlier submissions that got no answer are\n"
        "looked up first, and what became of each is said.",
        (
            "list",
            "list --format json",
            "list --filter 'state=\"JOB_STATE_RUNNING\"'",
            "list --filter labels.team=digits --on vertex",
        ),
        "vertex_jobs.cli.reading:list_jobs",
        (_add_filter, add_endpoint),
        formats=("table", "json", "yaml", "csv"),
    ),
    "describe": Verb(
        "a job's resource, as the API gives it, and how it stands",
        "The resource goes to stdout. State, replicas, trials, the best so far, time and\n"
        "estimated cost go to stderr, after the cause if the job has failed.",
        ("describe 1234567890", "describe digits-search --format yaml"),
        "vertex_jobs.cli.reading:describe",
        (add_job, add_endpoint),
        formats=("json", "yaml"),
    ),
    "watch": Verb(
        "follow a job to its end, as run does",
        "The exit code is that of the job. Ctrl-C leaves it running.",
        ("watch digits-search",),
        "vertex_jobs.cli.running:watch",
        (add_job, add_endpoint),
    ),
    "logs": Verb(
        "a job's log lines, oldest first",
        "Of a study: the lines of all trials. JSON gives one object per line.",
        ("logs digits-search", "logs digits-search -f", "logs 123 --replica workerpool0-0"),
        "vertex_jobs.cli.logs:print_logs",
        (add_job, _add_logs, add_endpoint),
        formats=("text", "json"),
    ),
    "tensorboard": Verb(
        "TensorBoard on a job's logs in Cloud Storage, of either endpoint",
        "Of a study: every trial is a run. Needs the extra 'train'. Ctrl-C ends it.",
        ("tensorboard digits-search", "tensorboard digits-search --port 6007"),
        "vertex_jobs.cli.tensorboard:serve",
        (add_job, _add_tensorboard, add_endpoint),
    ),
    "cancel": Verb(
        "ask for a job to end",
        "Returns at once; 'watch' waits for the end.",
        ("cancel digits-search",),
        "vertex_jobs.cli.changing:cancel",
        (add_job, add_endpoint),
    ),
    "delete": Verb(
        "delete a job that has ended; what it wrote stays",
        "",
        ("delete 1234567890",),
        "vertex_jobs.cli.changing:delete",
        (add_job, add_endpoint),
    ),
}
