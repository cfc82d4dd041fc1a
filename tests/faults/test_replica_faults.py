"""Replicas to which something happens: how the job ends, and what comes back."""

from collections.abc import Callable
from typing import Any

import pytest
from google.cloud import aiplatform_v1
from waits import wait_for

from vertex_jobs.client import JobHandle
from vertex_jobs.emulator.joining import LocalServer
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.errors import JobFailedError
from vertex_jobs.spec import CustomJob, HyperparameterTuningJob

MakeJob = Callable[..., CustomJob]
Sdk = aiplatform_v1.JobServiceClient
State = aiplatform_v1.JobState

CHIEF, WORKER = "workerpool0-0", "workerpool1-0"


def lines(handle: JobHandle, replica: str) -> list[str]:
    return [entry.text for entry in handle.logs() if entry.replica == replica]


def restarts(server: LocalServer, handle: JobHandle) -> list[str]:
    return [one["subject"] for one in server.incidents(handle.name) if one["kind"] == "restart"]


def reads(server: LocalServer, handle: JobHandle) -> list[str]:
    return [one["subject"] for one in server.incidents(handle.name) if one["kind"] == "read"]


def on(fault: str, replica: str = CHIEF, **trigger: Any) -> dict[str, Any]:
    return {"faults": [{"replica": replica, "fault": fault, **trigger}]}


