"""The server of Local Vertex: ``python -m vertex_jobs.emulator.server --state-dir DIR``.

One process that owns a state directory: fronts, services and store; it talks to the launcher and
to the search process. Started and joined by ``joining``; ends by itself 30 s after its last job
and client. Prints one line when it answers.
"""

import argparse
import asyncio
import contextlib
import gc
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

import uvloop
from uvicorn.server import ServerState

from vertex_jobs.emulator.client_environment.certificates import Certificates
from vertex_jobs.emulator.client_environment.client_variables import (
    google_variables,
    plain_variables,
)
from vertex_jobs.emulator.clock import Clock, SystemClock, VirtualClock
from vertex_jobs.emulator.controllers.custom_job import CustomJobs
from vertex_jobs.emulator.controllers.gcs_copies import keep_what_is_left
from vertex_jobs.emulator.controllers.pacing import Pacing
from vertex_jobs.emulator.controllers.stop import Stop
from vertex_jobs.emulator.controllers.supervisor import Controller, Supervisor
from vertex_jobs.emulator.controllers.training_pipeline import TrainingPipelineRun
from vertex_jobs.emulator.controllers.tuning_job import TuningJobRun
from vertex_jobs.emulator.controllers.warm_start import EarlierStudies
from vertex_jobs.emulator.environments.commands import CommandRunner
from vertex_jobs.emulator.environments.installers import find_installer
from vertex_jobs.emulator.environments.isolated import IsolatedEnvironments
from vertex_jobs.emulator.environments.package_installer import PackageInstaller
from vertex_jobs.emulator.faults.incidents import READS_OF_MOUNT, Incidents, MountReads
from vertex_jobs.emulator.faults.rules import FaultBoard
from vertex_jobs.emulator.fronts.administration import Administration
from vertex_jobs.emulator.fronts.application import Application
from vertex_jobs.emulator.fronts.calls import HoldPolicy
from vertex_jobs.emulator.fronts.grpc_front import start_grpc
from vertex_jobs.emulator.fronts.grpc_sockets import GrpcSockets
from vertex_jobs.emulator.fronts.http_server import HttpProtocol, http_config
from vertex_jobs.emulator.fronts.listener import Listener
from vertex_jobs.emulator.fronts.outer_proxy import OuterProxy
from vertex_jobs.emulator.fronts.own_faults import OwnFaults
from vertex_jobs.emulator.fronts.peers import socket_inode
from vertex_jobs.emulator.fronts.rest import RestFront
from vertex_jobs.emulator.launcher.launcher_client import Launcher
from vertex_jobs.emulator.replicas.accelerators import AcceleratorPool, find_devices
from vertex_jobs.emulator.replicas.capacity import Capacity
from vertex_jobs.emulator.replicas.host import Host, clear_work
from vertex_jobs.emulator.replicas.installations import Installations
from vertex_jobs.emulator.replicas.packages import Packages
from vertex_jobs.emulator.replicas.ports import Ports
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.resources.job_records import JobRecord, JobRecords
from vertex_jobs.emulator.resources.model_registry import ModelRegistry
from vertex_jobs.emulator.resources.tables.models import ModelTable
from vertex_jobs.emulator.services.accounts import AccountService
from vertex_jobs.emulator.services.api import api_methods
from vertex_jobs.emulator.services.fault_injection import call_names, with_faults
from vertex_jobs.emulator.services.log_service import LogService
from vertex_jobs.emulator.services.rehearsal import Rehearsal
from vertex_jobs.emulator.services.standing_settings import StandingSettings, completed_methods
from vertex_jobs.emulator.state_directory import (
    DIRECTORY_HELD,
    DirectoryHeldError,
    EndpointRecord,
    StateDirectory,
)
from vertex_jobs.emulator.storage.objects.object_store import ObjectStore
from vertex_jobs.emulator.storage.wire import StorageApplication
from vertex_jobs.emulator.storage.writers import WriteLedger, noting_writers
from vertex_jobs.emulator.store.logbook import Logbook
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.emulator.study_search.search_client import SearchClient
from vertex_jobs.errors import EndpointLostError, UnsupportedHereError
from vertex_jobs.job_kinds import CUSTOM_JOB, CUSTOM_TRAINING_JOB, TUNING_JOB, JobKind
from vertex_jobs.requests import LOCAL_PLACE
from vertex_jobs.state import state_directory

