"""The verb ``emulate``: Local Vertex for programs that are not ours, with its options."""

from pathlib import Path

from vertex_jobs.cli.parser import Parser
from vertex_jobs.cli.verbs.common_options import add_state_directory
from vertex_jobs.cli.verbs.verb import Verb

__all__ = ["VERBS"]


def _add_emulate(parser: Parser) -> None:
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
    parser.add_argument(
        "--settings",
        metavar="FILE",
        type=Path,
        help="a YAML file whose section local: holds for every job that a program makes, as it "
        "does in a config (default: none)",
    )
    group = parser.add_argument_group("server")
    add_state_directory(group)
    group.add_argument(
        "--project", metavar="ID", help="default project of programs (default: local-project)"
    )
    group.add_argument(
        "--location", "--region", metavar="L", help="default region (default: us-central1)"
    )


VERBS = {
    "emulate": Verb(
        "Local Vertex for unmodified programs",
        "With a command: runs it with the environment that points every Google client at Local\n"
        "Vertex, and exits with its code. Without: serves until Ctrl-C. Jobs that were\n"
        "interrupted go on. A server that this command started ends with it.",
        (
            "emulate -- python my_program.py",
            "emulate",
            "emulate --settings configs/digits_search.yaml -- python my_program.py",
            'emulate --print-env    # in a shell: eval "$(vertex-jobs emulate --print-env)"',
        ),
        "vertex_jobs.cli.emulating:emulate",
        (_add_emulate,),
        takes_command=True,
    ),
}
