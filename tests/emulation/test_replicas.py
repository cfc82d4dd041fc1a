"""What a replica finds in its environment, compared with the service's documented form."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from machine_room import Room, in_room, package_pool, trainer

from vertex_jobs.emulator.replicas.replica_environment import Trial

#: Prints everything that the service could have set, and whether its own address is free.
DUMP = """
import json, os, socket
names = ("AIP_", "CLOUD_ML_", "TF_CONFIG", "CLUSTER_SPEC", "HOSTNAME", "MASTER_", "RANK",
         "WORLD_SIZE", "CUDA_", "VERTEX_JOBS_", "MY_")
print(json.dumps({k: v for k, v in os.environ.items() if k.startswith(names)}))
spec = json.loads(os.environ["CLUSTER_SPEC"])
host, _, port = spec["cluster"][spec["task"]["type"]][spec["task"]["index"]].rpartition(":")
socket.create_server((host, int(port))).close()
"""
#: All five of them write before the chief decides: the chief goes last.
DUMP_LAST = (
    """
import os, sys, time, pathlib
folder = pathlib.Path(sys.argv[1])
"""
    + DUMP
    + """
if spec["task"]["type"] in ("workerpool0", "chief"):
    while len(list(folder.iterdir())) < int(sys.argv[2]):
        time.sleep(0.01)
else:
    (folder / os.environ["HOSTNAME"]).touch()