def test_a_killed_replica_starts_again_and_finds_its_checkpoint(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    handle = local_vertex.submit(make_job("resume", local=on("kill", log="saved")))
    handle.result(timeout=60)
    (read,) = reads(server, handle)
    assert (restarts(server, handle), read.endswith("/checkpoints/last")) == ([CHIEF], True)


def test_a_preempted_replica_hears_of_it_and_starts_again(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    handle = local_vertex.submit(make_job("notice", local=on("preempt", log="ready")))
    handle.result(timeout=60)
    own = ("started notice", "ready", "noticed")
    printed = [line for line in lines(handle, CHIEF) if line in own]
    assert printed == ["started notice", "ready", "noticed", "started notice"]


@pytest.mark.parametrize(
    ("task", "fault", "line"),
    [
        ("resume", "kill", "saved"),
        ("notice", "preempt", "ready"),
        ("disk", "lose_disk", "written"),
    ],
)
def test_the_sdk_sees_nothing_of_what_happened_but_success(
    local_vertex: Endpoint, make_job: MakeJob, sdk: Sdk, task: str, fault: str, line: str
) -> None:
    handle = local_vertex.submit(make_job(task, local=on(fault, log=line)))
    handle.result(timeout=60)
    job = sdk.get_custom_job(name=handle.name)
    assert (job.state, job.error.code) == (State.JOB_STATE_SUCCEEDED, 0)


def test_a_preempted_replica_that_does_not_listen_is_killed_after_the_notice(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    faults = on("preempt", log="ready", notice="10ms", times=None)
    handle = local_vertex.submit(make_job("deaf", local=faults))
    with pytest.raises(JobFailedError, match="Internal error occurred for the current attempt"):
        handle.result(timeout=60)


def test_a_job_whose_machine_is_lost_again_and_again_fails(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    handle = local_vertex.submit(make_job("wait", local=on("kill", times=None)))
    with pytest.raises(JobFailedError, match="Internal error occurred for the current attempt"):
        handle.result(timeout=120)
    assert len(restarts(server, handle)) == 17  # three attempts of (1 + 5) starts


def test_memory_that_runs_out_ends_the_job(local_vertex: Endpoint, make_job: MakeJob) -> None:
    handle = local_vertex.submit(make_job("wait", local=on("out_of_memory", log="ready")))
    with pytest.raises(JobFailedError) as failed:
        handle.result(timeout=60)
    assert failed.value.message == (
        "The replica workerpool0-0 ran out of memory and exited with a non-zero status of 137."
    )


def test_the_sdk_reads_of_memory_that_ran_out(
    local_vertex: Endpoint, make_job: MakeJob, sdk: Sdk
) -> None:
    handle = local_vertex.submit(make_job("wait", local=on("out_of_memory", log="ready")))
    handle.exception(timeout=60)
    job = sdk.get_custom_job(name=handle.name)
    assert (job.state, job.error.code) == (State.JOB_STATE_FAILED, 8)


def test_memory_that_runs_out_is_said_in_the_log(local_vertex: Endpoint, make_job: MakeJob) -> None:
    handle = local_vertex.submit(make_job("wait", local=on("out_of_memory", log="ready")))
    handle.exception(timeout=60)
    text = "Replicas low on memory: workerpool0. Specify a machine with larger memory and try "
    assert f"{text}again." in lines(handle, "service")


def test_a_lost_disk_is_empty(local_vertex: Endpoint, make_job: MakeJob) -> None:
    handle = local_vertex.submit(make_job("disk", local=on("lose_disk", log="written")))
    handle.result(timeout=60)
    assert "gone" in lines(handle, CHIEF)


def test_a_lost_worker_starts_again_alone(
    local_vertex: Endpoint, make_job: MakeJob, server: LocalServer
) -> None:
    job = make_job("wait", replica_count=2, local=on("kill", WORKER, log="ready"))
    handle = local_vertex.submit(job)
    wait_for(lambda: lines(handle, WORKER).count("ready") == 2 and "ready" in lines(handle, CHIEF))
    assert (lines(handle, CHIEF).count("ready"), restarts(server, handle)) == (1, [WORKER])
    handle.cancel()


def test_where_all_replicas_restart_the_chief_starts_again_too(
    virtual: Endpoint, make_job: MakeJob
) -> None:
    job = make_job(
        "wait",
        replica_count=2,
        restart_job_on_worker_restart=True,
        local=on("kill", WORKER, after="1h"),
    )
    handle = virtual.submit(job)
    wait_for(lambda: all("ready" in lines(handle, replica) for replica in (CHIEF, WORKER)))
    virtual.server.advance(3601)
    wait_for(lambda: lines(handle, CHIEF).count("ready") == 2)
    assert restarts(virtual.server, handle) == ["all replicas"]
    handle.cancel()


def test_a_trial_is_killed_at_the_step_that_it_reports(
    local_vertex: Endpoint, server: LocalServer, tmp_path: Any
) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import argparse, os, time\n"
        "from vertex_jobs.runtime import metrics\n"
        "parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--x', type=float)\n"
        "x = parser.parse_args().x\n"
        "marker = os.environ['CLOUD_ML_HP_METRIC_FILE'] + '.again'\n"
        "metrics.report('score', x, 1)\n"
        "if not os.path.exists(marker):\n"
        "    open(marker, 'w').close()\n"
        "    time.sleep(600)\n"
        "metrics.report('score', x, 2)\n"
    )
    study = HyperparameterTuningJob(
        display_name="faults",
        script_path=str(script),
        container_uri="docker.io/tensorflow/tensorflow:2.21.0",
        machine_type="n1-standard-4",
        metric_spec={"score": "maximize"},
        parameter_spec={"x": {"type": "double", "min": 0, "max": 1}},
        search_algorithm="random",
        max_trial_count=1,
        parallel_trial_count=1,
        local=on("kill", "*", step=1, trial="1"),
    )
    handle = local_vertex.submit(study)
    (trial,) = handle.result(timeout=60).trials
    assert (trial.state, restarts(server, handle)) == ("SUCCEEDED", [CHIEF])
    assert [measurement.step for measurement in trial.measurements] == [1, 2]


def test_what_was_done_on_purpose_is_said_in_the_log(
    local_vertex: Endpoint, make_job: MakeJob
) -> None:
    handle = local_vertex.submit(make_job("resume", local=on("kill", log="saved")))
    handle.result(timeout=60)
    said = [line for line in lines(handle, "service") if "injected" in line or "Restart" in line]
    assert said == [
        "Fault injected: kill of workerpool0-0.",
        "The machine of replica workerpool0-0 was lost (status 137). Restart 1 of 5, of this "
        "replica.",
    ]
