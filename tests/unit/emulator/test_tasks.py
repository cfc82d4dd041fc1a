import pytest

from vertex_jobs import requests
from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.tasks import PoolTask, pool_task
from vertex_jobs.emulator.status import ApiError


def container_pool(*command: str, args: tuple[str, ...] = ()) -> protos.Message:
    pool = protos.CustomJobSpec().worker_pool_specs.add(replica_count=1)
    pool.container_spec.image_uri = "example/image:1"
    pool.container_spec.command.extend(command)
    pool.container_spec.args.extend(args)
    return pool


def test_the_command_that_the_sdk_emits_is_a_package_job() -> None:
    pool = container_pool(
        "sh",
        "-c",
        "pip install --upgrade pip && pip3 install -q --user "
        "/gcs/bucket/aiplatform-2026-11-21-12:00:00.123-aiplatform_custom_trainer_script-0.1.tar.gz"
        " && python3 -m aiplatform_custom_trainer_script.task --epochs=2 --name=a",
    )
    assert pool_task(pool, "worker_pool_specs[0]") == PoolTask(
        "example/image:1",
        (
            "gs://bucket/aiplatform-2026-11-21-12:00:00.123-"
            "aiplatform_custom_trainer_script-0.1.tar.gz",
        ),
        "aiplatform_custom_trainer_script.task",
        ("--epochs=2", "--name=a"),
        (),
        takes_trial_arguments=False,
    )


def test_our_own_container_command_is_a_package_job_that_takes_more_arguments() -> None:
    command = requests.container_command("gs://bucket/task-0.1.0.tar.gz", "task_1")
    pool = container_pool(*command, args=("--epochs=2", "--note=a b; c"))
    assert pool_task(pool, "worker_pool_specs[0]") == PoolTask(
        "example/image:1",
        ("gs://bucket/task-0.1.0.tar.gz",),
        "task_1",
        ("--epochs=2", "--note=a b; c"),
        (),
    )


@pytest.mark.parametrize(
    "command",
    [
        ("python", "train.py"),
        ("sh", "-c", "rm -rf /"),
        ("sh", "-c", "pip3 install --user /gcs/b/p.tar.gz && rm -rf / && python3 -m trainer"),
        ("sh", "-c", "pip3 install --user /gcs/b/p.tar.gz; python3 -m trainer"),
        ("sh", "-c", "pip3 install --user /gcs/b/p.tar.gz && python3 train.py"),
        ("sh", "-c", "python3 -m trainer"),
    ],
)
def test_any_other_command_is_refused(command: tuple[str, ...]) -> None:
    with pytest.raises(ApiError, match="does not run the command of a container") as refusal:
        pool_task(container_pool(*command), "worker_pool_specs[0]")
    assert refusal.value.status == "UNIMPLEMENTED"
