"""What Local Vertex takes to be true of Vertex AI, how each statement is known, and what holds it.

The material of ``docs/fidelity.md``. A statement is ``recorded``, ``seen``, ``documented`` or
``ours``, whichever is first of these; ``QUESTIONS`` are what a run against the live service should
settle, the most important first.
"""

from dataclasses import dataclass

__all__ = ["FACTS", "KNOWN", "QUESTIONS", "Fact", "Question"]

#: How a statement can be known, the surest first, and what the word means.
KNOWN = {
    "recorded": "a published recording holds the request and the service's answer; `make replay` "
    "sends the request again and compares",
    "seen": "in a saved output of a public notebook, in a published log or error report, or in a "
    "client of Google's that was run here",
    "documented": "an official page, a comment of a proto, or the source of a Google library or "
    "sample says so",
    "ours": "nothing public says it: our choice, in one place of the code that a real run can "
    "correct",
}


@dataclass(frozen=True)
class Fact:
    """One statement about the service.

    Attributes:
        area: Heading of the table that it stands in.
        known: How it is known, a key of ``KNOWN``.
        text: The behaviour.
        source: A public page, proto message, issue, repository or library; of ours the module below
            ``vertex_jobs`` and the name in it that decides.
        test: Where it is held, ``folder/module::[Class::]test`` below ``tests``; empty only for
            ours, where nothing can be held.
    """

    area: str
    known: str
    text: str
    source: str
    test: str


@dataclass(frozen=True)
class Question:
    """What one run against the live service settles.

    Attributes:
        text: What is not known surely.
        here: What Local Vertex does until then.
        test: The contract test that asks the service.
    """

    text: str
    here: str
    test: str


def _area(area: str, *rows: tuple[str, str, str, str]) -> tuple[Fact, ...]:
    return tuple(Fact(area, *row) for row in rows)


