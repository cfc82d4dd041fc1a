"""The verb ``report``: a study as one HTML file; and how verbs write a file of a study."""

import re
from collections.abc import Callable
from pathlib import Path

from vertex_jobs.cli.numerics import load_numerics
from vertex_jobs.cli.options import Options
from vertex_jobs.cli.places import open_endpoint
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.errors import Fault, InvalidJobError

__all__ = ["write_file", "write_report"]


def write_report(options: Options) -> int:
    """Write the report, and print its path.

    Raises:
        InvalidJobError: If the file cannot be written.
        UnsupportedHereError: If plotly is not installed, or the job has no trials.
    """
    load_numerics()
    with open_endpoint(options) as endpoint:
        study = endpoint.job(options.job).last_seen.study

    def write(path: Path) -> str:
        text = study.to_html()
        path.write_text(text, encoding="utf-8")
        return f"{len(study.trials)} trials, {len(text) / 1e6:.1f} MB; open it in any browser"

    write_file(options, f"{study.display_name}-report", ".html", write)
    return 0


def write_file(options: Options, name: str, suffix: str, write: Callable[[Path], str]) -> None:
    """Write to ``--output``, else to a file of that name here, and print its path.

    Args:
        options: Of the command.
        name: In any characters.
        suffix: With its dot.
        write: Writes the file and says something about it.

    Raises:
        InvalidJobError: If the file cannot be written.
    """
    # A display name holds any character, and a path must not be led astray by them.
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "study"
    path = options.output or Path(f"{plain}{suffix}")
    try:
        said = write(path)
    except OSError as error:
        fault = Fault(
            "--output", str(path), f"cannot be written: {error.strerror}", "name another file"
        )
        raise InvalidJobError([fault], "command line") from error
    say(said)
    print_result(str(path))
