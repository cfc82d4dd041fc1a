from pathlib import Path

import pytest

from vertex_jobs import requests
from vertex_jobs.emulator import protos
from vertex_jobs.emulator.replicas.tasks import NoProgramError, PoolTask, pool_task
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.spec.local import LocalSettings


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
    assert pool_task(pool, "worker_pool_specs[0]", LocalSettings()) == PoolTask(
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
    uris = ("gs://bucket/x/lib-1-py3-none-any.whl", "gs://bucket/task-0.1.0.tar.gz")
    command = requests.container_command(uris, "task_1")
    pool = container_pool(*command, args=("--epochs=2", "--note=a b; c"))
    assert pool_task(pool, "worker_pool_specs[0]", LocalSettings()) == PoolTask(
        "example/image:1",
        uris,
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
def test_nothing_stands_for_any_other_command(command: tuple[str, ...]) -> None:
    with pytest.raises(NoProgramError, match="nothing on this machine stands for the image"):
        pool_task(container_pool(*command), "worker_pool_specs[0]", LocalSettings())


@pytest.mark.parametrize(
    ("engines", "more"),
    [
        ((), ""),
        (("docker",), "; or docker, which is here and runs the image"),
        (("docker", "podman"), "; or docker or podman, which is here and runs the image"),
    ],
)
def test_every_way_out_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engines: tuple[str, ...], more: str
) -> None:
    for engine in engines:
        (tmp_path / engine).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoProgramError) as error:
        pool_task(container_pool("python", "train.py"), "worker_pool_specs[0]", LocalSettings())
    assert str(error.value) == (
        "worker_pool_specs[0].container_spec: nothing on this machine stands for the image "
        "example/image:1 (command: python train.py). Say in the config what does; the job's args "
        "are appended to the command:\n"
        "local:\n"
        "  images:\n"
        "    example/image:1:\n"
        f"      environment: current      # or isolated, with requirements: [...]{more}\n"
        "      command: [python, /path/to/train.py]\n"
        "Or submit a script or a Python package, or submit to Vertex AI."
    )


def settings(**image: object) -> LocalSettings:
    return LocalSettings(images={"example/image:1": image})


def test_a_mapped_command_stands_for_the_containers_and_keeps_its_arguments() -> None:
    pool = container_pool("sh", "-c", "rm -rf /", args=("--a=1",))
    task = pool_task(pool, "worker_pool_specs[0]", settings(command=["python", "/home/me/t.py"]))
    assert (task.command, task.arguments, task.module) == (
        ("python", "/home/me/t.py"),
        ("--a=1",),
        "",
    )


@pytest.mark.parametrize(
    ("image", "command"), [({}, ("python", "t.py")), ({"command": ["run"]}, ("run",))]
)
def test_an_engine_runs_the_containers_own_command_unless_another_is_mapped(
    image: dict[str, object], command: tuple[str, ...]
) -> None:
    local = settings(environment="docker", **image)
    task = pool_task(container_pool("python", "t.py"), "worker_pool_specs[0]", local)
    assert (task.place, task.command) == ("docker", command)


def test_a_command_cannot_stand_for_a_python_package() -> None:
    pool = protos.CustomJobSpec().worker_pool_specs.add(replica_count=1)
    pool.python_package_spec.executor_image_uri = "example/image:1"
    with pytest.raises(ApiError, match="no command can stand; leave command out"):
        pool_task(pool, "worker_pool_specs[0]", settings(command=["python"]))
