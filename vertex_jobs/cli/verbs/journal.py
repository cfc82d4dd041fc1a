"""``journal``: the submissions of this machine, as they were written down before they were sent."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from vertex_jobs.cli.options import option
from vertex_jobs.cli.shared_options import state_directory_option
from vertex_jobs.cli.tables import print_structured, table
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.cli.verb import Verb
from vertex_jobs.cli.words import ago
from vertex_jobs.state import state_directory

if TYPE_CHECKING:
    from vertex_jobs.client.journal import Create, Entry

_COLUMNS = ("submitted", "display_name", "endpoint", "parent", "state", "name", "detail", "nonce")
_GOOGLE = ".googleapis.com"


@dataclass(frozen=True, kw_only=True)
class JournalOptions:
    """The options of ``journal``."""

    format: Literal["table", "json", "yaml", "csv"] = option("--format FORM", default="table")
    state_dir: Path | None = state_directory_option()


def journal(options: JournalOptions) -> int:
    """Print every submission, the latest first; nothing is contacted."""
    from vertex_jobs.client.journal import Journal

    directory = state_directory(options.state_dir)
    entries = sorted(Journal(directory).entries(), key=lambda entry: -entry.changed)
    creates = [(entry, create) for entry in entries for create in entry.creates]
    if options.format != "table":
        rows = [_row(entry, create) for entry, create in creates]
        print_structured([_plain(entry) for entry in entries], options.format, _COLUMNS, rows)
    elif creates:
        now = datetime.now(timezone.utc)
        columns = ("changed", "display name", "where", "state", "job, or why there is none")
        print_result(table(columns, [_cells(*one, now) for one in creates]))
    else:
        say(f"nothing was submitted with {directory}")
    return 0


VERB = Verb(
    description="One line for each create: a submission with fallbacks has several. JSON and YAML "
    "give the whole requests, with their environment variables. sent and unknown: the answer was "
    "lost, and list looks the job up.",
    examples=("journal", "journal --format json"),
    options=JournalOptions,
    handler=journal,
)


def _moment(entry: "Entry") -> str:
    return datetime.fromtimestamp(entry.changed, timezone.utc).isoformat().replace("+00:00", "Z")


def _plain(entry: "Entry") -> dict[str, Any]:
    return {**asdict(entry), "changed": _moment(entry)}


def _row(entry: "Entry", create: "Create") -> Sequence[object]:
    named = (create.endpoint, create.parent, create.state, create.name, create.detail, create.nonce)
    return [_moment(entry), entry.display_name, *named]


def _cells(entry: "Entry", create: "Create", now: datetime) -> list[str]:
    on = "vertex" if create.endpoint.endswith(_GOOGLE) else "local"
    _, project, _, location = create.parent.split("/")
    job_id = create.name.rpartition("/")[2]
    return [
        ago(_moment(entry), now),
        entry.display_name,
        f"{on}, {project}, {location}",
        create.state,
        job_id or create.detail,
    ]
