"""The server of Local Vertex: ``python -m vertex_jobs.emulator.server --state-dir DIR``.

One process that owns a state directory: fronts, services and store; it talks to the launcher and
to the search process. Started and joined by ``joining``; ends by itself 30 s after its last job
and client. Prints one line when it answers.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import uvloop
from uvicorn.server import ServerState

from vertex_jobs.emulator.client_environment.certificates import Certificates
from vertex_jobs.emulator.client_environment.client_variables import (
    google_variables,
    plain_variables,
)
from vertex_jobs.emulator.clock import Clock, SystemClock, VirtualClock
from vertex_jobs.emulator.controllers.supervisor import Supervisor
from vertex_jobs.emulator.environments.commands import CommandRunner
from vertex_jobs.emulator.environments.installers import find_installer
from vertex_jobs.emulator.environments.isolated import IsolatedEnvironments
from vertex_jobs.emulator.fronts.administration import Administration
from vertex_jobs.emulator.fronts.application import Application
from vertex_jobs.emulator.fronts.calls import HoldPolicy
from vertex_jobs.emulator.fronts.grpc_front import start_grpc
from vertex_jobs.emulator.fronts.grpc_sockets import GrpcSockets
from vertex_jobs.emulator.fronts.http_server import HttpProtocol, http_config
from vertex_jobs.emulator.fronts.listener import Listener
from vertex_jobs.emulator.fronts.outer_proxy import OuterProxy
from vertex_jobs.emulator.fronts.peers import socket_inode
from vertex_jobs.emulator.fronts.rest import RestFront
from vertex_jobs.emulator.launcher import Launcher
from vertex_jobs.emulator.replicas.accelerators import AcceleratorPool, find_devices
from vertex_jobs.emulator.replicas.machinery import Machinery, clear_work
from vertex_jobs.emulator.replicas.pace import Pacing
from vertex_jobs.emulator.replicas.packages import Packages
from vertex_jobs.emulator.replicas.ports import Ports
from vertex_jobs.emulator.resources.identity import Identity
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
from vertex_jobs.state import state_directory

__all__ = ["main", "serve"]

#: The server ends this long after its last job and client.
IDLE_SECONDS = 30.0


@contextlib.asynccontextmanager
async def _machinery(
    directory: StateDirectory,
    record: EndpointRecord,
    certificates: Certificates,
    clock: Clock,
    umask: int,
) -> AsyncIterator[Machinery]:
    """Open what the controllers work with; the launcher goes first, before there are threads."""
    launcher = await Launcher.start(
        directory.path, gcs_store=directory.objects, clock=clock.time, umask=umask
    )
    mounting = asyncio.create_task(_mount_gcs(launcher))
    clear_work(directory.work)
    ledger = WriteLedger()
    objects = ObjectStore(directory.objects, create_buckets=True, on_write=ledger.note)
    store, search = Store(directory.database), SearchClient()
    logbook = Logbook(directory.logs)
    google = google_variables(record.port, certificates, record.project)
    try:
        yield Machinery(
            store,
            clock,
            Pacing(clock),
            Identity(clock.time_ns),
            logbook,
            objects,
            Packages(directory.packages, objects),
            launcher,
            search,
            lambda: plain_variables() | google,
            directory.work,
            Ports(),
            AcceleratorPool(find_devices(os.environ)),
            IsolatedEnvironments(
                directory.environments,
                find_installer(os.environ),
                os.environ,
                CommandRunner(launcher, directory.environments),
            ),
            writes=ledger,
        )
    finally:
        mounting.cancel()
        await search.close()
        await launcher.close()
        objects.close()
        store.close()
        logbook.close()


async def _mount_gcs(launcher: Launcher) -> None:
    """Have ``/gcs`` there for scripts that nobody saw naming it; where it cannot be, go without."""
    with contextlib.suppress(UnsupportedHereError, EndpointLostError):
        await launcher.ensure_gcs_mount()


async def serve(
    directory: StateDirectory, project: str, location: str, clock: Clock, umask: int
) -> None:
    """Own the directory and answer until told to stop or idle.

    Args:
        directory: Held by this process.
        project: Default project.
        location: Default location.
        clock: The time of jobs.
        umask: Of the replicas.
    """
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    listening, record = directory.listen(project, location)
    certificates = Certificates.load_or_make(directory.certificates, project)
    async with _machinery(directory, record, certificates, clock, umask) as machinery:
        supervisor, hold, standing = Supervisor(machinery), HoldPolicy(), StandingSettings()
        board = machinery.faults
        methods = with_faults(api_methods(machinery, supervisor), board, clock)
        methods = completed_methods(methods, standing)
        admin = Administration(
            record.token,
            supervisor,
            hold,
            standing,
            machinery.launcher.capabilities,
            stopping.set,
            Rehearsal(machinery, supervisor, call_names(methods)).calls(),
        )
        application = Application(
            RestFront(methods, hold),
            noting_writers(
                StorageApplication(machinery.objects, board, clock),
                machinery.writes,
                socket_inode,
            ),
            admin,
            AccountService(certificates.credentials, machinery.identity.unix_time),
            LogService(machinery.logbook, machinery.store),
            hold,
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
    parser.add_argument("--project", default="local-project")
    parser.add_argument("--location", default="us-central1")
    parser.add_argument("--clock", choices=("system", "virtual"), default="system")
    options = parser.parse_args(arguments)
    clock = VirtualClock(time.time_ns()) if options.clock == "virtual" else SystemClock()
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
