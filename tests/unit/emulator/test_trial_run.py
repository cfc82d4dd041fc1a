"""The reports of a trial as its controller takes them, with a stand-in for its custom job."""

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from google.protobuf import timestamp_pb2

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.trial import TrialRun
from vertex_jobs.emulator.resources import states, study_rules
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.emulator.study_search.search_client import SearchFailedError

CHIEF, WORKER = "workerpool0-0", "workerpool1-1"


class Search:
    """One whose process is lost at every question."""

    async def judge(self, *_: Any) -> Any:
        raise SearchFailedError("the search process has ended")


class Record:
    """A job that is not kept; the trial's custom job is its own twin."""

    job_id = "7"

    def __init__(self, trial: protos.Message) -> None:
        self.trial = trial
        self.lines: list[str] = []
        self.now = timestamp_pb2.Timestamp

    def owned(self, name: str, trial: str) -> "Record":
        return self

    def load(self) -> protos.Message:
        return protos.CustomJob()

    def trials(self) -> list[protos.Message]:
        return [self.trial]

    def save_trial(self, trial: protos.Message, *, finished: bool = False) -> None:
        pass

    def request_cancel(self) -> None:
        pass

    def say(self, text: str, severity: str) -> None:
        self.lines.append(text)


class CustomJobs:
    """Runs no replica: what each would report is written here, one report after another."""

    def __init__(self, folder: Path, reports: list[Any]) -> None:
        self.host = SimpleNamespace(folder=lambda job_id: folder)
        self.reports = reports

    def controller(self, *_: Any, trial: Any, before_end: Any, **__: Any) -> Any:
        async def run() -> None:
            for report in self.reports:
                for replica, line in report.items():
                    trial.metric_file(replica).write_text(json.dumps(line))
                await asyncio.sleep(0.2)
            before_end(Ending(states.SUCCEEDED))

        return SimpleNamespace(
            run=run, handle_step=lambda step: None, note_steps=lambda marks: None
        )


def ended(folder: Path, trial: protos.Message, reports: list[Any]) -> list[str]:
    """Let the trial run, one report after another; answers its log."""
    spec = {
        "metrics": [{"metricId": "score"}, {"metricId": "loss"}],
        "medianAutomatedStoppingSpec": {},
    }
    job = protos.HyperparameterTuningJob()
    pools = [{"replicaCount": 1}, {"replicaCount": 2}]
    protos.from_json({"workerPoolSpecs": pools}, job.trial_job_spec)
    protos.from_json(spec, job.study_spec)
    record: Any = Record(trial)
    custom_jobs: Any = CustomJobs(folder, reports)
    search: Any = Search()
    asyncio.run(TrialRun(record, job, trial, custom_jobs, search).run())
    return list(record.lines)


def test_a_rerun_adds_to_the_steps_that_the_trial_had_measured(tmp_path: Path) -> None:
    trial = protos.Trial(id="1", state=protos.TrialState.ACTIVE)
    trial.measurements.append(study_rules.measurement(1, {"score": 0.5, "loss": 2.0}, 1.0))
    ended(tmp_path, trial, [{CHIEF: {"score": "0.75", "global_step": "1"}}])
    found = {one.metric_id: one.value for one in trial.final_measurement.metrics}
    assert found == {"score": 0.75, "loss": 2.0}


def test_a_lost_search_costs_no_report_and_is_said_once(tmp_path: Path) -> None:
    trial = protos.Trial(id="1", state=protos.TrialState.ACTIVE)
    reports = [{CHIEF: {"score": "1", "loss": "1", "global_step": str(step)}} for step in (1, 2, 3)]
    lines = ended(tmp_path, trial, reports)
    assert [one.step_count for one in trial.measurements] == [1, 2, 3]
    assert lines == [
        "The trial was not judged for early stopping: the search process has ended; it goes on."
    ]


def test_the_chiefs_value_counts_before_anothers_who_is_named_once(tmp_path: Path) -> None:
    trial = protos.Trial(id="1", state=protos.TrialState.ACTIVE)
    both = {"loss": "1", "global_step": "1"}
    reports = [
        {CHIEF: {"score": "0.75", **both}, WORKER: {"score": "0.5", **both}},
        {WORKER: {"score": "0.25", "loss": "1", "other": "1", "global_step": "2"}},
    ]
    lines = ended(tmp_path, trial, reports)
    found = {
        one.step_count: {metric.metric_id: metric.value for metric in one.metrics}
        for one in trial.measurements
    }
    assert (found, lines) == (
        {1: {"score": 0.75, "loss": 1.0}, 2: {"score": 0.25, "loss": 1.0}},
        [
            "The trial was not judged for early stopping: the search process has ended; it goes "
            "on.",
            "The metric 'other' was reported but is not one of the study's (loss, score); it is "
            "ignored.",
            "workerpool1-1 reported loss, other, score, beside the chief (workerpool0-0). Let the "
            "chief alone report, as vertex_jobs.runtime.metrics does: which of several values for "
            "one step counts on Vertex AI is not documented. Here it is the chief's.",
        ],
    )
