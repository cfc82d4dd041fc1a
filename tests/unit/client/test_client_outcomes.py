"""What a job's resource says about its end."""

import concurrent.futures
from typing import ClassVar

import pytest

from vertex_jobs.client.log_lines import LogSource, log_filter
from vertex_jobs.client.outcomes import culprit, failure, is_short
from vertex_jobs.client.remedies import remedy_for
from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.errors import JobFailedError, UnsupportedHereError

PARENT = "projects/p/locations/us-central1"
EXITED = "The replica workerpool1-2 exited with a non-zero status of 1. Termination reason: Error."


def snapshot(collection="customJobs", state="JOB_STATE_FAILED", **more):
    return Snapshot({"name": f"{PARENT}/{collection}/7", "state": state, **more})


class TestFailure:
    def test_it_names_replica_lines_and_remedy(self):
        error = failure(snapshot(error={"code": 3, "message": EXITED}), ("ValueError: x",))
        assert str(error) == (
            f"{PARENT}/customJobs/7 ended as JOB_STATE_FAILED: {EXITED}\n"
            "last lines of workerpool1-2:\n"
            "  ValueError: x\n"
            "The training code failed: read its output with vertex-jobs logs 7."
        )

    def test_a_job_without_an_error_says_that_none_was_given(self):
        error = failure(snapshot(state="JOB_STATE_FAILED"))
        assert str(error).endswith("ended as JOB_STATE_FAILED: the service gave no reason")

    def test_a_job_that_expired_has_found_no_machines(self):
        error = failure(snapshot(state="JOB_STATE_EXPIRED"))
        assert error.message == "no machines were found within its max_wait_duration"

    @pytest.mark.parametrize("state", ["JOB_STATE_CANCELLED", "PIPELINE_STATE_CANCELLED"])
    @pytest.mark.parametrize("caught", [JobFailedError, concurrent.futures.CancelledError])
    def test_a_cancelled_job_is_a_failed_job_and_a_cancelled_future(self, state, caught):
        assert isinstance(failure(snapshot(state=state)), caught)

    def test_the_remedy_may_come_from_the_log(self):
        message = "The trial failed."
        error = failure(
            snapshot(error={"message": message}),
            ("Replicas low on memory: workerpool0. Specify a machine with larger memory",),
        )
        assert error.remedy.startswith("Choose a machine type with more memory")

    def test_a_tuning_job_names_the_trial_that_failed_first_and_no_cancelled_one(self):
        trials = [
            {"id": "1", "infeasibleReason": "CANCELED", "endTime": "2026-01-01T00:00:01Z"},
            {"id": "2", "infeasibleReason": EXITED, "endTime": "2026-01-01T00:00:09.5Z"},
            {"id": "3", "infeasibleReason": EXITED, "endTime": "2026-01-01T00:00:09Z"},
            {"id": "4", "infeasibleReason": "CANCELED", "endTime": "2026-01-01T00:00:10Z"},
        ]
        error = failure(
            snapshot("hyperparameterTuningJobs", error={"message": "Too many."}, trials=trials)
        )
        assert (error.trial, error.origin) == ("3", "trial 3, workerpool1-2")

    def test_of_trials_that_ended_in_one_second_the_services_is_named(self):
        ended = {"endTime": "2026-01-01T00:00:09Z"}
        trials = [
            {"id": "1", "infeasibleReason": "no metric", **ended},
            {"id": "2", "infeasibleReason": EXITED, **ended},
        ]
        message = f"2 trials failed: {EXITED}"
        cause = culprit(
            snapshot("hyperparameterTuningJobs", error={"message": message}, trials=trials)
        )
        assert (cause.trial, cause.message) == ("2", message)

    def test_a_trial_whose_job_is_not_named_is_found_by_its_label(self):
        trials = [{"id": "5", "infeasibleReason": EXITED}]
        cause = culprit(snapshot("hyperparameterTuningJobs", trials=trials))
        assert (cause.job_ids, cause.source) == (("7",), LogSource("workerpool1-2", "5"))

    def test_a_tuning_job_names_its_infeasible_trial(self):
        trials = [
            {"id": "1", "infeasibleReason": EXITED, "customJob": f"{PARENT}/customJobs/11"},
            {"id": "2"},
        ]
        cause = culprit(
            snapshot("hyperparameterTuningJobs", error={"message": "Too many."}, trials=trials)
        )
        assert (cause.replica, cause.job_ids, cause.message) == (
            "workerpool1-2",
            ("7", "11"),
            f"Too many. (trial 1: {EXITED})",
        )