_RESOURCES = _area(
    "Resources and requests",
    (
        "seen",
        "Names in answers carry the project's number; ids are numeric.",
        "published log of a job, February 2026",
        "contract/test_job_service::test_names_carry_the_project_number_and_a_numeric_id",
    ),
    (
        "recorded",
        "A created job is PENDING. It is echoed as it was sent, with the boot disk (pd-ssd, 100 "
        "GB) of each pool, that of a tuning job's trials too, and no other default.",
        "GoogleCloudPlatform/k8s-config-connector, _http.log of vertexaicustomjob; "
        "GoogleCloudPlatform/vertex-ai-samples, migration/UJ2, UJ9, UJ10, UJ11",
        "contract/test_replay::test_answers_are_as_recorded",
    ),
    (
        "ours",
        "A pipeline's trainingTaskInputs are echoed without a boot disk; its custom job has one.",
        "emulator.resources.service_values:fill_boot_disks",
        "contract/test_pipeline_service::test_inputs_come_back_in_the_apis_spelling",
    ),
    (
        "recorded",
        "The operation that makes a dataset gives it with a system label and the schema of its "
        "items, without times.",
        "GoogleCloudPlatform/vertex-ai-samples, migration/UJ1, UJ5, UJ6, UJ7, UJ8, UJ14, UJ15",
        "contract/test_replay::test_answers_are_as_recorded",
    ),
    (
        "seen",
        "What does not exist is `The Model does not exist.`, without the name; that other kinds "
        "have the same is our reading.",
        "googleapis/python-aiplatform#6581",
        "contract/test_replay::test_answers_are_as_recorded",
    ),
    (
        "recorded",
        "The operation that makes a TensorBoard is named below it, and gives it with its labels, "
        "without times, etag and bucket. Those that change or delete it are named below the "
        "region, that of an experiment's deletion below the TensorBoard.",
        "GoogleCloudPlatform/k8s-config-connector, _http.log of vertexaitensorboardexperiment, "
        "commit bccf321843; of vertexaitensorboard, commit 87393b058a",
        "contract/test_replay::test_answers_are_as_recorded",
    ),
    (
        "recorded",
        "An experiment of a TensorBoard that does not exist is `TensorboardExperiment NAME is not "
        "found.`, the name as it was sent; that a TensorBoard has the same words is our reading.",
        "GoogleCloudPlatform/k8s-config-connector, _http.log of vertexaitensorboardexperiment, "
        "commit bccf321843",
        "contract/test_replay::test_answers_are_as_recorded",
    ),
    (
        "documented",
        "One TensorBoard of a project and region is the default; to mark one unmarks the others.",
        "Tensorboard proto",
        "contract/test_tensorboards_service::test_only_one_is_the_default",
    ),
    (
        "documented",
        "The service uploads what a job writes below AIP_TENSORBOARD_LOG_DIR into the TensorBoard "
        "that it names. Here the name is stored and nothing is uploaded: the logs lie in the "
        "bucket, and `vertex-jobs tensorboard JOB` shows them. Runs, time series and their data "
        "are refused by name.",
        "CustomJobSpec proto",
        "contract/test_tensorboards_service::test_what_holds_data_is_refused_by_name",
    ),
    (
        "ours",
        "A job may name a TensorBoard that does not exist.",
        "emulator.resources.validation:_check_references",
        "contract/test_tensorboards_service::test_a_job_may_name_a_board",
    ),
    (
        "ours",
        "An update with the etag of an earlier state of a TensorBoard is 409, ABORTED.",
        "emulator.resources.tensorboard_values:check_etag",
        "contract/test_tensorboards_service::test_an_etag_of_before_a_change_is_refused",
    ),
    (
        "ours",
        "A TensorBoard is deleted with its experiments.",
        "emulator.services.tensorboard_service:TensorboardService",
        "contract/test_tensorboards_service::test_an_experiment_goes_with_its_board",
    ),
    (
        "recorded",
        "A name whose id is no number is 400, `Invalid CustomJob resource name.`, of a study `The "
        "study ID must be a number.`; other kinds in their own words are our reading.",
        "GoogleCloudPlatform/k8s-config-connector, _http.log of vertexaicustomjob, vertexaistudy",
        "contract/test_replay::test_answers_are_as_recorded",
    ),
    (
        "recorded",
        "Answers carry `Server: ESF`, `Vary`, and headers for browsers.",
        "GoogleCloudPlatform/k8s-config-connector, _http.log of vertexaicustomjob",
        "contract/test_replay::test_answers_are_as_recorded",
    ),
    (
        "recorded",
        "A create takes any image of Docker Hub or Artifact Registry.",
        "GoogleCloudPlatform/k8s-config-connector, _http.log of vertexaicustomjob",
        "contract/test_replay::test_answers_are_as_recorded",
    ),
    (
        "ours",
        "An image that nothing on this machine stands for fails its job when it starts, in words "
        "of our own.",
        "emulator.replicas.tasks:NoProgramError",
        "contract/test_recorded_jobs::test_the_same_job_fails_here_when_it_starts",
    ),
    (
        "seen",
        "With enableWebAccess a running job has an address for each replica. Here it has the "
        "service's form, and nothing answers there.",
        "GoogleCloudPlatform/vertex-ai-samples, history of "
        "sdk_pytorch_torchrun_custom_container_training_imagenet.ipynb",
        "contract/test_recorded_jobs::test_web_shells",
    ),
    (
        "seen",
        "createTime, startTime (first time RUNNING), endTime and updateTime are in order; "
        "startTime and endTime are whole seconds. That they are rounded up is our choice.",
        "GoogleCloudPlatform/training-data-analyst, mobile_gaming_feature_store.ipynb",
        "contract/test_recorded_jobs::test_times_of_a_finished_job",
    ),
    (
        "documented",
        "A display name has at most 128 characters; a machine type is required.",
        "CustomJob and MachineSpec protos",
        "contract/test_job_service::test_every_fault_is_in_one_answer",
    ),
    (
        "seen",
        "All faults come in one answer, `List of found errors:`, a tab before each number and one "
        "at the end, and as google.rpc.BadRequest.",
        "refused persistent resource of July 2024, public text, source not named",
        "contract/test_refusals::test_faults_are_details_too",
    ),
    (
        "seen",
        "Labels have one fault with one text: 63 characters, 127 bytes, keys that start with a "
        "letter or digit. Seen of persistent resources; that jobs have the same is our reading.",
        "refused persistent resource of July 2024, public text, source not named",
        "contract/test_refusals::test_labels_have_one_text",
    ),
    (
        "ours",
        "Over gRPC a refusal above 4 KB is cut, and details that do not fit are left out.",
        "emulator.fronts.grpc_refusals",
        "contract/test_refusals::test_a_long_refusal_is_still_the_same_error",
    ),
    (
        "documented",
        "Lists take filters (display name, state, creation time, labels), and pages with tokens. "
        "Filters on other fields are taken here too; the server's log says that Vertex AI may "
        "refuse them.",
        "ListCustomJobsRequest proto; AIP-160",
        "contract/test_job_service::test_list_filters_and_pages",
    ),
    (
        "documented",
        "A read mask leaves the other fields out.",
        "ListCustomJobsRequest proto; AIP-157",
        "contract/test_job_service::test_a_read_mask_leaves_the_rest_out",
    ),
    (
        "documented",
        "A create has no request id: sent twice, it makes two jobs.",
        "CreateCustomJobRequest proto",
        "contract/test_job_service::test_concurrent_creates_are_all_kept",
    ),
    (
        "documented",
        "A delete is a long-running operation.",
        "JobService proto",
        "contract/test_operations_service::test_a_delete_is_an_operation_as_well",
    ),
    (
        "documented",
        "trainingTaskInputs come back in camelCase, whichever spelling was sent.",
        "Vertex AI samples that read `scheduling.restartJobOnWorkerRestart`",
        "contract/test_pipeline_service::test_inputs_come_back_in_the_apis_spelling",
    ),
    (
        "documented",
        "A pipeline names its backing custom job in trainingTaskMetadata.",
        "TrainingPipeline proto; google-cloud-aiplatform",
        "contract/test_pipeline_service::test_the_backing_job_is_named_and_readable",
    ),
    (
        "documented",
        "A pipeline's model has a name once it has succeeded; its artifacts default to "
        "AIP_MODEL_DIR.",
        "TrainingPipeline proto; page “Prepare training code”",
        "contract/test_pipeline_service::test_with_a_model",
    ),
    (
        "ours",
        "A pipeline whose script leaves no model fails.",
        "emulator.controllers.training_pipeline",
        "contract/test_pipeline_service::test_with_a_model_that_was_never_written",
    ),
    (
        "documented",
        "v1beta1 has the same methods for these resources.",
        "google-cloud-aiplatform: both generations of clients",
        "contract/test_listing::test_v1beta1_creates_lists_and_deletes",
    ),
    (
        "ours",
        "A job that runs is not deleted: FAILED_PRECONDITION.",
        "emulator.services.job_service:delete",
        "contract/test_job_service::test_a_running_job_is_not_deleted",
    ),
    (
        "ours",
        "Refusals whose text is not published are `400 List of found errors:` in the service's "
        "layout, in words of our own.",
        "emulator.resources.validation:refuse_faults",
        "unit/emulator/test_validation::test_faults_are_aggregated_as_the_service_does",
    ),
    (
        "ours",
        "Quotas, limits on trials and replicas, and the availability of accelerators in regions "
        "are not enforced; none can be known offline.",
        "emulator.services.admission",
        "",
    ),
)

