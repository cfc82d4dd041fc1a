"""The verbs of a first afternoon: an example, a start of one's own, what there is to run on."""

from vertex_jobs.cli.parser import Parser, one_of
from vertex_jobs.cli.verbs.common_options import (
    add_endpoint,
    add_optional_config,
    add_overrides,
)
from vertex_jobs.cli.verbs.configs import add_run
from vertex_jobs.cli.verbs.verb import Verb

__all__ = ["VERBS"]


def _add_new(parser: Parser) -> None:
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


def _add_machines(parser: Parser) -> None:
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


VERBS = {
    "demo": Verb(
        "run the demo study: 16 trials of a small digits classifier",
        "Config and script come with the package. Needs the extra 'train': TensorFlow, Keras and\n"
        "scikit-learn. Takes one to three minutes on two CPU cores.",
        ("demo", "demo --set max_trial_count=4"),
        "vertex_jobs.cli.demo:run_demo",
        (add_overrides, add_run, add_endpoint),
    ),
    "new": Verb(
        "a script and its config, ready to run, to go on from",
        "NAME.py and NAME.yaml in the current directory: a small Keras classifier on data that it\n"
        "makes itself. Nothing is ever overwritten. Running it needs the extra 'train'.",
        ("new", "new spirals", "new spirals --kind custom_job"),
        "vertex_jobs.cli.scaffolding:scaffold",
        (_add_new,),
    ),
    "doctor": Verb(
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
        (add_optional_config, add_endpoint),
        formats=("table", "json", "yaml", "csv"),
    ),
    "machines": Verb(
        "the machines of Vertex AI training, their accelerators and prices",
        "Prices are list prices of one region, each with its date and how sure it is; what is\n"
        "not known says so. Nothing is contacted.",
        ("machines --gpu L4", "machines --machine n1 --region europe-west4", "machines --tpu"),
        "vertex_jobs.cli.machines:print_machines",
        (_add_machines,),
        formats=("table", "json", "yaml", "csv"),
    ),
}
