"""Cloud Logging's ``entries:list`` over the log lines of jobs.

Understands the filter that Vertex AI's users and gcloud write: resource type ``ml_job``, the job's
id, the task's name, a lower bound for the time, joined by AND; several jobs by OR in parentheses.
Source: Cloud Logging API v2, entries.list; public examples of ``ml_job`` filters.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from typing import Any

from vertex_jobs.emulator.logbook import Logbook, LogLine
from vertex_jobs.emulator.status import ApiError

__all__ = ["list_entries"]

_JOB = re.compile(r'resource\.labels\.job_id\s*=\s*"?(\d+)"?')
_TASK = re.compile(r'(?:resource\.)?labels\.task_name\s*=\s*"?([\w.-]+)"?')
_SINCE = re.compile(r'timestamp\s*(>=?)\s*"([^"]+)"')
_MAX_PAGE_SIZE = 1000


def list_entries(logbook: Logbook, request: Mapping[str, Any], project: str) -> dict[str, Any]:
    """One page of entries, oldest first unless ``orderBy`` is ``timestamp desc``.

    Raises:
        ApiError: If the filter names no job, or the page token is not ours.
    """
    text = str(request.get("filter", ""))
    jobs = list(dict.fromkeys(_JOB.findall(text)))
    if not jobs:
        raise ApiError(
            "INVALID_ARGUMENT",
            f"The filter {text!r} names no job; Local Vertex keeps only the logs of jobs: "
            'resource.type="ml_job" AND resource.labels.job_id="ID".',
        )
    size = min(int(request.get("pageSize", 0)) or _MAX_PAGE_SIZE, _MAX_PAGE_SIZE)
    token = str(request.get("pageToken", "") or "0")
    if not token.isdigit():
        raise ApiError("INVALID_ARGUMENT", f"The page token {token!r} is not valid.")
    lines = sorted(
        _select(logbook, jobs, text), key=lambda line: (line.time, line.job_id, line.insert_id)
    )
    if str(request.get("orderBy", "")).endswith("desc"):
        lines.reverse()
    start = int(token)
    page = lines[start : start + size]
    answer: dict[str, Any] = {"entries": [_entry(line, project) for line in page]}
    if len(lines) > start + size:
        answer["nextPageToken"] = str(start + size)
    return answer


def _select(logbook: Logbook, jobs: Iterable[str], text: str) -> Iterable[LogLine]:
    tasks = set(_TASK.findall(text))
    bounds = [(operator, _seconds(stamp)) for operator, stamp in _SINCE.findall(text)]
    for job in jobs:
        for line in logbook.read(job):
            if tasks and line.task not in tasks:
                continue
            if all(
                line.time >= bound if operator == ">=" else line.time > bound
                for operator, bound in bounds
            ):
                yield line


def _seconds(stamp: str) -> float:
    try:
        return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()
    except ValueError as error:
        raise ApiError("INVALID_ARGUMENT", f"{stamp!r} is not a timestamp.") from error


def _entry(line: LogLine, project: str) -> dict[str, Any]:
    when = datetime.fromtimestamp(line.time, timezone.utc).isoformat(timespec="microseconds")
    return {
        "logName": f"projects/{project}/logs/{line.task}",
        "resource": {
            "type": "ml_job",
            "labels": {"job_id": line.job_id, "task_name": line.task, "project_id": project},
        },
        "timestamp": when.replace("+00:00", "Z"),
        "severity": line.severity,
        "insertId": f"{line.job_id}-{line.insert_id:09d}",
        "textPayload": line.text,
    }
