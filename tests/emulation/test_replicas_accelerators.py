"""Devices of a machine that a test makes up, handed to real processes."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from machine_room import Room, in_room, package_pool, trainer

from vertex_jobs.emulator.controllers.stop import Stop

SHOW = """
import json, os
names = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "VERTEX_JOBS_LOCAL_DEVICES")
print(json.dumps([os.environ.get(name) for name in names]))
"""
#: Says which devices it has, and ends when as many have said so as it was told to wait for.
MEET = """
import os, pathlib, sys, time
folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
(folder / str(os.getpid())).write_text(os.environ["CUDA_VISIBLE_DEVICES"])
while len(list(folder.iterdir())) < count:
    time.sleep(0.01)
"""


def pool(*args: str, accelerators: int, replicas: int = 1) -> dict[str, Any]:
    machine = {"accelerator_type": "NVIDIA_TESLA_T4", "accelerator_count": accelerators}
    return package_pool(*args, replicas=replicas, machine=machine if accelerators else {})


def shown(room: Room, job_id: str, replica: str) -> Any:
    (line,) = [line for line in room.lines(job_id, replica) if line.startswith("[")]
    return json.loads(line)


def test_two_replicas_with_two_accelerators_each(tmp_path: Path) -> None:
    async def body(room: Room) -> None:
        room.put_package(trainer(SHOW + MEET))
        folder = tmp_path / "met"
        folder.mkdir()
        args = (str(folder), "2")
        job_id = room.create(pool(*args, accelerators=2), pool(*args, accelerators=2))
        await room.run(job_id)
        assert [shown(room, job_id, f"workerpool{number}-0") for number in (0, 1)] == [
            ["0,1", "PCI_BUS_ID", None],
            ["2,3", "PCI_BUS_ID", None],
        ]

    in_room(tmp_path, body, devices=("0", "1", "2", "3"))


def test_a_job_without_accelerators_sees_none_of_the_machines(tmp_path: Path) -> None:
    async def body(room: Room) -> None:
        room.put_package(trainer(SHOW))
        job_id = room.create(pool(accelerators=0))
        await room.run(job_id)
        assert shown(room, job_id, "workerpool0-0") == ["", "PCI_BUS_ID", None]

    in_room(tmp_path, body, devices=("0",))


@pytest.mark.parametrize(("count", "devices"), [(0, None), (1, "1"), (4, "4")])
def test_without_gpus_the_count_is_announced_to_the_runtime(
    tmp_path: Path, count: int, devices: str | None
) -> None:
    async def body(room: Room) -> None:
        room.put_package(trainer(SHOW))
        job_id = room.create(pool(accelerators=count))
        await room.run(job_id)
        assert shown(room, job_id, "workerpool0-0") == [None, None, devices]

    in_room(tmp_path, body)


def test_jobs_wait_for_devices_and_never_share_one(tmp_path: Path) -> None:
    """Six jobs on two devices: each notes who runs beside it on its own device."""
    program = """
import os, pathlib, sys, time
mark = pathlib.Path(sys.argv[1]) / os.environ["CUDA_VISIBLE_DEVICES"]
descriptor = os.open(mark, os.O_CREAT | os.O_EXCL)  # fails while another job has the device
time.sleep(0.05)
mark.unlink()
"""

    async def body(room: Room) -> None:
        room.put_package(trainer(program))
        folder = tmp_path / "marks"
        folder.mkdir()
        jobs = [room.create(pool(str(folder), accelerators=1)) for _ in range(6)]
        endings = await asyncio.gather(*(room.run(job_id) for job_id in jobs))
        assert [ending.message for ending in endings] == [""] * 6
        waited = [
            job_id
            for job_id in jobs
            if "Waiting for 1 accelerators: 0 of this machine's 2 are free." in room.lines(job_id)
        ]
        assert waited == jobs[2:]

    in_room(tmp_path, body, devices=("0", "1"))


def test_shared_accelerators_are_used_at_the_same_time(tmp_path: Path) -> None:
    async def body(room: Room) -> None:
        room.put_package(trainer(MEET))
        folder = tmp_path / "met"
        folder.mkdir()
        jobs = [room.create(pool(str(folder), "2", accelerators=1)) for _ in range(2)]
        local = {"share_accelerators": True}
        await asyncio.gather(*(room.run(job_id, local=local) for job_id in jobs))
        assert [path.read_text() for path in folder.iterdir()] == ["0", "0"]

    in_room(tmp_path, body, devices=("0",))


def test_a_job_that_waits_for_a_device_can_be_stopped(tmp_path: Path) -> None:
    async def body(room: Room) -> None:
        room.put_package(trainer(""))
        async with room.custom_jobs.host.accelerators.hold(1):
            stop = Stop()
            job_id = room.create(pool(accelerators=1))
            running = asyncio.create_task(room.run(job_id, stop=stop))
            while not any("Waiting for 1 accel" in line for line in room.lines(job_id)):
                await asyncio.sleep(0.01)
            room.record(job_id).request_cancel()
            stop.set()
            assert (await running).code == "CANCELLED"

    in_room(tmp_path, body, devices=("0",))
