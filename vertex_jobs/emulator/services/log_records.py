"""One log line as a Cloud Logging entry, and the comparisons of a query with it.

A line that is one JSON object becomes ``jsonPayload``; its ``severity`` becomes the entry's, its
``message`` is what viewers show. Any other line is ``textPayload``.
Source: LogEntry of Cloud Logging v2; Logging query language, which ignores case but in regular
expressions; "Prepare training code" (structured lines).
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from vertex_jobs.emulator.services.expressions import Comparison
from vertex_jobs.emulator.services.filters import ORDERED, parse_time
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.logbook import LogLine
from vertex_jobs.timestamps import timestamp

_SEVERITIES = {
    name: 100 * level
    for level, name in enumerate(
        ("DEFAULT", "DEBUG", "INFO", "NOTICE", "WARNING", "ERROR", "CRITICAL", "ALERT", "EMERGENCY")
    )
}
#: Names that loggers write for the same. Source: the levels of Python's logging.
_OTHER_NAMES = {"WARN": "WARNING", "FATAL": "CRITICAL", "TRACE": "DEBUG"}
#: gcloud asks in both places.
_ALIASES = {"labels.task_name": "resource.labels.task_name"}


def entry_of(line: LogLine, project: str) -> dict[str, Any]:
    """Return the line as a log entry of the project."""
    when = timestamp(line.time, "microseconds")
    payload = _structured(line.text)
    severity = line.severity
    if payload is not None:
        severity = _severity(payload) or severity
    return {
        "logName": f"projects/{project}/logs/{line.task}",
        "resource": {
            "type": "ml_job",
            "labels": {"job_id": line.job_id, "task_name": line.task, "project_id": project},
        },
        "timestamp": when,
        "receiveTimestamp": when,
        "severity": severity,
        "insertId": f"{line.job_id}-{line.insert_id:09d}",
        **({"textPayload": line.text} if payload is None else {"jsonPayload": payload}),
    }


def _structured(text: str) -> dict[str, Any] | None:
    """Return the JSON object that the line is, or None."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        payload = json.loads(text, parse_constant=_refuse_constant)
    except ValueError:
        return None
    return payload if isinstance(payload, dict) else None


def _refuse_constant(name: str) -> None:
    raise ValueError(name)  # NaN and infinity are no JSON: the line stays a text


def _severity(payload: dict[str, Any]) -> str:
    """Take the severity out of the payload; empty, and left there, if it is none."""
    name = str(payload.get("severity", "")).upper()
    name = _OTHER_NAMES.get(name, name)
    if name not in _SEVERITIES:
        return ""
    del payload["severity"]
    return name


def satisfies(entry: Mapping[str, Any], comparison: Comparison) -> bool:
    """Return whether the comparison holds for the entry; one of a missing field never does.

    Raises:
        ApiError: INVALID_ARGUMENT, if the comparison makes no sense.
    """
    field = _ALIASES.get(comparison.field, comparison.field)
    if not field:
        return comparison.value.casefold() in json.dumps(entry, ensure_ascii=False).casefold()
    value: Any = entry
    for segment in field.split("."):
        if not isinstance(value, Mapping) or segment not in value:
            return False
        value = value[segment]
    if comparison.operator == ":" and comparison.value == "*" and not comparison.quoted:
        return True
    return _compared(field, value, comparison)


def _compared(field: str, value: Any, comparison: Comparison) -> bool:
    operator, wanted = comparison.operator, comparison.value
    if operator in ("=~", "!~"):
        try:
            found = re.search(wanted, str(value)) is not None
        except re.error as error:
            raise ApiError("INVALID_ARGUMENT", f"{wanted!r} is no pattern: {error}") from error
        return found == (operator == "=~")
    if isinstance(value, (dict, list)):
        return operator == ":" and wanted.casefold() in json.dumps(value).casefold()
    if operator == ":":
        return wanted.casefold() in str(value).casefold()
    left, right = _sides(field, value, wanted)
    return ORDERED[operator](left, right)


def _sides(field: str, value: Any, wanted: str) -> tuple[Any, Any]:
    """Both sides in a form that can be compared."""
    if field == "timestamp":
        return parse_time(str(value)), parse_time(wanted)
    if field == "severity":
        level = wanted if wanted.isdigit() else str(_SEVERITIES.get(wanted.upper(), ""))
        if not level:
            raise ApiError("INVALID_ARGUMENT", f"{wanted!r} is not a severity.")
        return _SEVERITIES[str(value)], int(level)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value), float(wanted)
        except ValueError:
            pass
    text = json.dumps(value) if isinstance(value, bool) else str(value)
    return text.casefold(), wanted.casefold()