#: Source: log of a real job, February 2026, public text, source not named; shortened.
TRACED = (
    "The replica workerpool0-0 exited with a non-zero status of 1. Termination reason: Error. \n"
    "Traceback (most recent call last):\n"
    '  File "/root/.local/lib/python3.10/site-packages/trainer/task.py", line 293, in main\n'
    "    model = build()\n"
    "ModuleNotFoundError: No module named 'ultralytics'\n"
    "\n"
    "To find out more about why your job exited please check the logs: https://console.cloud."
    "google.com/logs/viewer?project=6&resource=ml_job%2Fjob_id%2F7"
)


class TestServiceErrors:
    def test_the_services_words_stand_alone(self):
        error = failure(snapshot(error={"code": 3, "message": TRACED}), ("a line of the log",))
        assert (error.message, error.last_lines) == (
            "The replica workerpool0-0 exited with a non-zero status of 1. "
            "Termination reason: Error.",
            ("a line of the log",),
        )

    def test_its_traceback_stands_for_a_log_that_cannot_be_read(self):
        error = failure(snapshot(error={"code": 3, "message": TRACED}))
        assert (error.last_lines[-1], error.remedy[:26]) == (
            "ModuleNotFoundError: No module named 'ultralytics'",
            "The package does not bring",
        )

    def test_a_quota_in_the_programs_own_words_is_not_the_services(self):
        message = TRACED.replace("No module named 'ultralytics'", "Quota exceeded for BigQuery")
        assert not is_short(snapshot(error={"code": 3, "message": message}))

    def test_without_a_traceback(self):
        message = TRACED.partition(" Termination")[0] + " To find" + TRACED.partition("To find")[2]
        error = failure(snapshot(error={"code": 3, "message": message}))
        assert (error.message, error.last_lines) == (
            "The replica workerpool0-0 exited with a non-zero status of 1.",
            (),
        )


class TestTimeLimit:
    """Source: tensorflow/tfx issue 6223: a job over its time limit is shown as cancelled."""

    TIMES: ClassVar = {"startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T01:00:00Z"}

    @pytest.mark.parametrize(
        ("timeout", "limit"), [("3600s", True), ("3601s", True), ("3700s", False), (None, False)]
    )
    def test_a_job_that_ran_as_long_as_it_may(self, timeout, limit):
        spec = {"scheduling": {"timeout": timeout}} if timeout else {}
        error = failure(snapshot(state="JOB_STATE_CANCELLED", jobSpec=spec, **self.TIMES))
        text = "it was cancelled"
        if limit:
            text += f" at its time limit: it ran longer than its timeout of {timeout[:-1]} s"
        assert (error.message, bool(error.remedy)) == (text, limit)

    def test_a_study_has_none(self):
        spec = {"scheduling": {"timeout": "60s"}}
        state = {"state": "JOB_STATE_CANCELLED", "trialJobSpec": spec, **self.TIMES}
        assert failure(snapshot("hyperparameterTuningJobs", **state)).message == "it was cancelled"