_STATES = _area(
    "States, ends and restarts",
    (
        "documented",
        "QUEUED, PENDING, RUNNING, then one end; none is gone back to.",
        "JobState proto",
        "contract/test_job_service::test_states_only_go_forward",
    ),
    (
        "documented",
        "The primary replica's exit 0 is the job's success; the others are shut down.",
        "page “Understand the custom training service”",
        "unit/emulator/test_endings::test_the_primarys_success_is_the_jobs",
    ),
    (
        "seen",
        "A program's error ends the job, code 3: “The replica workerpool0-0 exited with a non-zero "
        "status of 1.”, the end of its traceback if it left one, and the address of the log. How "
        "much of a long traceback is kept is our choice.",
        "GoogleCloudPlatform/vertex-ai-samples#1504; production text of August 2026 in a public "
        "test, repository not named",
        "contract/test_job_service::test_an_exceptions_traceback_is_in_the_error",
    ),
    (
        "seen",
        "A command that cannot be started is status 128 with “Termination reason: StartError.”; "
        "the reason itself is in our words.",
        "GoogleCloudPlatform/vertex-ai-samples#1898",
        "emulation/test_environments::test_a_mapped_command_that_does_not_exist_fails_the_job",
    ),
    (
        "documented",
        "Memory that runs out has its own text and status 137.",
        "page “Understand the custom training service”",
        "unit/emulator/test_endings::test_memory_that_ran_out_is_told_in_the_services_words",
    ),
    (
        "documented",
        "Losses of a machine are made good: up to 5 restarts of a worker, then three attempts of "
        "the job in all; then “Internal error occurred for the current attempt”.",
        "page “Understand the custom training service”",
        "unit/emulator/test_endings::test_how_often_a_lost_machine_is_made_good",
    ),
    (
        "documented",
        "SIGABRT and SIGSEGV may pass: the job is started again, up to 3 times.",
        "page “Understand the custom training service”",
        "unit/emulator/test_endings::test_how_often_an_abort_is_retried",
    ),
    (
        "documented",
        "restartJobOnWorkerRestart and disableRetries change that.",
        "Scheduling proto",
        "unit/emulator/test_endings::test_what_the_scheduling_changes",
    ),
    (
        "documented",
        "A cancel is asynchronous and keeps the job: CANCELLED, error code 1.",
        "JobService and JobState protos",
        "contract/test_job_service::test_cancel",
    ),
    (
        "documented",
        "The time limit is 7 days unless said otherwise, and ends the job.",
        "Scheduling proto",
        "faults/test_job_pace::test_a_weeks_timeout_passes_in_no_time",
    ),
    (
        "documented",
        "FLEX_START asks for L4, A100, H100, H200 or B200, one machine in all pools, and 7 days at "
        "most; the words of the refusal are ours.",
        "page “Schedule training jobs based on resource availability”",
        "contract/test_refusals::test_flex_start_has_rules_of_its_own",
    ),
    (
        "seen",
        "A pipeline without quota is created, and fails when its machines are asked for.",
        "GoogleCloudPlatform/vertex-ai-samples#3479",
        "faults/test_fallback::test_a_pipeline_without_quota_is_created_and_fails_later",
    ),
    (
        "documented",
        "A FLEX_START job waits for machines for 24 h at most unless said otherwise.",
        "Scheduling proto",
        "unit/emulator/test_pacing::test_how_long_a_job_may_wait",
    ),
    (
        "ours",
        "Exit code 1 of a replica ends the job as FAILED at once, without a restart.",
        "emulator.resources.endings:decide",
        "unit/emulator/test_endings::test_what_the_status_of_the_primary_means",
    ),
    (
        "ours",
        "5 s pass between SIGTERM and SIGKILL.",
        "emulator.controllers.attempt:GRACE_SECONDS",
        "emulation/test_launcher_endings::test_a_signal_reaches_the_whole_group",
    ),
    (
        "ours",
        "After the time limit the job is JOB_STATE_CANCELLED, as one report has it "
        "(tensorflow/tfx#6223); its error is in our words.",
        "emulator.controllers.custom_job:_timed_out",
        "contract/test_job_service::test_a_job_is_cancelled_at_its_time_limit",
    ),
    (
        "ours",
        "PENDING takes no time, nor does the error take time to appear, and no job is QUEUED; "
        "`pace` makes it some.",
        "emulator.controllers.pacing:Pacing",
        "unit/emulator/test_pacing::test_how_long_a_state_lasts",
    ),
    (
        "ours",
        "A replica killed by SIGKILL without signs of memory trouble is a lost machine, made good.",
        "emulator.resources.endings:lost",
        "faults/test_replica_faults::test_a_killed_replica_starts_again_and_finds_its_checkpoint",
    ),
)