"""
)


def dump(room: Room, job_id: str, replica: str) -> dict[str, Any]:
    (line,) = [line for line in room.lines(job_id, replica) if line.startswith("{")]
    variables: dict[str, Any] = json.loads(line)
    for name in ("TF_CONFIG", "CLUSTER_SPEC"):
        if name in variables:
            variables[name] = json.loads(variables[name])
    return variables


def test_every_replica_of_a_distributed_job(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    ready.mkdir()
    found: dict[str, dict[str, Any]] = {}
    job_ids: list[str] = []

    async def body(room: Room) -> None:
        room.put_package(trainer(DUMP_LAST))
        args = (str(ready), "4")
        pools = [package_pool(*args), *(package_pool(*args, replicas=n) for n in (2, 1, 1))]
        job_id = room.create(*pools, base="gs://bucket/out")
        job_ids.append(job_id)
        ending = await room.run(job_id)
        assert ending.message == ""
        for pool, count in enumerate((1, 2, 1, 1)):
            for index in range(count):
                replica = f"workerpool{pool}-{index}"
                found[replica] = dump(room, job_id, replica)

    in_room(tmp_path, body)
    chief = found["workerpool0-0"]
    cluster = chief["CLUSTER_SPEC"]["cluster"]
    tf_cluster = {
        "chief": cluster["workerpool0"],
        "worker": cluster["workerpool1"],
        "ps": cluster["workerpool2"],
    }
    ports = [host for hosts in cluster.values() for host in hosts]
    assert len(set(ports)) == 5
    assert all(re.fullmatch(r"127\.0\.0\.1:\d+", host) for host in ports)
    program = (
        '{"python_module":"trainer.task","package_uris":["gs://packages/trainer-0.1.tar.gz"],'
        f'"job_args":["{ready}","4"]}}'
    )
    digits = re.fullmatch(r"cmle-training-workerpool0-([0-9a-f]{10})-0", chief["HOSTNAME"])
    assert digits is not None
    for pool, (role, count) in enumerate(
        (("chief", 1), ("worker", 2), ("ps", 1), ("evaluator", 1))
    ):
        for index in range(count):
            host = f"cmle-training-workerpool{pool}-{digits[1]}-{index}"
            assert found[f"workerpool{pool}-{index}"] == {
                "AIP_MODEL_DIR": "gs://bucket/out/model/",
                "AIP_CHECKPOINT_DIR": "gs://bucket/out/checkpoints/",
                "AIP_TENSORBOARD_LOG_DIR": "gs://bucket/out/logs/",
                "CLOUD_ML_PROJECT_ID": chief["CLOUD_ML_PROJECT_ID"],
                "CLOUD_ML_REGION": "europe-west4",
                "CLOUD_ML_JOB_ID": job_ids[0],
                "HOSTNAME": host,
                "CLUSTER_SPEC": {
                    "cluster": cluster,
                    "environment": "cloud",
                    "task": {"type": f"workerpool{pool}", "index": index},
                    "job": program,
                },
                "TF_CONFIG": {
                    "cluster": tf_cluster,
                    "environment": "cloud",
                    "task": {"type": role, "index": index, "cloud": host},
                    "job": program,
                },
            }
    assert chief["CLOUD_ML_PROJECT_ID"].isdigit()


def test_a_single_replica_is_called_chief_and_has_no_tf_config(tmp_path: Path) -> None:
    async def body(room: Room) -> None:
        room.put_package(trainer(DUMP))
        job_id = room.create(package_pool())
        await room.run(job_id)
        found = dump(room, job_id, "workerpool0-0")
        (address,) = found["CLUSTER_SPEC"]["cluster"]["chief"]
        assert found == {
            "CLOUD_ML_PROJECT_ID": found["CLOUD_ML_PROJECT_ID"],
            "CLOUD_ML_REGION": "europe-west4",
            "CLOUD_ML_JOB_ID": job_id,
            "HOSTNAME": found["HOSTNAME"],
            "CLUSTER_SPEC": {
                "cluster": {"chief": [address]},
                "environment": "cloud",
                "task": {"type": "chief", "index": 0},
            },
        }

    in_room(tmp_path, body)


def test_a_trial_knows_its_number_and_its_metric_file(tmp_path: Path) -> None:
    async def body(room: Room) -> None:
        room.put_package(trainer("import sys\n" + DUMP + "print(sys.argv[1:])"))
        job_id = room.create(package_pool("--epochs=1"), base="gs://bucket/out/3")
        await room.run(job_id, trial=Trial("3", ("--x=0.5", "--n=8"), tmp_path / "reports", 1))
        found = dump(room, job_id, "workerpool0-0")
        assert (
            found["CLOUD_ML_TRIAL_ID"],
            found["CLOUD_ML_HP_METRIC_FILE"],
            found["AIP_MODEL_DIR"],
            found["CLUSTER_SPEC"]["task"],
        ) == (
            "3",
            str(tmp_path / "reports" / "workerpool0-0" / "output.metrics"),
            "gs://bucket/out/3/model/",
            {"type": "chief", "index": 0, "trial": "3"},
        )
        assert "['--epochs=1', '--x=0.5', '--n=8']" in room.lines(job_id, "workerpool0-0")

    in_room(tmp_path, body)


def test_pytorch_images_number_chief_and_workers(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    ready.mkdir()
    image = "us-docker.pkg.dev/vertex-ai/training/pytorch-gpu.2-4.py310:latest"

    async def body(room: Room) -> None:
        room.put_package(trainer(DUMP_LAST))
        args = (str(ready), "3")
        pools = [package_pool(*args, image=image, replicas=count) for count in (1, 2, 1)]
        job_id = room.create(*pools)
        await room.run(job_id)
        replicas = ("workerpool0-0", "workerpool1-0", "workerpool1-1", "workerpool2-0")
        found = [dump(room, job_id, replica) for replica in replicas]
        (master,) = found[0]["CLUSTER_SPEC"]["cluster"]["workerpool0"]
        names = ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE")
        host, _, port = master.rpartition(":")
        assert [tuple(one.get(name) for name in names) for one in found] == [
            (host, port, "0", "3"),
            (host, port, "1", "3"),
            (host, port, "2", "3"),
            (None, None, None, None),
        ]

    in_room(tmp_path, body)


@pytest.mark.parametrize("name", ["AIP_MODEL_DIR", "CLOUD_ML_JOB_ID", "CLUSTER_SPEC"])
def test_a_variable_of_the_services_cannot_be_overridden(tmp_path: Path, name: str) -> None:
    async def body(room: Room) -> None:
        room.put_package(trainer(DUMP))
        pool = package_pool(env={name: "mine", "MY_SETTING": "kept"})
        job_id = room.create(pool, base="gs://out/x")
        await room.run(job_id)
        found = dump(room, job_id, "workerpool0-0")
        assert (found.get(name) != "mine", found["MY_SETTING"]) == (True, "kept")
        assert (
            f"The job's env sets {name}; for this job the service has values of its own, which "
            "stand. Take them out of env."
        ) in room.lines(job_id, "service")

    in_room(tmp_path, body)


def test_a_variable_that_the_service_does_not_set_is_the_jobs(tmp_path: Path) -> None:
    """A job without a managed dataset may lead its script to data of its own."""
    mine = {"AIP_TRAINING_DATA_URI": "gs://mine/*.csv", "AIP_DATA_FORMAT": "csv"}

    async def body(room: Room) -> None:
        room.put_package(trainer(DUMP))
        job_id = room.create(package_pool(env=mine))
        await room.run(job_id)
        found = dump(room, job_id, "workerpool0-0")
        warned = [line for line in room.lines(job_id, "service") if "the job's env" in line.lower()]
        assert ({name: found.get(name) for name in mine}, warned) == (mine, [])

    in_room(tmp_path, body)


def test_the_lines_of_a_run_are_in_the_services_order(tmp_path: Path) -> None:
    async def body(room: Room) -> None:
        room.put_package(trainer(""))
        job_id = room.create(package_pool("--a=b c"))
        await room.run(job_id)
        described = (
            '{"python_module":"trainer.task","package_uris":["gs://packages/trainer-0.1.tar.gz"],'
            '"job_args":["--a\\u003db c"]}'
        )
        lines = [
            re.sub(r"127\.0\.0\.1:\d+", "HOST", line)
            for line in room.lines(job_id)
            if not line.startswith("image: ")
        ]
        assert lines == [
            "Waiting for job to be provisioned.",
            "Vertex AI is setting up this job.",
            "Waiting for training program to start.",
            "Job is preparing.",
            'Running task with arguments: --cluster={"chief": ["HOST"]} '
            f'--task={{"type": "chief", "index": 0}} --job={described}',
            "Running module trainer.task.",
            "Running command: python3 -m trainer.task --a=b c",
            "Job is running.",
            "Task completed. Exit code (0). Exit reason (SUCCEEDED)",
            "Tearing down training program.",
            "Finished tearing down training program.",
            "Job completed successfully.",
        ]

    in_room(tmp_path, body)


@pytest.mark.parametrize(("parallel", "shown"), [(1, "None"), (10_000, "1")])
def test_trials_that_run_at_once_share_the_cores(tmp_path: Path, parallel: int, shown: str) -> None:
    async def body(room: Room) -> None:
        room.put_package(trainer("import os\nprint(os.environ.get('TF_NUM_INTRAOP_THREADS'))"))
        job_id = room.create(package_pool())
        await room.run(job_id, trial=Trial("1", (), tmp_path / "metrics", parallel))
        assert shown in room.lines(job_id, "workerpool0-0")

    in_room(tmp_path, body)


def test_a_job_may_set_its_own_threads(tmp_path: Path) -> None:
    async def body(room: Room) -> None:
        room.put_package(trainer("import os\nprint(os.environ['TF_NUM_INTRAOP_THREADS'])"))
        job_id = room.create(package_pool(env={"TF_NUM_INTRAOP_THREADS": "7"}))
        await room.run(job_id, trial=Trial("1", (), tmp_path / "metrics", 10_000))
        assert "7" in room.lines(job_id, "workerpool0-0")

    in_room(tmp_path, body)