class TestRemedies:
    @pytest.mark.parametrize(
        ("message", "start"),
        [
            (
                "The following quota metrics exceed quota limits: "
                "aiplatform.googleapis.com/custom_model_training_cpus",
                "Quota is short",
            ),
            (
                "Resources are insufficient in region: us-central1. Try a different region or "
                "use a different accelerator.",
                "The location has run out",
            ),
            (
                "You do not have permission to act as service_account: x. (or it may not exist).",
                "Give yourself the role roles/iam.serviceAccountUser",
            ),
            ('Machine type "a2-highgpu-1g" is not supported.', "Choose a machine type that"),
            (
                'Accelerator "NVIDIA_TESLA_K80" is not supported for machine type "n1-standard-4"',
                "Choose an accelerator, count and machine type that fit",
            ),
            ("Invalid image URI", "Name an image in Artifact Registry"),
            (
                "The replica workerpool0-0 ran out of memory and exited with a non-zero status "
                "of 137.",
                "Choose a machine type with more memory",
            ),
            (
                "The replica workerpool0-0 exited with a non-zero status of 2. Termination",
                "Exit status 2 is argparse's",
            ),
            (
                "The replica workerpool0-0 exited with a non-zero status of 139.",
                "The process aborted or crashed outside Python",
            ),
            (EXITED, "The training code failed"),
            ("Internal error occurred for the current attempt", "The service failed"),
        ],
    )
    def test_the_services_known_texts_have_one(self, message, start):
        assert remedy_for(message).startswith(start)

    @pytest.mark.parametrize(
        ("line", "start"),
        [
            ("ModuleNotFoundError: No module named 'helpers'", "The package does not bring"),
            ("OSError: [Errno 28] No space left on device", "The boot disk is full"),
            (
                "ResourceExhaustedError: OOM when allocating tensor with shape[64,512]",
                "The accelerator's memory is full",
            ),
            (
                "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 7 TiB",
                "Choose a mach",
            ),
            ("train.py: error: unrecognized arguments: --lr=0.84", "The script was given a flag"),
            (
                "google.api_core.exceptions.Forbidden: 403 GET https://storage.googleapis.com/b",
                "Give the job's service account roles/storage.objectAdmin",
            ),
            (
                "ERROR: No matching distribution found for numpy==2.4.0",
                "A requirement has no release for the image's Python",
            ),
        ],
    )
    def test_a_programs_own_last_line_tells_more_than_its_exit(self, line, start):
        assert remedy_for(EXITED, output=["epoch 1", line, ""]).startswith(start)

    def test_the_last_line_that_says_something_counts(self):
        lines = ["No module named 'apex': ImportError", "OSError: No space left on device"]
        assert remedy_for(EXITED, output=lines).startswith("The boot disk is full")

    def test_the_services_own_cause_comes_before_the_programs(self):
        message = "Resources are insufficient in region: us-central1."
        assert remedy_for(message, output=["MemoryError"]).startswith("The location has run out")

    @pytest.mark.parametrize(
        ("message", "start"),
        [
            ("The job ran longer than its timeout of 60 s.", "Give the job a longer timeout"),
            (
                "The trial ended without a complete measurement of accuracy; it reported nothing.",
                "Report the metric under the name",
            ),
            (
                "The trial ended without a complete measurement of loss; it reported loss (not a "
                "number (NaN), first at step 3).",
                "The metric was reported under its name, but is not finite",
            ),
            (
                "Permission 'iam.serviceAccounts.getAccessToken' denied on resource",
                "Give yourself the role roles/iam.serviceAccountTokenCreator",
            ),
            (
                "The aiplatform.googleapis.com API requires a quota project",
                "Name a quota project that you may use",
            ),
        ],
    )
    def test_causes_beyond_the_documented_texts_have_one(self, message, start):
        assert remedy_for(message).startswith(start)

    def test_an_unknown_text_has_none(self):
        assert remedy_for("Something new.") == ""

    def test_the_code_speaks_where_the_text_does_not(self):
        assert remedy_for("no", 401) == "Sign in with: gcloud auth application-default login."


class TestLogIds:
    def test_a_custom_job_logs_under_its_own_id(self):
        assert snapshot().log_job_ids == ("7",)

    def test_a_pipeline_logs_under_its_backing_job(self):
        backing = {"backingCustomJob": f"{PARENT}/customJobs/9"}
        pipeline = snapshot("trainingPipelines", trainingTaskMetadata=backing)
        assert pipeline.log_job_ids == ("9",)

    def test_a_pipeline_without_one_yet_has_no_log(self):
        assert snapshot("trainingPipelines").log_job_ids == ()

    def test_a_tuning_job_logs_under_its_trials_too(self):
        trials = [{"id": "1"}, {"id": "2", "customJob": f"{PARENT}/customJobs/12"}]
        tuning = snapshot("hyperparameterTuningJobs", trials=trials)
        assert tuning.log_job_ids == ("7", "12")


