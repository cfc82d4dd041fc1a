"""What was seen of a rehearsed job, for the verdict of a drill: its restarts, reads, steps, values.

From the server's record, the job's log and its TensorBoard files; the script is not asked.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vertex_jobs.cli.details import base_output_directory
from vertex_jobs.drills.judgement import Observation, Read, Restart
from vertex_jobs.drills.marks import Mark, marks_in, metrics_in, scalars_in

if TYPE_CHECKING:
    from vertex_jobs.client import JobHandle
    from vertex_jobs.endpoints import Endpoint

#: The chief, whose steps are those of the job.
_CHIEF = "workerpool0-0"
_WORKERS = ("workerpool1", "workerpool2", "workerpool3")
_EVENTS = "events.out.tfevents"


@dataclass(frozen=True)
class Seen:
    """One run of a job or of a trial; ``metrics`` are the last values of each, most telling first.

    Attributes:
        trial: Number of the trial; empty outside a study.
    """

    trial: str
    marks: Sequence[Mark]
    metrics: Mapping[str, float]


def restarted_trials(incidents: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the trials whose replicas were restarted; an empty one is a job without trials."""
    return list(dict.fromkeys(one["trial"] for one in incidents if one["kind"] == "restart"))


def look_at_run(
    endpoint: "Endpoint", handle: "JobHandle", trial: str, incidents: Sequence[Mapping[str, Any]]
) -> Seen:
    """Return what was seen of an ended job, or of one of its trials."""
    marks = [
        Mark(one["time"], "the reported metric", int(one["subject"]))
        for one in incidents
        if one["kind"] == "step" and one["trial"] == trial
    ]
    metrics: dict[str, float] = {}
    for line in handle.logs(replica=_CHIEF, trial=trial):
        marks += marks_in(line.text, line.moment.timestamp())
        metrics |= metrics_in(line.text)
    scalars = list(_scalars(endpoint, handle, trial))
    marks += [mark for mark, _ in scalars]
    for mark, value in sorted(scalars, key=lambda pair: pair[0].time):
        metrics[mark.counter] = value
    return Seen(trial, marks, _measured(handle, trial) | metrics)


def observation(seen: Seen, incidents: Sequence[Mapping[str, Any]]) -> Observation:
    """Return the observation by which a rehearsed run is judged."""
    own = [one for one in incidents if one["trial"] == seen.trial]
    return Observation(
        [
            Restart(one["time"], not one["subject"].startswith(_WORKERS), one["written"])
            for one in own
            if one["kind"] == "restart"
        ],
        [
            Read(one["subject"], one["time"], one["written"])
            for one in own
            if one["kind"] == "read" and _EVENTS not in one["subject"]
        ],
        seen.marks,
    )


def _measured(handle: "JobHandle", trial: str) -> dict[str, float]:
    """Return the final measurement of the trial."""
    if not trial:
        return {}
    (found,) = (one for one in handle.last_seen.study.trials if one.id == trial)
    return dict(found.metrics)


def _scalars(endpoint: "Endpoint", handle: "JobHandle", trial: str) -> Iterator[tuple[Mark, float]]:
    base = base_output_directory(handle.last_seen)
    above = f"{trial}/" if trial else ""
    outputs = endpoint.outputs()
    for file in outputs.list_files(f"{base}{above}logs/"):
        if _EVENTS in str(file.uri):
            folder = str(file.uri).removeprefix(base).rpartition("/")[0]
            for mark, value in scalars_in(outputs.read_bytes(str(file.uri))):
                yield Mark(mark.time, f"{mark.counter} in {folder}", mark.step), value
