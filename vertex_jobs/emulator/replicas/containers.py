"""A pool's replicas as containers of an engine: what is mounted, what is removed afterwards.

No engine was at hand when this was written: the command lines follow the engines' references and
are compared with them in tests, but no container was started by them.
"""

import contextlib
import functools
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from vertex_jobs.emulator.client_environment.client_variables import plain_variables
from vertex_jobs.emulator.environments.commands import CommandRunner
from vertex_jobs.emulator.environments.engines import (
    PACKAGES_FOLDER,
    Container,
    package_command,
    remove_command,
    run_command,
)
from vertex_jobs.emulator.launcher.launcher_values import METRIC_FOLDER
from vertex_jobs.emulator.replicas.gcs_paths import GCS_FOLDER, mentions_gcs, used_buckets
from vertex_jobs.emulator.replicas.host import Host
from vertex_jobs.emulator.replicas.replica_places import Place, Start
from vertex_jobs.emulator.replicas.tasks import PoolTask

#: Files of the emulator's that variables point to; a container needs them in the same place.
_FILE_VARIABLES = ("SSL_CERT_FILE", "GOOGLE_APPLICATION_CREDENTIALS")


async def prepare_containers(
    host: Host, task: PoolTask, names: Sequence[str], held: contextlib.AsyncExitStack
) -> Place:
    """Make what a pool's containers need, whose names are unique on this machine.

    The task's place is the engine. ``held`` removes the containers when it closes, since one whose
    client was killed runs on.

    Raises:
        ApiError: If a package cannot be read.
    """
    packages = host.work_folder / f"packages-{names[0]}"
    packages.mkdir(parents=True, exist_ok=True)
    held.callback(shutil.rmtree, packages, ignore_errors=True)
    async with host.packages.archives(task.package_uris) as archives:
        for archive in archives:
            # An image may have a user of its own.
            Path(shutil.copy(archive, packages)).chmod(0o644)
    packages.chmod(0o755)
    remove = functools.partial(_remove, host, task.place, names)
    await remove()  # what a server that was killed left behind
    held.push_async_callback(remove)
    mounts = {str(packages): PACKAGES_FOLDER} if task.package_uris else {}
    copied = None
    read = await host.packages.read(task.package_uris)
    folders = [package.folder for package in read]
    if mentions_gcs(task, folders):
        # Docker's daemon lives outside the private root, and cannot see what is mounted there.
        if task.place == "podman" and host.launcher.capabilities.gcs_mount:
            await host.launcher.ensure_gcs_mount()
            mounts[GCS_FOLDER] = GCS_FOLDER
        else:
            copied = used_buckets(task, folders)

    def command(start: Start) -> tuple[str, ...]:
        seen = {start.gcs_folder: GCS_FOLDER} if start.gcs_folder else {}
        return run_command(task.place, _container(task, start, mounts | seen))

    return Place(sys.executable, command=command, copied_buckets=copied)


def _container(task: PoolTask, start: Start, mounts: Mapping[str, str]) -> Container:
    inherited = plain_variables().keys() - dict(task.environment).keys()
    files = [start.variables[name] for name in _FILE_VARIABLES if name in start.variables]
    metric_file = start.variables.get("CLOUD_ML_HP_METRIC_FILE")
    folder = str(Path(metric_file).parent) if metric_file else ""
    folders = {folder: folder, f"{folder}/": METRIC_FOLDER} if folder else {}
    return Container(
        image=task.image,
        name=start.name,
        command=package_command(task.module) if task.module else task.command,
        arguments=start.arguments,
        variables=sorted(start.variables.keys() - inherited),
        mounts={**mounts, **{path: path for path in files}, **folders},
        devices=start.devices,
    )


async def _remove(host: Host, engine: str, names: Sequence[str]) -> None:
    run = CommandRunner(host.launcher, host.work_folder)
    for name in names:
        await run(remove_command(engine, name), os.environ, lambda line: None)