_REPLICAS = _area(
    "What a replica sees",
    (
        "documented",
        "AIP_MODEL_DIR, AIP_CHECKPOINT_DIR and AIP_TENSORBOARD_LOG_DIR are `gs://` URIs below "
        "the base directory, each with a slash at its end.",
        "CustomJobSpec proto; page “Prepare training code”",
        "contract/test_job_service::TestEnvironment::test_of_a_single_replica",
    ),
    (
        "documented",
        "Without a base directory there are none.",
        "CustomJobSpec proto",
        "contract/test_job_service::TestEnvironment::test_without_a_base_directory",
    ),
    (
        "documented",
        "A trial's directories lie below its number.",
        "CustomJobSpec proto",
        "contract/test_tuning_service::test_trials_see_their_own_directories",
    ),
    (
        "documented",
        "CLUSTER_SPEC names workerpool0 to workerpool3, unused pools left out; TF_CONFIG has "
        "chief, worker and ps, never the evaluator.",
        "page “Distributed training”",
        "contract/test_job_service::TestEnvironment::test_of_a_cluster",
    ),
    (
        "seen",
        "A single replica has CLUSTER_SPEC with `chief`, and no TF_CONFIG.",
        "Vertex AI sample; google-cloud-aiplatform's profiler; published log of a job",
        "emulation/test_replicas::test_a_single_replica_is_called_chief_and_has_no_tf_config",
    ),
    (
        "seen",
        "CLOUD_ML_PROJECT_ID is the project's number; CLOUD_ML_JOB_ID the custom job's id, or "
        "that of the tuning job whose trial it is.",
        "page “Prepare training code”; google-cloud-aiplatform; public repositories",
        "contract/test_job_service::TestEnvironment::test_of_a_single_replica",
    ),
    (
        "documented",
        "CLOUD_ML_TRIAL_ID and CLOUD_ML_HP_METRIC_FILE are there in trials alone.",
        "Vertex AI samples; cloudml-hypertune",
        "emulation/test_replicas::test_a_trial_knows_its_number_and_its_metric_file",
    ),
    (
        "seen",
        "PyTorch images set MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE.",
        "published log of a job; Vertex AI sample",
        "emulation/test_replicas::test_pytorch_images_number_chief_and_workers",
    ),
    (
        "documented",
        "Every bucket is a folder below `/gcs`.",
        "page “Prepare training code”; Cloud Storage FUSE",
        "emulation/test_gcs::test_a_script_reads_and_writes_the_bucket_as_a_folder",
    ),
    (
        "seen",
        "The service's own log lines come in a known order, standard error as ERROR.",
        "published log of a job, February 2026",
        "emulation/test_replicas::test_the_lines_of_a_run_are_in_the_services_order",
    ),
    (
        "seen",
        "Any other line of a replica is jsonPayload too: `attrs.tag` names the replica, "
        "`levelname` is ERROR for standard error and else INFO, `message` is the text.",
        "viamrobotics/api#534; public text, source not named",
        "contract/test_logging_service::test_a_plain_line_is_the_message_of_a_payload",
    ),
    (
        "documented",
        "A line that is a JSON object has its keys in jsonPayload; its severity is the entry's.",
        "page “Prepare training code”",
        "contract/test_logging_service::test_a_line_of_json_is_structured",
    ),
    (
        "seen",
        "Packages are installed by pip, in order and into one place, whatever their layout; what "
        "pip refuses fails the job.",
        "published log of a job, February 2026; vertex-ai-samples, gapic notebooks",
        "emulation/test_package_layouts::test_a_layout_is_what_pip_makes_of_it",
    ),
    (
        "ours",
        "A package's requirements are not installed: absent ones are refused by name, another "
        "version here stands for the wanted one.",
        "emulator.replicas.package_requirements",
        "emulation/test_package_installation::"
        "test_a_requirement_that_only_the_build_tells_fails_the_job",
    ),
    (
        "documented",
        "The SDK's container command (`pip install` and `python -m`) means its package.",
        "google-cloud-aiplatform, CustomJob.from_local_script",
        "unit/emulator/test_tasks::test_the_command_that_the_sdk_emits_is_a_package_job",
    ),
    (
        "documented",
        "Command and arguments replace the image's entry point and defaults.",
        "page “Configure container settings”",
        "unit/emulator/test_environments_commands::"
        "test_command_and_arguments_replace_entry_point_and_defaults",
    ),
    (
        "documented",
        "Prebuilt TensorFlow before 2.16 means Keras 2.",
        "page “Prebuilt containers”; TensorFlow release notes",
        "unit/catalog/test_container_images::test_keras_2_ends_with_tensorflow_2_15",
    ),
    (
        "documented",
        "A dataset's files are split and named by AIP_*_DATA_URI.",
        "InputDataConfig proto",
        "contract/test_datasets::test_a_pipeline_gets_its_data_in_three_sets",
    ),
    (
        "ours",
        "A base directory that ends in a slash gives exactly one slash before `model/`.",
        "runtime.directories:_directory",
        "unit/runtime/test_environment::test_directories_of_a_job_end_in_exactly_one_slash",
    ),
    (
        "seen",
        "A metric that is written to the literal `/var/hypertune/output.metrics` counts as well, "
        "where the program or a file of its packages names that path.",
        "GoogleCloudPlatform/vertex-ai-samples, get_started_vertex_hpt_r_kernel.ipynb",
        "emulation/test_literal_metric_path::"
        "test_each_trial_has_it_for_itself_and_the_host_does_not",
    ),
    (
        "ours",
        "Remarks that only Local Vertex makes on a job are lines of the task `service` with the "
        "label `local-vertex/remark`.",
        "emulator.services.log_records:REMARK_LABEL",
        "contract/test_logging_service::test_what_local_vertex_alone_says_is_marked",
    ),
    (
        "ours",
        "Learning curves come from `measurements.jsonl`, which our runtime writes beside a trial's "
        "TensorBoard logs on both endpoints; of a script that calls cloudml-hypertune itself only "
        "the final measurement is known.",
        "runtime.measurement_file:MeasurementFile",
        "emulation/test_measurements::test_of_bare_hypertune_only_the_final_measurement_is_known",
    ),
    (
        "ours",
        "CLOUD_ML_HP_METRIC_FILE is a private file of each replica of a trial; on the service each "
        "has a machine of its own.",
        "emulator.replicas.replica_environment:Trial",
        "emulation/test_replicas::test_a_trial_knows_its_number_and_its_metric_file",
    ),
    (
        "ours",
        "Where several replicas of a trial report one metric at one step the chief's value counts; "
        "what another reports alone counts as well, and the log names it.",
        "emulator.controllers.trial_reports:TrialReports",
        "unit/emulator/test_trial_run::"
        "test_the_chiefs_value_counts_before_anothers_who_is_named_once",
    ),
    (
        "seen",
        "CLUSTER_SPEC of a distributed job has `job`: a text of JSON with python_module, "
        "package_uris and job_args, all empty for a container. That of a single replica has none.",
        "google-cloud-aiplatform, test_cloud_profiler.py; published log of a job, February 2026",
        "unit/runtime/test_cluster::test_the_services_own_values_are_written_as_they_were_read",
    ),
    (
        "ours",
        "`job` of TF_CONFIG is the text that CLUSTER_SPEC has.",
        "runtime.cluster:Cluster",
        "unit/runtime/test_cluster::test_tf_config_of_a_distributed_trial_leaves_the_evaluator_out",
    ),
    (
        "ours",
        "Where buckets cannot be mounted, `/gcs` is a copy of those that the program names, of all "
        "where a path is put together: what others write meanwhile is not seen, and a file is an "
        "object only when its replica has ended.",
        "emulator.storage.gcs_copy:GcsCopy",
        "emulation/test_gcs_copy::"
        "test_the_replicas_version_takes_the_place_of_anothers_and_it_says_so",
    ),
    (
        "ours",
        "A query finds a line's text by textPayload and by jsonPayload.message alike, but with "
        "`emulate --strict`.",
        "emulator.services.log_records:_TEXT_FIELDS",
        "contract/test_logging_service::test_queries",
    ),
    (
        "ours",
        "Left out of the log, because nothing of the kind happens here: “Vertex AI is provisioning "
        "job running framework. …”, “Running run_module.py”, and the lines about gsutil.",
        "emulator.replicas.first_lines:runner_lines",
        "emulation/test_replicas::test_the_lines_of_a_run_are_in_the_services_order",
    ),
    (
        "ours",
        "The variables CMLE_TRAINING_WORKERPOOL0_…_SERVICE_HOST and _SERVICE_PORT, which "
        "Kubernetes leaks into a replica, are not set.",
        "emulator.replicas.replica_environment:JobEnvironment",
        "emulation/test_replicas::test_every_replica_of_a_distributed_job",
    ),
    (
        "ours",
        "CLUSTER_SPEC of a single replica has the `chief` form in late 2026, too; readers take "
        "`workerpool0` as well.",
        "runtime.cluster:Cluster",
        "unit/runtime/test_cluster::test_the_workerpool0_form_of_a_single_replica_is_understood",
    ),
    (
        "ours",
        "TF_CONFIG says `chief`; readers take `master` as well.",
        "runtime.cluster:is_chief",
        "unit/runtime/test_cluster::test_who_is_chief",
    ),
    (
        "ours",
        "Addresses in the cluster are `127.0.0.1` and a free port for each replica: one machine "
        "cannot give all of them 2222.",
        "emulator.replicas.replica_environment:_LOOPBACK",
        "emulation/test_replicas::test_every_replica_of_a_distributed_job",
    ),
    (
        "ours",
        "Where the service has a value for a variable of the job's, the service's counts, and the "
        "job's log says so; where it has none, as for AIP_TRAINING_DATA_URI without a managed "
        "dataset, the job's stands.",
        "emulator.replicas.replica_environment:variables",
        "emulation/test_replicas::test_a_variable_of_the_services_cannot_be_overridden",
    ),
    (
        "ours",
        "Reduction Server is refused, UNIMPLEMENTED.",
        "emulator.resources.validation:refuse_reduction_server",
        "",
    ),
)

