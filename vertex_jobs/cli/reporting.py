"""The verb ``report``: a study as one HTML file."""

import re
from pathlib import Path

from vertex_jobs.cli.options import Options
from vertex_jobs.cli.places import open_endpoint
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.errors import Fault, InvalidJobError

__all__ = ["write_report"]


def write_report(options: Options) -> int:
    """Write the file, and print its path.

    Raises:
        InvalidJobError: If the file cannot be written.
        UnsupportedHereError: If plotly is not installed, or the job has no trials.
    """
    with open_endpoint(options) as endpoint:
        study = endpoint.job(options.job).last_seen.study
    path = options.output or Path(f"{_file_name(study.display_name)}-report.html")
    text = study.to_html()
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        fault = Fault("--output", str(path), f"cannot be written: {error}", "name another file")
        raise InvalidJobError([fault], "command line") from error
    say(f"{len(study.trials)} trials, {len(text) / 1e6:.1f} MB; open it in any browser")
    print_result(str(path))
    return 0


def _file_name(display_name: str) -> str:
    """A display name holds any character, a path must not be led astray by them."""
    return re.sub(r"[^\w.-]+", "-", display_name).strip("-.") or "study"
