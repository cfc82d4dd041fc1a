"""One log line as a Cloud Logging entry, and the comparisons of a query with it.

A replica's line is ``jsonPayload``: one JSON object has its own keys there, and its ``severity``
becomes the entry's; any other text is ``message``, beside ``levelname`` and the replica's name. The
service's own lines are ``textPayload``.
Source: LogEntry of Cloud Logging v2; Logging query language, which ignores case but in regular
expressions; "Prepare training code" (structured lines); viamrobotics/api#534 (a real entry).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

from vertex_jobs.emulator.services.expressions import Comparison, Node, Not, Or, holds
from vertex_jobs.emulator.services.filters import ORDERED, parse_time
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.logbook import SERVICE_TASK, LogLine
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
#: The names of a line's text: which one the service used has changed.
_TEXT_FIELDS = ("textPayload", "jsonPayload.message")


#: Names the trial of a line that stands in its tuning job's log. Source: google-cloud-sdk,
#: command_lib/ai/log_util.py and surface/ai/hp_tuning_jobs/stream_logs.py, which read it so.
TRIAL_LABEL = "ml.googleapis.com/trial_id"
#: Marks what Local Vertex says of a job and the service does not.
REMARK_LABEL = "local-vertex/remark"
#: Of these remarks; the service's own words have others.
_OWN_SEVERITIES = ("DEBUG", "NOTICE", "WARNING")


class EntryWriter:
    """Turns log lines into the log entries of one project.

    Entries share what is equal in them, since a page has a thousand: they are read only.
    """

    def __init__(self, project: str) -> None:
        self._project = project
        self._times: tuple[float, str] = (-1.0, "")

    def entry(self, line: LogLine) -> dict[str, Any]:
        """Return the line as a log entry."""
        when = self._time(line.time)
        severity = line.severity
        payload: dict[str, Any] | None = None
        if line.task != SERVICE_TASK:
            payload = _structured(line.text)
            if payload is None:
                attributes = _attributes(line.task)
                payload = {"attrs": attributes, "levelname": severity, "message": line.text}
            else:
                severity = _severity(payload) or severity
        return {
            **self.source(line.job_id, line.task, line.trial, _is_remark(line)),
            "timestamp": when,
            "receiveTimestamp": when,
            "severity": severity,
            "insertId": f"{line.job_id}-{line.insert_id:09d}",
            **({"textPayload": line.text} if payload is None else {"jsonPayload": payload}),
        }

    @cache  # noqa: B019 - a writer lives for one request
    def source(self, job_id: str, task: str, trial: str, is_remark: bool) -> dict[str, Any]:
        """Return the part of an entry that every such line of one task has."""
        own = {TRIAL_LABEL: trial} if trial else {}
        own |= {REMARK_LABEL: "true"} if is_remark else {}
        labels = {"job_id": job_id, "task_name": task, "project_id": self._project}
        return {
            "logName": f"projects/{self._project}/logs/{task}",
            "resource": {"type": "ml_job", "labels": labels},
            **({"labels": own} if own else {}),
        }

    def _time(self, time: float) -> str:
        if time != self._times[0]:  # lines that were read together share their time
            self._times = time, timestamp(time, "microseconds")
        return self._times[1]


class Selection:
    """The entries that a query is true for.

    What it says of an entry's source is decided once for each job and task, not for each line.
    """

    def __init__(self, query: Node | None, writer: EntryWriter) -> None:
        """Select by the query; None accepts all."""
        self._query = query
        self._writer = writer
        self._rests: dict[tuple[str, str, str, bool], Node | bool] = {}

    def of(self, lines: Iterable[LogLine]) -> Iterator[tuple[LogLine, dict[str, Any]]]:
        """Yield the wanted lines, each with its entry; ApiError for a senseless comparison."""
        for line in lines:
            key = line.job_id, line.task, line.trial, _is_remark(line)
            rest = self._rests.get(key)
            if rest is None:
                source = {"labels": {}, **self._writer.source(*key)}
                rest = True if self._query is None else _decided(self._query, source)
                self._rests[key] = rest
            if rest is False:
                continue
            entry = self._writer.entry(line)
            if rest is True or holds(rest, partial(satisfies, entry)):
                yield line, entry


def by_either_name(node: Node | None) -> Node | None:
    """Return the query with each comparison of a line's text asked by both of its names."""
    if node is None:
        return None
    if isinstance(node, Comparison):
        if node.field not in _TEXT_FIELDS:
            return node
        return Or(tuple(replace(node, field=field) for field in _TEXT_FIELDS))
    if isinstance(node, Not):
        return Not(by_either_name(node.part) or node.part)
    return type(node)(tuple(by_either_name(part) or part for part in node.parts))


def _is_remark(line: LogLine) -> bool:
    return line.task == SERVICE_TASK and line.severity in _OWN_SEVERITIES


def _decided(node: Node, source: Mapping[str, Any]) -> Node | bool:
    """Return what is left to ask of a query once the source of an entry is known."""
    if isinstance(node, Comparison):
        field = _ALIASES.get(node.field, node.field)
        return satisfies(source, node) if field.split(".")[0] in source else node
    if isinstance(node, Not):
        part = _decided(node.part, source)
        return (not part) if isinstance(part, bool) else Not(part)
    parts = [_decided(part, source) for part in node.parts]
    settles = isinstance(node, Or)  # one part that is true settles an OR, one that is false an AND
    if settles in parts:
        return settles
    left = tuple(part for part in parts if not isinstance(part, bool))
    if not left:
        return not settles
    return left[0] if len(left) == 1 else type(node)(left)


@cache
def _attributes(task: str) -> dict[str, str]:
    return {"tag": task}


def _structured(text: str) -> dict[str, Any] | None:
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
    value = _value(entry, field)
    if value is None:
        return False
    if comparison.operator == ":" and comparison.value == "*" and not comparison.quoted:
        return True
    return _compared(field, value, comparison)


def _value(entry: Mapping[str, Any], field: str) -> Any:
    """Return the value at a dotted path; None if there is none. A key may hold dots itself."""
    value: Any = entry
    rest = field
    while rest:
        if not isinstance(value, Mapping):
            return None
        key, _, after = rest.partition(".")
        if rest in value:
            return value[rest]
        value, rest = value.get(key), after
    return value


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
