"""One log line, read from the JSON of Cloud Logging, and the filter that asks for lines.

For `log_reading` and `log_following`. It contacts nothing.

Source: LogEntry page of the Cloud Logging API; logging queries in the training documentation;
viamrobotics/api#534 (the entry of a plain line).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vertex_jobs.timestamps import read_moment

#: Labels of an entry that name the trial. Source: the log reader of ``gcloud ai``.
_TRIAL_LABELS = ("trial_id", "ml.googleapis.com/trial_id")


@dataclass(frozen=True)
class LogSource:
    """Whose lines are wanted; empty for all.

    Attributes:
        replica: E.g. ``workerpool0-0``.
        trial: The trial's id.
        trial_jobs: Ids of jobs whose lines are all of that trial.
    """

    replica: str = ""
    trial: str = ""
    trial_jobs: tuple[str, ...] = ()


ALL_LINES = LogSource()


@dataclass(frozen=True)
class LogEntry:
    """One line. An ERROR severity means that it came from stderr, never that the job failed.

    Attributes:
        time: RFC 3339 text.
        severity: ``INFO`` for stdout, ``ERROR`` for stderr, or what the line's JSON says.
        replica: E.g. ``workerpool0-0``; ``service`` for the service's own lines.
        text: Without a line end.
        insert_id: Unique among the entries of one time.
        trial: The id of the trial that wrote it, where the entry says so.
    """

    time: str
    severity: str
    replica: str
    text: str
    insert_id: str
    job_id: str
    trial: str = ""

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> "LogEntry":
        """Read an entry of an ``entries:list`` answer."""
        labels = entry.get("resource", {}).get("labels", {})
        own = entry.get("labels", {})
        return cls(
            time=entry.get("timestamp", ""),
            severity=entry.get("severity", "DEFAULT"),
            # gcloud looks in both places.
            replica=labels.get("task_name") or own.get("task_name", ""),
            text=_text(entry),
            insert_id=entry.get("insertId", ""),
            job_id=labels.get("job_id", ""),
            trial=next((own[label] for label in _TRIAL_LABELS if label in own), ""),
        )

    @property
    def key(self) -> tuple[str, str, str]:
        """The key that tells this line from any other, also of the same text and time."""
        return self.job_id, self.time, self.insert_id

    @property
    def moment(self) -> datetime:
        """The time, to the microsecond."""
        return read_moment(self.time)


def log_filter(job_ids: Sequence[str], source: LogSource = ALL_LINES, since: str = "") -> str:
    """Return the filter for lines of any of these jobs, at least one, by their numeric ids.

    ``since`` is the earliest time, RFC 3339 text; empty for all.
    """
    text = f'resource.type="ml_job" AND {_any("resource.labels.job_id", job_ids)}'
    if source.replica:
        text += f' AND resource.labels.task_name="{source.replica}"'
    if source.trial:
        named = [f'labels."{label}"="{source.trial}"' for label in _TRIAL_LABELS]
        named += [f'resource.labels.job_id="{job_id}"' for job_id in source.trial_jobs]
        text += f" AND ({' OR '.join(named)})"
    return f'{text} AND timestamp>="{since}"' if since else text


def _any(field: str, values: Sequence[str]) -> str:
    clauses = [f'{field}="{value}"' for value in values]
    return clauses[0] if len(clauses) == 1 else f"({' OR '.join(clauses)})"


def _text(entry: Mapping[str, Any]) -> str:
    """Return the line: a replica's is the message of a jsonPayload, others' are a textPayload."""
    payload = entry.get("jsonPayload") or entry.get("protoPayload") or {}
    text = entry.get("textPayload", payload.get("message"))
    return text.rstrip("\n") if isinstance(text, str) else json.dumps(payload, sort_keys=True)
