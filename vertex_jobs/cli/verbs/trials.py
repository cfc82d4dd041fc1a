"""``trials JOB``: every trial of a study."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from vertex_jobs.cli.endpoint_access import open_endpoint
from vertex_jobs.cli.options import option
from vertex_jobs.cli.shared_options import JobOptions
from vertex_jobs.cli.tables import print_structured, write_file
from vertex_jobs.cli.terminal import print_result, say, say_prose
from vertex_jobs.cli.verb import Verb
from vertex_jobs.wording import count

if TYPE_CHECKING:
    from vertex_jobs.study import Study


@dataclass(frozen=True, kw_only=True)
class TrialsOptions(JobOptions):
    """The options of ``trials``."""

    output: Path | None = option(
        "--output FILE",
        "with --format optuna: the SQLite file, replaced if it is there (default: the job's "
        "display name with .db, in the current directory)",
    )
    format: Literal["table", "json", "yaml", "csv", "optuna"] = option(
        "--format FORM", default="table"
    )


def trials(options: TrialsOptions) -> int:
    """Print a study's trials."""
    from vertex_jobs.cli.decisions import measured_study, trial_table

    with open_endpoint(options.where) as endpoint:
        study = measured_study(endpoint.job(options.job, say_prose))
    if options.format == "optuna":
        write_file(options.output, study.display_name, ".db", partial(_write_optuna, study))
    elif options.format != "table":
        print_structured(study.to_json(), options.format, study.columns(), study.rows())
    elif study.trials:
        print_result(trial_table(study, study.trials))
    else:
        say("no trials yet")
    return 0


VERB = Verb(
    description="JSON and YAML have every measurement as well. Optuna's form is an SQLite file, "
    "for optuna-dashboard; it needs the extra 'optuna'.",
    examples=(
        "trials digits-search",
        "trials digits-search --format csv > trials.csv",
        "trials digits-search --format optuna --output digits.db",
    ),
    options=TrialsOptions,
    handler=trials,
)


def _write_optuna(study: "Study", path: Path) -> str:
    from vertex_jobs.study.optuna_storage import write_optuna_storage

    written = write_optuna_storage(study, path)
    return f"{count(written, 'finished trial')}; look at it with: optuna-dashboard sqlite:///{path}"