_STUDIES = _area(
    "Studies and trials",
    (
        "seen",
        "A trial of a tuning job has id, state, parameters, final measurement (or the reason why "
        "it is infeasible) and times, and nothing else: no name, custom job, other measurement.",
        "statmike/vertex-ai-mlops, notebooks 05g and 05i; page “Create a hyperparameter tuning "
        "job”, example answer",
        "contract/test_tuning_service::test_a_trial_has_the_fields_that_were_seen_and_no_others",
    ),
    (
        "seen",
        "Trials are numbered from “1” and listed in the order of ids.",
        "statmike/vertex-ai-mlops, notebooks 05g and 05i; ageron/handson-ml3, chapter 19",
        "contract/test_tuning_service::test_a_study_runs_every_trial",
    ),
    (
        "seen",
        "A report without a step is at step 1; a trial starts at a nanosecond and ends at a whole "
        "second. Ours never ends before it starts: the second after its start at the earliest.",
        "statmike/vertex-ai-mlops, notebook 05g and 05 - TensorFlow/code/hp_train.py",
        "contract/test_tuning_service::test_a_report_without_a_step_is_at_step_1",
    ),
    (
        "seen",
        "The first trial of the default algorithm is the middle of a linear range.",
        "page “Create a hyperparameter tuning job”, example answer, trial 1",
        "contract/test_tuning_service::test_the_first_trial_of_the_default_algorithm_is_the_middle",
    ),
    (
        "recorded",
        "A study of Vizier is ACTIVE at once, and has a studyStoppingConfig though none was sent.",
        "GoogleCloudPlatform/k8s-config-connector, _http.log of vertexaistudy",
        "contract/test_replay::test_answers_are_as_recorded",
    ),
    (
        "seen",
        "A Vizier trial has its name, client and measurements, without elapsed durations, and "
        "times in whole seconds; a study's id has 13 digits, a job's 18 or 19.",
        "GoogleCloudPlatform/training-data-analyst, "
        "gapic-vizier-multi-objective-optimization.ipynb",
        "contract/test_vizier_service::test_a_trial_has_the_fields_that_were_seen_but_for_the_id",
    ),
    (
        "documented",
        "Trials' lines are in the log of their tuning job, labelled `ml.googleapis.com/trial_id`.",
        "google-cloud-sdk: surface/ai/hp_tuning_jobs/stream_logs.py, command_lib/ai/log_util.py",
        "contract/test_logging_service::test_a_trials_lines_are_its_tuning_jobs",
    ),
    (
        "seen",
        "Parameters are in alphabetical order, and integers are JSON numbers.",
        "Trial proto; output of a real study",
        "contract/test_tuning_service::"
        "test_parameters_are_alphabetical_whole_ones_are_doubles_and_categories_texts",
    ),
    (
        "documented",
        "The best measurement is final where the study asks for it, the last one otherwise.",
        "StudySpec proto",
        "unit/emulator/test_study_rules::test_last_measurement_is_final_unless_best_is_asked_for",
    ),
    (
        "documented",
        "A trial that is done without a final measurement is INFEASIBLE, and says why.",
        "Trial proto",
        "contract/test_tuning_service::test_a_missing_metric_makes_the_trial_infeasible",
    ),
    (
        "documented",
        "With maxFailedTrialCount 0 a first trial that fails ends the job.",
        "page “Create a hyperparameter tuning job”",
        "contract/test_tuning_service::test_a_first_trial_that_fails_ends_the_job",
    ),
    (
        "documented",
        "Grid search takes no DOUBLE parameter.",
        "StudySpec proto",
        "unit/emulator/test_study_validation::test_grid_search_takes_no_doubles",
    ),
    (
        "documented",
        "Conditional parameters are given when their parent's value holds, else not at all.",
        "ConditionalParameterSpec proto",
        "contract/test_sdk_classes::TestHyperparameterTuningJob::test_conditional_parameters",
    ),
    (
        "documented",
        "cloudml-hypertune's file is rewritten at each report and forgets all but 100: what was "
        "read once is kept.",
        "cloudml-hypertune 0.1.0.dev6",
        "unit/emulator/test_metric_file::"
        "test_a_second_writer_that_wipes_the_file_loses_nothing_already_read",
    ),
    (
        "documented",
        "A client of a Vizier study gets its unfinished trial again.",
        "SuggestTrialsRequest proto",
        "contract/test_vizier_service::test_a_client_gets_its_unfinished_trial_again",
    ),
    (
        "documented",
        "The median rule stops a trial that is worse than the others were at its step.",
        "StudySpec.MedianAutomatedStoppingSpec proto",
        "contract/test_vizier_service::test_the_median_rule",
    ),
    (
        "documented",
        "A trial that a rule stops is STOPPING until its replicas have ended; it then succeeds "
        "with what it had reported.",
        "Trial proto",
        "emulation/test_stopping::test_a_trial_that_the_median_rule_stops_keeps_what_it_reported",
    ),
    (
        "documented",
        "The decay curve and convex rules stop a trial that will not be the best; the chance "
        "that counts as very low, 1 %, is not published.",
        "StudySpec.DecayCurveAutomatedStoppingSpec, ConvexAutomatedStoppingSpec protos",
        "contract/test_vizier_service::test_rules_on_curves",
    ),
    (
        "documented",
        "A study's own stopping rules are tested from top to bottom before each suggestion; "
        "whether they act on tuning jobs is not published.",
        "StudySpec.StudyStoppingConfig proto",
        "emulation/test_stopping::test_a_study_without_progress_stops",
    ),
    (
        "ours",
        "A trial's arguments are one token `--id=value` each, after the job's own arguments.",
        "emulator.resources.study_rules:trial_arguments",
        "contract/test_tuning_service::test_the_best_measurement_is_final",
    ),
    (
        "ours",
        "INTEGER and integral DISCRETE values are written as digits without `.0`.",
        "spec.argument_forms:parameter_text",
        "unit/spec/test_argument_forms::test_parameter_text",
    ),
    (
        "ours",
        "DOUBLE values are written as the shortest text that reads back to the same number.",
        "spec.argument_forms:parameter_text",
        "unit/spec/test_argument_forms::test_parameter_text",
    ),
    (
        "ours",
        "A trial that exits 0 without its metric is INFEASIBLE, with a reason that names what it "
        "reported.",
        "emulator.controllers.trial:_missing_metric",
        "contract/test_tuning_service::test_a_missing_metric_makes_the_trial_infeasible",
    ),
    (
        "ours",
        "Values that are not finite are left out, with a warning; a trial without any other is "
        "INFEASIBLE.",
        "emulator.controllers.metric_file:_number",
        "unit/emulator/test_metric_file::test_what_is_not_finite_is_left_out_with_a_warning",
    ),
    (
        "ours",
        "The metric file is read as it grows; the last line of a step and metric counts; one "
        "measurement a step; what `vertex_jobs.runtime` reports also stands in a journal beside "
        "it, so none is lost.",
        "emulator.controllers.metric_file:MetricFile",
        "unit/emulator/test_metric_file::test_the_last_line_for_a_step_counts",
    ),
    (
        "ours",
        "Of several metrics only a measurement with all of them can be final.",
        "emulator.resources.study_rules:final_measurement",
        "unit/emulator/test_study_rules::test_a_measurement_without_every_metric_is_never_final",
    ),
    (
        "ours",
        "With maxFailedTrialCount 0, later failures end the job when 6 trials have finished and "
        "more than half of them failed.",
        "emulator.resources.study_rules:_FAILURE_SAMPLE",
        "unit/emulator/test_study_rules::test_when_failures_end_the_job",
    ),
    (
        "ours",
        "A grid that ends before maxTrialCount ends the job as SUCCEEDED, with fewer trials.",
        "emulator.controllers.tuning_job:_fill",
        "contract/test_tuning_service::test_grid_search_ends_when_the_grid_does",
    ),
    (
        "ours",
        "The default search repeats no point of a finite space: the study ends when every point "
        "was tried.",
        "search.gaussian_process",
        "unit/search/test_gaussian_process::"
        "test_a_finite_space_is_used_up_and_no_point_comes_again",
    ),
    (
        "ours",
        "The default search, which is Google's and not public, is a Gaussian process of our own.",
        "search.study_spec:_ALGORITHMS",
        "unit/search/test_gaussian_process::test_it_finds_the_least_of_a_bowl",
    ),
    (
        "ours",
        "At most 1,000 suggestions are had in one request: as many trials as a study of AI "
        "Platform Vizier, the predecessor, could have.",
        "emulator.study_search.session:MOST_SUGGESTIONS",
        "contract/test_vizier_service::test_how_many_suggestions_are_had_at_once",
    ),
)

