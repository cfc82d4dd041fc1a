"""Handles: the semantics of futures, over prepared answers and a clock that sleeping moves."""

import asyncio
import concurrent.futures

import pytest

from vertex_jobs.client import JobHandle, Timing, as_completed
from vertex_jobs.client.curve_reading import CurveReader
from vertex_jobs.client.job_calls import Jobs
from vertex_jobs.client.log_reading import LogReader
from vertex_jobs.errors import JobFailedError, JobNotFoundError, UnsupportedHereError
from vertex_jobs.study import Study

PARENT = "projects/p/locations/us-central1"
EXITED = "The replica workerpool0-0 exited with a non-zero status of 1. Termination reason: Error."


def job(state, collection="customJobs", job_id=7, **more):
    prefix = "PIPELINE_STATE" if collection == "trainingPipelines" else "JOB_STATE"
    name = f"{PARENT}/{collection}/{job_id}"
    return {"name": name, "displayName": "digits", "state": f"{prefix}_{state}", **more}


def lines(*texts):
    """A page of the log, newest first, as a tail asks for it."""
    entries = [
        {"timestamp": "2026-01-01T00:00:00Z", "insertId": str(n), "textPayload": text}
        for n, text in enumerate(texts)
    ]
    return {"entries": entries[::-1]}


@pytest.fixture
def attach(canned, connection, time):
    """Makes a handle on a job as first seen, whose endpoint then gives these answers."""
    opened = []

    def attach(seen, *answers):
        address = canned(
            *(answer if isinstance(answer, tuple) else (200, answer) for answer in answers)
        )
        jobs, reader = (
            Jobs(connection(address.url)),
            LogReader(connection(address.url), time.timing),
        )
        opened.extend((jobs, reader))
        curves = CurveReader(connection(address.url))
        return JobHandle(seen, jobs, reader, curves, time.timing), address

    yield attach
    for each in opened:
        each.close()


class TestResult:
    def test_a_custom_job_gives_itself_as_it_ended(self, attach):
        handle, _ = attach(job("PENDING"), job("RUNNING"), job("SUCCEEDED"))
        assert handle.result().state == "JOB_STATE_SUCCEEDED"

    def test_a_tuning_job_gives_its_study(self, attach):
        ended = job("SUCCEEDED", "hyperparameterTuningJobs", trials=[{"id": "1"}])
        result = attach(job("PENDING", "hyperparameterTuningJobs"), ended)[0].result()
        assert result == Study.from_resource(ended)

    def test_a_training_job_gives_its_model(self, attach):
        model = {"name": f"{PARENT}/models/5", "versionId": "1"}
        ended = job("SUCCEEDED", "trainingPipelines", modelToUpload=model)
        handle, _ = attach(ended, {**model, "displayName": "digits-model"})
        assert handle.result()["displayName"] == "digits-model"

    def test_a_training_job_without_a_model_gives_none(self, attach):
        assert attach(job("SUCCEEDED", "trainingPipelines"))[0].result() is None

    def test_an_ended_job_is_not_asked_about_again(self, attach):
        handle, address = attach(job("SUCCEEDED"))
        handle.result()
        assert address.requests == []

    def test_a_failed_job_raises_with_the_lines_of_its_replica(self, attach):
        failed = job("FAILED", error={"code": 3, "message": EXITED})
        handle, _ = attach(failed, lines("Traceback", "ValueError: x"))
        with pytest.raises(JobFailedError) as caught:
            handle.result()
        assert (caught.value.replica, caught.value.last_lines) == (
            "workerpool0-0",
            ("Traceback", "ValueError: x"),
        )

    def test_a_log_that_cannot_be_read_does_not_hide_the_failure(self, attach):
        failed = job("FAILED", error={"code": 3, "message": EXITED})
        refusal = 403, {"error": {"message": "no", "status": "PERMISSION_DENIED"}}
        with pytest.raises(JobFailedError, match=r"\(the log could not be read: 403 PERMISSION"):
            attach(failed, refusal)[0].result()

    def test_a_time_out_leaves_the_job_running(self, attach):
        handle, address = attach(job("PENDING"), *[job("RUNNING")] * 9)
        with pytest.raises(concurrent.futures.TimeoutError):
            handle.result(timeout=5)
        assert {method for method, *_ in address.requests} == {"GET"}

    def test_it_can_be_awaited(self, attach):
        handle, _ = attach(job("PENDING"), job("SUCCEEDED"))

        async def wait():
            return await handle

        assert asyncio.run(wait()).succeeded


