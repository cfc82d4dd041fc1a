"""Runs custom jobs with real processes and a machine that a test makes up: devices, settings."""

import asyncio
import contextlib
import io
import os
import tarfile
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.client_environment.client_variables import plain_variables
from vertex_jobs.emulator.clock import SystemClock
from vertex_jobs.emulator.controllers.custom_job import CustomJobs
from vertex_jobs.emulator.controllers.pacing import Pacing
from vertex_jobs.emulator.controllers.stop import Stop
from vertex_jobs.emulator.environments.commands import CommandRunner
from vertex_jobs.emulator.environments.installers import Installer
from vertex_jobs.emulator.environments.isolated import IsolatedEnvironments
from vertex_jobs.emulator.environments.package_installer import PackageInstaller
from vertex_jobs.emulator.faults.rules import FaultBoard
from vertex_jobs.emulator.launcher.launcher_client import Launcher
from vertex_jobs.emulator.replicas.accelerators import AcceleratorPool
from vertex_jobs.emulator.replicas.host import Host
from vertex_jobs.emulator.replicas.installations import Installations
from vertex_jobs.emulator.replicas.packages import Packages
from vertex_jobs.emulator.replicas.ports import Ports
from vertex_jobs.emulator.replicas.replica_environment import Trial
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.resources.job_records import JobRecord, JobRecords
from vertex_jobs.emulator.resources.job_settings import JobSettings
from vertex_jobs.emulator.storage.objects import ObjectStore
from vertex_jobs.emulator.storage.writers import WriteLedger
from vertex_jobs.emulator.store.logbook import Logbook
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.names import ResourceName
from vertex_jobs.packaging.sdist import write_sdist

TENSORFLOW_IMAGE = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest"
PACKAGE_URI = "gs://packages/trainer-0.1.tar.gz"


def source_archive(files: Mapping[str, str], folder: str = "trainer-0.1") -> bytes:
    """A tar.gz with these files below one folder."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        for path, text in files.items():
            member = tarfile.TarInfo(f"{folder}/{path}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return archive.getvalue()


def trainer(task: str, requirements: Sequence[str] = ()) -> bytes:
    """A package as this project writes it, whose module ``trainer.task`` is that source."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trainer-0.1.tar.gz")
        contents = {"__init__.py": b"", "task.py": task.encode()}
        write_sdist(
            path, name="trainer", version="0.1", contents=contents, requirements=requirements
        )
        return path.read_bytes()


def package_pool(*args: str, replicas: int = 1, **fields: Any) -> dict[str, Any]:
    """A worker pool that runs ``trainer.task``."""
    spec = {
        "executor_image_uri": fields.pop("image", TENSORFLOW_IMAGE),
        "package_uris": [PACKAGE_URI],
        "python_module": "trainer.task",
        "args": list(args),
        "env": [{"name": key, "value": text} for key, text in fields.pop("env", {}).items()],
    }
    machine = {"machine_type": "n1-standard-4", **fields.pop("machine", {})}
    return {"machine_spec": machine, "replica_count": replicas, "python_package_spec": spec}


def container_pool(image: str, *command: str, args: tuple[str, ...] = ()) -> dict[str, Any]:
    """A worker pool that runs a container."""
    return {
        "machine_spec": {"machine_type": "n1-standard-4"},
        "replica_count": 1,
        "container_spec": {"image_uri": image, "command": list(command), "args": list(args)},
    }


@dataclass
class Room:
    """The part of a server that runs custom jobs."""

    records: JobRecords
    custom_jobs: CustomJobs

    def record(self, job_id: str) -> JobRecord:
        job = self.records.store.load("customJobs", job_id)
        return self.records.of(ResourceName.parse(job.name))

    def put_package(self, archive: bytes, uri: str = PACKAGE_URI) -> None:
        bucket, _, path = uri.removeprefix("gs://").partition("/")
        objects = self.custom_jobs.objects
        buckets = objects.buckets
        if bucket not in [one.name for one in buckets.list()]:
            buckets.create(bucket)
        objects.write(bucket, path, archive)

    def create(self, *pools: Mapping[str, Any], base: str = "") -> str:
        """Keep a job that is PENDING and return its number."""
        identity, now = self.records.identity, self.records.identity.now()
        job = protos.CustomJob(name=str(identity.new_name("project", "europe-west4", "customJobs")))
        spec: dict[str, Any] = {"worker_pool_specs": list(pools)}
        if base:
            spec["base_output_directory"] = {"output_uri_prefix": base}
        protos.from_json(spec, job.job_spec)
        job.create_time.CopyFrom(now)
        states.advance(job, states.PENDING, now)
        self.records.store.insert(job, project="project")
        return ResourceName.parse(job.name).resource_id

    async def run(
        self,
        job_id: str,
        *,
        local: Mapping[str, Any] | None = None,
        stop: Stop | None = None,
        trial: Trial | None = None,
    ) -> Ending:
        record = self.record(job_id)
        record.settings = JobSettings.read({**(local or {}), "fresh": True})
        return await self.custom_jobs.controller(record, stop or Stop(), trial=trial).run()

    def lines(self, job_id: str, task: str = "") -> list[str]:
        return [
            line.text for line in self.records.logbook.read(job_id) if not task or line.task == task
        ]


@contextlib.asynccontextmanager
async def open_room(
    folder: Path,
    *,
    devices: tuple[str, ...] = (),
    installer: Installer | None = None,
    installer_environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Room]:
    launcher = await Launcher.start(folder)
    clock, objects = SystemClock(), ObjectStore(folder / "objects", create_buckets=True)
    store, logbook = Store(folder / "resources.sqlite"), Logbook(folder / "logs")
    environments = folder / "environments"
    packages = Packages(folder / "packages", objects)
    variables = os.environ if installer_environ is None else installer_environ
    installer_here = PackageInstaller(
        CommandRunner(launcher, folder / "packages"), plain_variables, variables
    )
    try:
        host = Host(
            launcher=launcher,
            packages=packages,
            installations=Installations(packages, installer_here),
            ports=Ports(),
            accelerators=AcceleratorPool(devices),
            environments=IsolatedEnvironments(
                environments,
                installer or Installer("pip"),
                variables,
                CommandRunner(launcher, environments),
            ),
            surroundings=plain_variables,
            work_folder=folder / "work",
        )
        pacing, writes = Pacing(clock), WriteLedger()
        yield Room(
            JobRecords(store, Identity(clock.time_ns), logbook),
            CustomJobs(host, clock, pacing, FaultBoard(), objects, writes),
        )
    finally:
        await launcher.close()
        objects.close()
        store.close()
        logbook.close()


def in_room(folder: Path, body: Callable[[Room], Awaitable[None]], **settings: Any) -> None:
    """Run a coroutine with a room of its own."""

    async def run() -> None:
        async with open_room(folder, **settings) as room:
            await body(room)

    asyncio.run(run())