_MODELS = _area(
    "Models",
    (
        "documented",
        "A model has versions from 1; one is the default; aliases find them after `@`.",
        "Model proto",
        "contract/test_models_service::test_a_new_version_becomes_the_default_when_asked",
    ),
    (
        "documented",
        "A model id has up to 63 characters of `[a-z0-9_-]`, the first no digit or hyphen.",
        "TrainingPipeline and UploadModelRequest protos",
        "contract/test_models_service::test_an_id_that_is_not_valid_is_refused",
    ),
)

_STORAGE = _area(
    "Cloud Storage",
    (
        "recorded",
        "A bucket is made with the defaults of its region, and told when it does not exist.",
        "GoogleCloudPlatform/k8s-config-connector, _http.log of storagebucketbasic",
        "contract/test_replay::test_answers_are_as_recorded",
    ),
    (
        "documented",
        "All four preconditions hold on every verb; ifGenerationMatch=0 creates.",
        "Cloud Storage page “Request preconditions”",
        "contract/test_storage_python_client::TestPreconditions::test_every_verb",
    ),
    (
        "documented",
        "Resumable uploads go on where they were, with PUT and with POST.",
        "Cloud Storage page “Resumable uploads”; gcsfs",
        "contract/test_storage_wire::TestResumableUploads::"
        "test_a_client_that_lost_its_connection_goes_on_where_it_was",
    ),
    (
        "documented",
        "Lists take prefix, delimiter, offsets and page tokens.",
        "Cloud Storage JSON API, objects.list",
        "contract/test_storage_python_client::TestListing::test_queries",
    ),
    (
        "seen",
        "TensorFlow's `gs://` reads, writes, lists, renames and removes.",
        "TensorFlow 2.21, measured",
        "contract/test_storage_tensorflow::test_tensorflow",
    ),
    (
        "seen",
        "TensorBoard shows what the Keras callback wrote to `gs://`.",
        "TensorBoard 2.21, measured",
        "contract/test_storage_tensorflow::test_tensorboard_shows_what_the_callback_wrote",
    ),
    (
        "seen",
        "`Expect: 100-continue` is answered at once.",
        "RFC 9110, section 10.1.1; libcurl waits a second otherwise",
        "contract/test_fronts::TestProtocols::test_a_body_that_waits_is_asked_for_at_once",
    ),
    (
        "ours",
        "A bucket that nobody has made is made by the first write; a missing one is a 404 to a "
        "read, and with `emulate --strict` to a write as well.",
        "emulator.server:create_buckets",
        "contract/test_storage_python_client::test_writes_make_buckets_where_that_is_wanted",
    ),
)