class TestTrialsLines:
    """They are in its tuning job's log or, should the service name one, in its own job's."""

    def filters(self, **trial):
        tuning = snapshot("hyperparameterTuningJobs", trials=[{"id": "2", **trial}])
        ids, source = tuning.log_source(trial="2")
        return log_filter(ids, source)

    def test_they_are_found_by_the_label_that_gcloud_reads(self):
        assert self.filters() == (
            'resource.type="ml_job" AND resource.labels.job_id="7" AND '
            '(labels."trial_id"="2" OR labels."ml.googleapis.com/trial_id"="2")'
        )

    def test_they_are_found_by_the_custom_job_as_well(self):
        assert self.filters(customJob=f"{PARENT}/customJobs/12") == (
            'resource.type="ml_job" AND '
            '(resource.labels.job_id="7" OR resource.labels.job_id="12") AND '
            '(labels."trial_id"="2" OR labels."ml.googleapis.com/trial_id"="2" OR '
            'resource.labels.job_id="12")'
        )

    def test_of_two_that_failed_in_one_second_the_job_names_the_first(self):
        end = "2026-01-01T00:00:05Z"
        trials = [
            {"id": number, "infeasibleReason": EXITED, "endTime": end} for number in ("1", "2")
        ]
        error = {"message": f"2 of the 2 trials failed. Trial 2 failed first: {EXITED}"}
        failed = snapshot("hyperparameterTuningJobs", error=error, trials=trials)
        assert culprit(failed).trial == "2"


class TestPackageUri:
    POOLS = ({"pythonPackageSpec": {"packageUris": ["gs://bkt/p.tar.gz"]}},)

    @pytest.mark.parametrize(
        ("collection", "key"),
        [
            ("customJobs", "jobSpec"),
            ("hyperparameterTuningJobs", "trialJobSpec"),
            ("trainingPipelines", "trainingTaskInputs"),
        ],
    )
    def test_each_kind_keeps_it_elsewhere(self, collection, key):
        found = snapshot(collection, **{key: {"workerPoolSpecs": self.POOLS}}).package_uri
        assert found == "gs://bkt/p.tar.gz"

    def test_other_clients_spell_a_pipelines_inputs_in_snake_case(self):
        pools = [{"python_package_spec": {"package_uris": ["gs://bkt/p.tar.gz"]}}]
        inputs = {"worker_pool_specs": pools}
        found = snapshot("trainingPipelines", trainingTaskInputs=inputs).package_uri
        assert found == "gs://bkt/p.tar.gz"

    def test_a_container_job_has_none(self):
        pools = [{"containerSpec": {"imageUri": "x"}}]
        assert snapshot(jobSpec={"workerPoolSpecs": pools}).package_uri is None


class TestSnapshot:
    def test_trials_are_counted_by_state(self):
        trials = [{"state": "SUCCEEDED"}, {"state": "ACTIVE"}, {"state": "SUCCEEDED"}]
        tuning = snapshot("hyperparameterTuningJobs", trials=trials)
        assert tuning.trial_counts == {"SUCCEEDED": 2, "ACTIVE": 1}

    def test_the_best_so_far_is_none_without_one(self):
        assert snapshot("hyperparameterTuningJobs").best_so_far is None

    def test_a_custom_job_has_no_study(self):
        with pytest.raises(UnsupportedHereError, match="is a custom_job, which has no trials"):
            _ = snapshot().study

    @pytest.mark.parametrize("state", ["JOB_STATE_SUCCEEDED", "JOB_STATE_PARTIALLY_SUCCEEDED"])
    def test_results_in_part_are_a_success(self, state):
        assert snapshot(state=state).succeeded

    def test_an_answer_without_a_state_ends_nothing(self):
        assert not Snapshot({"name": f"{PARENT}/customJobs/7"}).done

    def test_code_one_is_kept_with_its_message(self):
        assert snapshot(error={"code": 1, "message": "CANCELLED"}).error == (1, "CANCELLED")
