"""The verbs: what each is called, says about itself, takes, and is done by.

For ``program``. Data and the options that several verbs share; nothing is done here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from vertex_jobs.cli import arguments
from vertex_jobs.cli.parser import Parser

__all__ = ["PROGRAM", "VERBS", "Verb", "overview", "verb_parser"]

PROGRAM = "vertex-jobs"


@dataclass(frozen=True)
class Verb:
    """One verb.

    Attributes:
        group: Heading in the overview.
        summary: One line.
        description: What a person must know to use it.
        examples: Lines to copy, without the program's name.
        handler: ``module:function``.
        add_options: Each adds some of its options to a parser.
        takes_command: Whether words after ``--`` are a command.
    """

    group: str
    summary: str
    description: str
    examples: tuple[str, ...]
    handler: str
    add_options: tuple[Callable[[Parser], None], ...]
    takes_command: bool = False


_BEGIN = "first steps"
_RUN = "running and making jobs"
_READ = "jobs that exist, on either endpoint"
_TRIALS = "trials of a tuning job"
_EMULATE = "Local Vertex"
_JOB_WORDS = "JOB is an id, a full resource name or a display name."

VERBS = {
    "new": Verb(
        _BEGIN,
        "a script and its config, ready to run, to go on from",
        "NAME.py and NAME.yaml in the current directory: a small Keras classifier on data that it\n"
        "makes itself. Nothing is ever overwritten. Running it needs the extra 'train'.",
        ("new", "new spirals", "new spirals --kind custom_job"),
        "vertex_jobs.cli.scaffolding:scaffold",
        (arguments.add_new,),
    ),
    "doctor": Verb(
        _BEGIN,
        "what this machine can emulate, or whether the cloud side is ready",
        "On local: what jobs count on here; nothing is contacted. With --on vertex: credentials,\n"
        "APIs, permissions, bucket, logs and quotas; with a CONFIG also what its job asks for.\n"
        "It changes nothing, and what it cannot find out it calls unknown. Exit code 1 if\n"
        "something is missing, 3 if Vertex AI does not answer.",
        (
            "doctor",
            "doctor --on vertex --project my-project --staging-bucket gs://my-bucket",
            "doctor configs/digits_search.yaml --on vertex --format json",
        ),
        "vertex_jobs.cli.examining:examine_surroundings",
        (arguments.add_optional_config, arguments.add_table_format, arguments.add_endpoint),
    ),
    "run": Verb(
        _RUN,
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
        (arguments.add_config, arguments.add_run, arguments.add_endpoint),
    ),
    "check": Verb(
        _RUN,
        "every mistake that can be known before money is spent, and the cost",
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
        (arguments.add_config, arguments.add_check, arguments.add_cloud_place),
    ),
    "demo": Verb(
        _RUN,
        "run the demo study: 16 trials of a small digits classifier",
        "Config and script come with the package. Needs the extra 'train': TensorFlow, Keras and\n"
        "scikit-learn. Takes about three minutes on two CPU cores.",
        ("demo", "demo --set max_trial_count=4"),
        "vertex_jobs.cli.demo:run_demo",
        (arguments.add_overrides, arguments.add_run, arguments.add_endpoint),
    ),
    "show": Verb(
        _RUN,
        "print the request of a config, exactly as run would send it",
        "The body in the JSON form of the API, v1. {submission} stands for 16 hexadecimal digits\n"
        "that are drawn for each submission. Nothing is contacted, but for --diff, which asks the\n"
        "endpoint for the job and, as diff does, exits with 1 if something differs. CONFIG may be\n"
        "a file in the form of gcloud's --config; --format config prints it as a config.",
        (
            "show configs/digits_search.yaml",
            "show configs/digits_search.yaml --format gcloud > job.yaml",
            "show job.yaml --set display_name=digits --format config",
            "show configs/digits_search.yaml --set max_trial_count=32 --diff digits-search",
            "show configs/digits_search.yaml --on vertex --staging-bucket gs://my-bucket",
        ),
        "vertex_jobs.cli.showing:show",
        (arguments.add_optional_config, arguments.add_show, arguments.add_endpoint),
    ),
    "package": Verb(
        _RUN,
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
        (arguments.add_optional_config, arguments.add_output),
    ),
    "machines": Verb(
        _RUN,
        "the machines of Vertex AI training, their accelerators and prices",
        "Prices are list prices of one region, each with its date and how sure it is; what is\n"
        "not known says so. Nothing is contacted.",
        ("machines --gpu L4", "machines --machine n1 --region europe-west4", "machines --tpu"),
        "vertex_jobs.cli.machines:print_machines",
        (arguments.add_machines, arguments.add_table_format),
    ),
    "list": Verb(
        _READ,
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
        (arguments.add_filter, arguments.add_table_format, arguments.add_endpoint),
    ),
    "describe": Verb(
        _READ,
        "a job's resource, as the API gives it, and how it stands",
        f"{_JOB_WORDS}\nThe resource goes to stdout. State, replicas, trials, the best so far,\n"
        "time and estimated cost go to stderr, after the cause if the job has failed.",
        ("describe 1234567890", "describe digits-search --format yaml"),
        "vertex_jobs.cli.reading:describe",
        (arguments.add_job, arguments.add_document_format, arguments.add_endpoint),
    ),
    "watch": Verb(
        _READ,
        "follow a job to its end, as run does",
        f"{_JOB_WORDS}\nThe exit code is that of the job. Ctrl-C leaves it running.",
        ("watch digits-search",),
        "vertex_jobs.cli.running:watch",
        (arguments.add_job, arguments.add_endpoint),
    ),
    "logs": Verb(
        _READ,
        "a job's log lines, oldest first",
        f"{_JOB_WORDS}\nOf a study: the lines of all trials. JSON gives one object per line.",
        ("logs digits-search", "logs digits-search -f", "logs 123 --replica workerpool0-0"),
        "vertex_jobs.cli.logs:print_logs",
        (arguments.add_job, arguments.add_logs, arguments.add_endpoint),
    ),
    "cancel": Verb(
        _READ,
        "ask for a job to end",
        f"{_JOB_WORDS}\nReturns at once; 'watch' waits for the end.",
        ("cancel digits-search",),
        "vertex_jobs.cli.changing:cancel",
        (arguments.add_job, arguments.add_endpoint),
    ),
    "delete": Verb(
        _READ,
        "delete a job that has ended; what it wrote stays",
        _JOB_WORDS,
        ("delete 1234567890",),
        "vertex_jobs.cli.changing:delete",
        (arguments.add_job, arguments.add_endpoint),
    ),
    "trials": Verb(
        _TRIALS,
        "every trial: state, metric, parameters",
        f"{_JOB_WORDS}\nJSON and YAML have every measurement as well. Optuna's form is an SQLite\n"
        "file, for optuna-dashboard; it needs the extra 'optuna'.",
        (
            "trials digits-search",
            "trials digits-search --format csv > trials.csv",
            "trials digits-search --format optuna --output digits.db",
        ),
        "vertex_jobs.cli.studies:print_trials",
        (arguments.add_job, arguments.add_trials, arguments.add_endpoint),
    ),
    "best": Verb(
        _TRIALS,
        "the best trial, why it is, how sure that is, and what to make of it",
        f"{_JOB_WORDS}\nWith several metrics: every trial that no other beats. While the job\n"
        "runs: the best so far. The chance to be truly the best is that of a model of all trials.",
        (
            "best digits-search",
            "best digits-search --download best-model",
            "best digits-search --retrain > retrain.yaml",
            "best digits-search --register",
        ),
        "vertex_jobs.cli.deciding:print_best",
        (
            arguments.add_job,
            arguments.add_best,
            arguments.add_table_format,
            arguments.add_endpoint,
        ),
    ),
    "report": Verb(
        _TRIALS,
        "a study as one HTML file with charts, which opens without a network",
        f"{_JOB_WORDS}\nHistory, learning curves, importance of the parameters, contour, slices,\n"
        "parallel coordinates, timeline and every trial; with several metrics the Pareto front.\n"
        "Needs the extra 'report'. While the job runs: the trials so far.",
        ("report digits-search", "report digits-search --output digits.html"),
        "vertex_jobs.cli.reporting:write_report",
        (arguments.add_job, arguments.add_report, arguments.add_endpoint),
    ),
    "tensorboard": Verb(
        _TRIALS,
        "TensorBoard on a job's logs in Cloud Storage, of either endpoint",
        f"{_JOB_WORDS}\nOf a study: every trial is a run. Needs the extra 'train'. Ctrl-C ends it.",
        ("tensorboard digits-search", "tensorboard digits-search --port 6007"),
        "vertex_jobs.cli.tensorboard:serve",
        (arguments.add_job, arguments.add_port, arguments.add_endpoint),
    ),
    "emulate": Verb(
        _EMULATE,
        "Local Vertex for unmodified programs",
        "With a command: runs it with the environment that points every Google client at Local\n"
        "Vertex, and exits with its code. Without: serves until Ctrl-C. Jobs that were\n"
        "interrupted go on. A server that this command started ends with it.",
        (
            "emulate -- python my_program.py",
            "emulate",
            'emulate --print-env    # in a shell: eval "$(vertex-jobs emulate --print-env)"',
        ),
        "vertex_jobs.cli.emulating:emulate",
        (arguments.add_emulate,),
        takes_command=True,
    ),
}


def verb_parser(name: str, verb: Verb) -> Parser:
    """The parser of one verb."""
    examples = "\n".join(f"  {PROGRAM} {line}" for line in verb.examples)
    description = f"{verb.summary[0].upper()}{verb.summary[1:]}.\n\n{verb.description}"
    parser = Parser(f"{PROGRAM} {name}", description, f"examples:\n{examples}")
    parser.set_defaults(on="local")  # for verbs that do not ask where
    for add in verb.add_options:
        add(parser)
    if verb.takes_command:
        parser.usage = f"{PROGRAM} {name} [options] [-- COMMAND ...]"
    return parser


def overview() -> str:
    """The program's help: every verb on one line."""
    lines = [
        f"usage: {PROGRAM} VERB [options]",
        "",
        "Run and tune training jobs on Vertex AI, rehearsed on your own machine first.",
        "The same config runs here (--on local, the default) and there (--on vertex).",
    ]
    group = ""
    for name, verb in VERBS.items():
        if verb.group != group:
            group = verb.group
            lines += ["", f"{group}:"]
        lines.append(f"  {name:<13}{verb.summary}")
    lines += [
        "",
        "Results go to stdout, everything else to stderr.",
        "Exit codes: 0 done, 1 the job failed, 2 the input is wrong, 3 the endpoint refused or was",
        "lost, 130 interrupted (the job goes on).",
        "",
        f"A verb's options and examples: {PROGRAM} VERB --help",
    ]
    return "\n".join(lines)