class TestException:
    def test_a_success_has_none(self, attach):
        assert attach(job("PARTIALLY_SUCCEEDED"))[0].exception() is None

    def test_a_failure_is_returned(self, attach):
        assert isinstance(attach(job("EXPIRED"), lines())[0].exception(), JobFailedError)

    def test_a_cancelled_job_raises_as_a_future_does(self, attach):
        with pytest.raises(concurrent.futures.CancelledError):
            attach(job("CANCELLED"), lines())[0].exception()


class TestState:
    def test_it_is_asked_for_each_time(self, attach):
        handle, _ = attach(job("PENDING"), job("RUNNING"), job("SUCCEEDED"))
        assert (handle.state, handle.state) == ("JOB_STATE_RUNNING", "JOB_STATE_SUCCEEDED")

    @pytest.mark.parametrize(
        ("state", "collection", "running"),
        [
            ("RUNNING", "customJobs", True),
            ("RUNNING", "trainingPipelines", True),
            ("PENDING", "customJobs", False),
            ("SUCCEEDED", "customJobs", False),
        ],
    )
    def test_running_is_one_state(self, attach, state, collection, running):
        handle, _ = attach(job("QUEUED", collection), job(state, collection))
        assert handle.running() is running

    def test_cancelled_is_known_without_asking_again(self, attach):
        assert attach(job("CANCELLED"))[0].cancelled()

    def test_a_job_that_is_gone_is_not_found(self, attach):
        with pytest.raises(JobNotFoundError, match="does not exist"):
            _ = attach(job("RUNNING"), (404, {}))[0].state

    def test_short_trouble_is_passed_over(self, attach, time):
        handle, _ = attach(job("PENDING"), (503, {}), (503, {}), job("RUNNING"))
        assert (handle.state, time.slept) == ("JOB_STATE_RUNNING", [0.2, 0.4])

    def test_it_shows_what_was_last_seen(self, attach):
        handle, _ = attach(job("PENDING"))
        assert repr(handle) == f"<custom_job 'digits' JOB_STATE_PENDING {PARENT}/customJobs/7>"


class TestCancel:
    def test_a_running_job_is_asked_to_end(self, attach):
        handle, address = attach(job("PENDING"), job("RUNNING"), {})
        assert (handle.cancel(), ":cancel?" in address.requests[-1][1]) == (True, True)

    def test_an_ended_job_is_left_alone(self, attach):
        handle, address = attach(job("RUNNING"), job("SUCCEEDED"))
        assert (handle.cancel(), len(address.requests)) == (False, 1)


class TestLogs:
    def test_following_ends_with_the_job(self, attach):
        first, second = lines("a"), lines("a", "b")
        handle, _ = attach(job("RUNNING"), job("RUNNING"), first, job("SUCCEEDED"), second, lines())
        assert [entry.text for entry in handle.logs(follow=True)] == ["a", "b"]

    def test_a_pipeline_without_a_backing_job_yet_has_no_lines(self, attach):
        pipeline = job("PENDING", "trainingPipelines")
        assert list(attach(pipeline, pipeline)[0].logs()) == []


class TestTrials:
    def test_they_are_the_trials_now(self, attach):
        tuning = job("RUNNING", "hyperparameterTuningJobs")
        handle, _ = attach(tuning, {**tuning, "trials": [{"id": "1", "state": "ACTIVE"}]})
        assert [trial.state for trial in handle.trials] == ["ACTIVE"]

    def test_a_custom_job_has_none(self, attach):
        with pytest.raises(UnsupportedHereError, match="which has no trials"):
            _ = attach(job("RUNNING"), job("RUNNING"))[0].best_trial


class TestAsCompleted:
    def test_they_come_in_the_order_of_their_ends(self, attach, time):
        slow, _ = attach(job("RUNNING"), job("RUNNING"), job("RUNNING"), job("SUCCEEDED"))
        fast, _ = attach(job("RUNNING", job_id=8), job("RUNNING"), job("FAILED", job_id=8))
        found = list(as_completed([slow, fast], timing=time.timing))
        assert found == [fast, slow]

    def test_the_time_out_names_what_goes_on(self, attach, time):
        handle, _ = attach(job("RUNNING"), *[job("RUNNING")] * 9)
        with pytest.raises(
            concurrent.futures.TimeoutError,
            match=r"1 jobs have not ended in time; they go on: projects/.*/7",
        ):
            list(as_completed([handle], timeout=3, timing=time.timing))

    def test_of_nothing_is_nothing(self):
        assert list(as_completed([], timeout=0, timing=Timing())) == []