#: The server ends this long after its last job and client.
IDLE_SECONDS = 30.0


@dataclass(frozen=True)
class _Parts:
    """The parts that hold files or processes open while the server runs."""

    records: JobRecords
    objects: ObjectStore
    writes: WriteLedger
    host: Host
    search: SearchClient


@contextlib.asynccontextmanager
async def _open(
    directory: StateDirectory,
    record: EndpointRecord,
    certificates: Certificates,
    clock: Clock,
    umask: int,
) -> AsyncIterator[_Parts]:
    """Open the directory's parts; the launcher goes first, before there are threads."""
    launcher = await Launcher.start(
        directory.path, gcs_store=directory.objects, clock=clock.time, umask=umask
    )
    mounting = asyncio.create_task(_mount_gcs(launcher))
    writes, search = WriteLedger(), SearchClient()
    objects = ObjectStore(directory.objects, create_buckets=True, on_write=writes.note)
    store, logbook = Store(directory.database), Logbook(directory.logs)
    keep_what_is_left(directory.work, objects, logbook, clock.time())
    clear_work(directory.work)
    google = google_variables(record.port, certificates, record.project)
    packages = Packages(directory.packages, objects)
    installer = PackageInstaller(
        CommandRunner(launcher, directory.packages), lambda: plain_variables() | google, os.environ
    )
    host = Host(
        launcher,
        packages,
        Installations(packages, installer),
        Ports(),
        AcceleratorPool(find_devices(os.environ)),
        IsolatedEnvironments(
            directory.environments,
            find_installer(os.environ),
            os.environ,
            CommandRunner(launcher, directory.environments),
        ),
        lambda: plain_variables() | google,
        directory.work,
    )
    try:
        records = JobRecords(store, Identity(clock.time_ns), logbook)
        yield _Parts(records, objects, writes, host, search)
    finally:
        mounting.cancel()
        await search.close()
        await launcher.close()
        objects.close()
        store.close()
        logbook.close()


def _controllers(
    parts: _Parts, custom_jobs: CustomJobs, models: ModelRegistry, earlier: EarlierStudies
) -> dict[JobKind, Controller]:
    async def custom_job(record: JobRecord, stop: Stop) -> None:
        await custom_jobs.controller(record, stop).run()

    async def tuning_job(record: JobRecord, stop: Stop) -> None:
        await TuningJobRun(record, stop, custom_jobs, parts.search, earlier).run()

    async def pipeline(record: JobRecord, stop: Stop) -> None:
        await TrainingPipelineRun(record, stop, custom_jobs, models, parts.objects).run()

    return {CUSTOM_JOB: custom_job, TUNING_JOB: tuning_job, CUSTOM_TRAINING_JOB: pipeline}


async def _mount_gcs(launcher: Launcher) -> None:
    """Have ``/gcs`` there for scripts that nobody saw naming it; where it cannot be, go without."""
    with contextlib.suppress(UnsupportedHereError, EndpointLostError):
        await launcher.ensure_gcs_mount()