_CLIENTS = _area(
    "Clients",
    (
        "seen",
        "The SDK's training, job, tuning, model and study classes run unmodified.",
        "google-cloud-aiplatform 2.7.0, measured",
        "contract/test_sdk_classes::TestTrainingPipelines::"
        "test_custom_training_job_returns_its_model",
    ),
    (
        "seen",
        "Each answer that is not the last costs the SDK 5 s: reads are held, 2 s at most.",
        "google-cloud-aiplatform 2.7.0; googleapis/python-aiplatform#1042",
        "contract/test_sdk_classes::TestHyperparameterTuningJob::"
        "test_no_poll_is_answered_early_and_in_vain",
    ),
    (
        "seen",
        "Programs that hard-code Google's hosts arrive here by environment variables alone.",
        "google-auth, requests, gRPC and libcurl, measured",
        "contract/test_environment_only::test_program",
    ),
    (
        "seen",
        "A program that names no project makes the SDK ask Resource Manager.",
        "google-cloud-aiplatform 2.7.0, measured",
        "contract/test_environment_only::test_the_sdk_gets_its_project_without_a_complaint",
    ),
    (
        "seen",
        "The SDK never sends a create again; our client neither, but it finds out.",
        "google-cloud-aiplatform 2.7.0, measured",
        "faults/test_call_faults::"
        "test_an_answer_lost_after_the_commit_makes_the_sdk_raise_though_the_job_runs",
    ),
    (
        "documented",
        "The Vertex AI locations, and multi-regional hosts, are covered by one certificate.",
        "page “Vertex AI locations”; Cloud Storage page “Request endpoints”",
        "contract/test_fronts::TestProtocols::test_certificates_cover_every_host",
    ),
    (
        "ours",
        "Google's other APIs are refused by name: 501 over REST, UNIMPLEMENTED over gRPC.",
        "emulator.fronts.hosts:_APIS",
        "contract/test_fronts::TestOtherApis::test_rest",
    ),
)

