"""What a trial's controller makes of reports, with a stand-in for the trial's custom job."""

import asyncio
import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf import timestamp_pb2

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers import trial as controller
from vertex_jobs.emulator.resources import states, study
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.emulator.resources.job_settings import JobSettings
from vertex_jobs.emulator.study_search.search_client import SearchFailedError

PARENT = "projects/1/locations/us-central1"


class Search:
    """One whose process is lost at every question."""

    async def judge(self, *_: Any) -> Any:
        raise SearchFailedError("the search process has ended")


def ended(
    folder: Path, monkeypatch: pytest.MonkeyPatch, trial: protos.Message, reports: list[Any]
) -> list[str]:
    """Let the trial run, one report after another; answers its log."""
    lines: list[str] = []
    spec = {
        "metrics": [{"metricId": "score"}, {"metricId": "loss"}],
        "medianAutomatedStoppingSpec": {},
    }
    job = protos.HyperparameterTuningJob(name=f"{PARENT}/hyperparameterTuningJobs/5")
    protos.from_json(spec, job.study_spec)
    trial.custom_job = f"{PARENT}/customJobs/7"
    resources = {"customJobs": protos.CustomJob(), "hyperparameterTuningJobs": job}
    machinery: Any = SimpleNamespace(
        work_folder=folder,
        search=Search(),
        identity=SimpleNamespace(now=timestamp_pb2.Timestamp),
        service_line=lambda _, text, severity: lines.append(text),
        store=SimpleNamespace(
            load=lambda collection, *_, **__: resources[collection],
            save=lambda _: None,
            save_trial=lambda *_, **__: None,
            trials=lambda _: [trial],
            transaction=nullcontext,
        ),
    )

    class Replica:
        def __init__(self, *_: Any, trial: Any, before_end: Any, **__: Any) -> None:
            self.path, self.before_end = trial.metric_file, before_end

        async def run(self) -> None:
            for report in reports:
                self.path.write_text(json.dumps(report))
                await asyncio.sleep(0.2)
            self.before_end(Ending(states.SUCCEEDED))

        def handle_step(self, step: int) -> None:
            pass

    monkeypatch.setattr(controller, "CustomJobRun", Replica)
    asyncio.run(controller.TrialRun(machinery, job, trial, JobSettings.read({})).run())
    return lines


def test_a_rerun_adds_to_the_steps_that_the_trial_had_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = protos.Trial(id="1", state=protos.TrialState.ACTIVE)
    trial.measurements.append(study.measurement(1, {"score": 0.5, "loss": 2.0}, 1.0))
    ended(tmp_path, monkeypatch, trial, [{"score": "0.75", "global_step": "1"}])
    found = {one.metric_id: one.value for one in trial.final_measurement.metrics}
    assert found == {"score": 0.75, "loss": 2.0}


def test_a_lost_search_costs_no_report_and_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = protos.Trial(id="1", state=protos.TrialState.ACTIVE)
    reports = [{"score": "1", "loss": "1", "global_step": str(step)} for step in (1, 2, 3)]
    lines = ended(tmp_path, monkeypatch, trial, reports)
    assert [one.step_count for one in trial.measurements] == [1, 2, 3]
    assert lines == [
        "The trial was not judged for early stopping: the search process has ended; it goes on."
    ]