async def serve(
    directory: StateDirectory, project: str, location: str, clock: Clock, umask: int
) -> None:
    """Own the directory, which this process holds, and answer until told to stop or idle.

    ``project`` and ``location`` are the defaults; ``umask`` is that of the replicas.
    """
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    listening, record = directory.listen(project, location)
    certificates = Certificates.load_or_make(directory.certificates, project)
    async with _open(directory, record, certificates, clock, umask) as parts:
        records, host = parts.records, parts.host
        reads = MountReads(directory.objects / READS_OF_MOUNT)
        board, pacing = FaultBoard(Incidents(reads)), Pacing(clock)
        hold, standing = HoldPolicy(), StandingSettings()
        models = ModelRegistry(ModelTable(records.store.database), records.identity)
        earlier = EarlierStudies(records.store, parts.objects)
        custom_jobs = CustomJobs(host, clock, pacing, board, parts.objects, parts.writes)
        controllers = _controllers(parts, custom_jobs, models, earlier)
        supervisor = Supervisor(records, board, controllers)
        capacity = Capacity(host.packages, host.accelerators, host.launcher.capabilities)
        methods = api_methods(records, supervisor, capacity, models, earlier, parts.search)
        methods = completed_methods(with_faults(methods, board, clock), standing)
        admin = Administration(
            record.token,
            supervisor,
            hold,
            standing,
            host.launcher.capabilities,
            stopping.set,
            parts.objects.set_strict,
            Rehearsal(records, supervisor, pacing, board, call_names(methods)).calls(),
        )
        sql = records.store.database.sql
        faults = OwnFaults(directory.server_log, lambda: sql.total_changes)
        application = Application(
            RestFront(methods, hold),
            noting_writers(
                StorageApplication(parts.objects, board, clock), parts.writes, socket_inode
            ),
            admin,
            AccountService(certificates.credentials, records.identity.unix_time),
            LogService(records.logbook, records.store, lambda: parts.objects.is_strict),
            hold,
            faults,
        )
        config, state = http_config(application), ServerState()
        sockets = GrpcSockets.below(directory.path)
        listener = Listener(
            lambda: HttpProtocol(config=config, server_state=state, app_state={}),
            certificates.server_context(),
            sockets,
            OuterProxy.from_environment(os.environ, record.port),
        )
        grpc_server = await start_grpc(
            methods,
            sockets,
            certificates.key.read_bytes(),
            certificates.chain.read_bytes(),
            hold,
            listener,
            faults,
        )
        accepting = asyncio.create_task(listener.serve(listening))
        directory.write_endpoint(record)
        print(f"Local Vertex answers on {record.url}", flush=True)
        await _until_idle(stopping, supervisor, admin, state, listener)
        directory.write_endpoint(replace(record, pid=0))
        accepting.cancel()
        await supervisor.close()
        await grpc_server.stop(None)


async def _until_idle(
    stopping: asyncio.Event,
    supervisor: Supervisor,
    admin: Administration,
    state: ServerState,
    listener: Listener,
) -> None:
    """Return when told to stop, or when nobody has needed the server for a while."""
    loop = asyncio.get_running_loop()
    needed = loop.time()

    def note() -> None:
        nonlocal needed
        needed = loop.time()

    listener.on_connection = note
    while loop.time() - needed < IDLE_SECONDS and not stopping.is_set():
        if supervisor.running or state.connections or listener.relays or admin.held():
            note()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(stopping.wait(), 1.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve one state directory; the exit code is 3 when another server has it, else 2 or 0."""
    parser = argparse.ArgumentParser(prog="python -m vertex_jobs.emulator.server")
    parser.add_argument("--state-dir", required=True)
    parser.add_argument("--project", default=LOCAL_PLACE.project)
    parser.add_argument("--location", default=LOCAL_PLACE.location)
    parser.add_argument("--clock", choices=("system", "virtual"), default="system")
    options = parser.parse_args(arguments)
    clock = VirtualClock(time.time_ns()) if options.clock == "virtual" else SystemClock()
    gc.freeze()  # imported for good: not to be searched for garbage at each page of a long answer
    # What the server writes is its owner's alone; replicas have the umask of who started it.
    umask = os.umask(0o077)
    try:
        directory = StateDirectory(state_directory(options.state_dir))
        directory.take()
        with directory.hold():
            uvloop.run(serve(directory, options.project, options.location, clock, umask))
    except UnsupportedHereError as error:
        print(error, file=sys.stderr)
        return DIRECTORY_HELD if isinstance(error, DirectoryHeldError) else 2
    finally:
        os.umask(umask)
    return 0


if __name__ == "__main__":
    sys.exit(main())