FACTS = (*_RESOURCES, *_STATES, *_REPLICAS, *_STUDIES, *_MODELS, *_STORAGE, *_CLIENTS)

QUESTIONS = (
    Question(
        "Which state ends a job at its time limit?",
        "CANCELLED, error code 1",
        "contract/test_job_service::test_a_job_is_cancelled_at_its_time_limit",
    ),
    Question(
        "Which fields does a trial of a tuning job have today: name, customJob, measurements?",
        "none of them",
        "contract/test_tuning_service::test_a_trial_has_the_fields_that_were_seen_and_no_others",
    ),
    Question(
        "Is a job with a program that exits 1, 2 or 3 started again?",
        "no: FAILED at once",
        "contract/test_job_service::test_exit_3_fails_with_the_services_text",
    ),
    Question(
        "What becomes of a trial that exits 0 and has reported no metric?",
        "INFEASIBLE; the study goes on",
        "contract/test_tuning_service::test_a_missing_metric_makes_the_trial_infeasible",
    ),
    Question(
        "How do CLUSTER_SPEC and TF_CONFIG of a single replica look today?",
        "CLUSTER_SPEC names one `chief`; no TF_CONFIG",
        "contract/test_job_service::TestEnvironment::test_of_a_single_replica",
    ),
    Question(
        "In which form do a trial's arguments come, numbers among them?",
        "one token `--id=value`; integers without `.0`",
        "contract/test_tuning_service::test_the_best_measurement_is_final",
    ),
    Question(
        "What does the service say to a request with several faults?",
        "`List of found errors:` with a sentence of our own for each, where none is published",
        "contract/test_job_service::test_every_fault_is_in_one_answer",
    ),
    Question(
        "Is a job that runs deleted?",
        "no: FAILED_PRECONDITION",
        "contract/test_job_service::test_a_running_job_is_not_deleted",
    ),
    Question(
        "How does a tuning job end whose grid has fewer points than maxTrialCount?",
        "SUCCEEDED, with fewer trials",
        "contract/test_tuning_service::test_grid_search_ends_when_the_grid_does",
    ),
    Question(
        "What does a pipeline say whose script left no model?",
        "FAILED: “There are no files under …”",
        "contract/test_pipeline_service::test_with_a_model_that_was_never_written",
    ),
)
