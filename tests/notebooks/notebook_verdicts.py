"""What became of a notebook's submissions, from the record of its run."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from notebook_reasons import (
    CREATED,
    LIMIT,
    NETWORK,
    NOT_REACHED,
    OWN_FAULT,
    REFUSED_AS_THERE,
    SUCCEEDED,
    TRAINING,
    UNKNOWN,
    reason_for,
)

#: A notebook's verdict is the first of these that one of its submissions has.
ORDER = (
    UNKNOWN,
    LIMIT,
    NETWORK,
    OWN_FAULT,
    REFUSED_AS_THERE,
    TRAINING,
    SUCCEEDED,
    CREATED,
    NOT_REACHED,
)
#: An answer of the service, in the words of Google's clients and of gcloud.
_ANSWER = re.compile(
    r"google\.api_core\.exceptions|HttpError accessing|ERROR: \(gcloud|Resource failed with: \d{3}"
)
_MODULE = re.compile(r"No module named '([\w.]+)'")
#: What the SDK raises when a job that exists has failed.
_JOB_ENDED = re.compile(r"Job failed with|Training failed with|resource has not been created\.$")


@dataclass(frozen=True)
class Finding:
    """One job or refused submission: its verdict, the reason and the reason's source."""

    verdict: str
    words: str = ""
    source: str = ""


def judge(record: dict[str, Any]) -> Finding:
    """Return a notebook's verdict; the words name each of its submissions."""
    findings = [_of_job(job) for job in record["jobs"]]
    findings += [one for cell in record["cells"] if (one := _of_cell(cell)) is not None]
    unprepared = _not_reached(record)
    if any(cell["error"] and not cell["submits"] for cell in record["cells"]):
        # What a cell before it should have made is missing: that says nothing of Local Vertex.
        findings = [unprepared if one.verdict == UNKNOWN else one for one in findings]
    if not findings:
        findings = [unprepared]
    first = min(findings, key=lambda finding: ORDER.index(finding.verdict))
    counted = Counter(_told(finding) for finding in findings)
    words = "; ".join(text if n == 1 else f"{n} x {text}" for text, n in counted.items())
    return Finding(first.verdict, words, first.source)


def _told(finding: Finding) -> str:
    return finding.words or finding.verdict


def _of_job(job: dict[str, Any]) -> Finding:
    state, kind = job["state"].removeprefix("JOB_STATE_"), job["kind"]
    state = state.removeprefix("PIPELINE_STATE_")
    if kind == "studies":
        return Finding(CREATED)
    if state == "SUCCEEDED":
        return Finding(SUCCEEDED, f"{kind} SUCCEEDED")
    if state in ("FAILED", "EXPIRED"):
        found = reason_for("\n".join([job["error"], *job["log"]]))
        words = f"{kind} {state}"
        return (
            Finding(found[0], f"{words}: {found[1]}", found[2])
            if found
            else Finding(UNKNOWN, words)
        )
    return Finding(TRAINING, f"{kind} {state}")


def _of_cell(cell: dict[str, Any]) -> Finding | None:
    """Return what a submitting cell was answered, where that was a refusal."""
    text = f"{cell['error']}\n{cell['output']}"
    if not cell["submits"] or _JOB_ENDED.search(cell["error"]) or not _ANSWER.search(text):
        return None
    found = reason_for(text)
    return Finding(*found) if found else Finding(UNKNOWN, "refused")


def _not_reached(record: dict[str, Any]) -> Finding:
    """Say which cell kept a notebook from its submission: an answer first, else any error."""
    failed = [cell for cell in record["cells"] if cell["error"]]
    for cell in failed:
        text = f"{cell['error']}\n{cell['output']}"
        found = reason_for(text) if _ANSWER.search(text) else None
        if found is not None:
            return Finding(found[0], f"cell {cell['cell']}: {found[1]}", found[2])
    if failed:
        kind = failed[0]["error"].partition(":")[0].rpartition(".")[2]
        module = _MODULE.search(failed[0]["error"])
        why = f"{module[1]} is not installed here" if module else kind
        return Finding(NOT_REACHED, f"cell {failed[0]['cell']}: {why}")
    return Finding(NOT_REACHED, "its time was over" if record["time_up"] else "no job")
