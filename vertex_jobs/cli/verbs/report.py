"""``report JOB``: a study as one HTML file."""

from dataclasses import dataclass
from pathlib import Path

from vertex_jobs.cli.endpoint_access import open_endpoint
from vertex_jobs.cli.options import option
from vertex_jobs.cli.shared_options import JobOptions
from vertex_jobs.cli.tables import write_file
from vertex_jobs.cli.terminal import say_prose
from vertex_jobs.cli.verb import Verb


@dataclass(frozen=True, kw_only=True)
class ReportOptions(JobOptions):
    """The options of ``report``."""

    output: Path | None = option(
        "--output FILE",
        "the HTML file, replaced if it is there (default: the job's display name with "
        "-report.html, in the current directory)",
    )


def report(options: ReportOptions) -> int:
    """Write the report, and print its path.

    Raises:
        InvalidJobError: If the file cannot be written.
        UnsupportedHereError: If plotly is not installed, or the job has no trials.
    """
    from vertex_jobs.cli.decisions import load_numerics, measured_study

    load_numerics()
    with open_endpoint(options.where) as endpoint:
        study = measured_study(endpoint.job(options.job, say_prose))

    def write(path: Path) -> str:
        text = study.to_html()
        path.write_text(text, encoding="utf-8")
        return f"{len(study.trials)} trials, {len(text) / 1e6:.1f} MB; open it in any browser"

    write_file(options.output, f"{study.display_name}-report", ".html", write)
    return 0


VERB = Verb(
    description="History, learning curves, importance of the parameters, contour, slices, "
    "parallel coordinates, timeline and every trial; with several metrics the Pareto front. Needs "
    "the extra 'report'. While the job runs: the trials so far.",
    examples=("report digits-search", "report digits-search --output digits.html"),
    options=ReportOptions,
    handler=report,
)
