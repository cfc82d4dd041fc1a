"""The command line: arguments to calls to text. The only package that prints.

For people in a terminal and for scripts: results go to stdout, everything else to stderr. Nothing
is decided here that a Python program could not decide too; the verbs call the library.
"""

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        argv: The words after the program's name; those of this process by default.
    """
    from vertex_jobs.cli.program import run_command

    return run_command(argv)
