"""The server of Local Vertex: ``python -m vertex_jobs.emulator.server --state-dir DIR``.

One process that owns a state directory: fronts, services and store; it talks to the launcher and
to the search process. Started and joined by ``joining``; ends by itself 30 s after its last job
and client. Prints one line when it answers.
"""

import argparse
import asyncio
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import uvicorn
from uvicorn.server import ServerState

from vertex_jobs.emulator.administration import Administration
from vertex_jobs.emulator.admission import Admission
from vertex_jobs.emulator.controllers.machinery import Machinery
from vertex_jobs.emulator.controllers.packages import Packages
from vertex_jobs.emulator.controllers.supervisor import Supervisor
from vertex_jobs.emulator.fronts.application import Application
from vertex_jobs.emulator.fronts.calls import HoldPolicy
from vertex_jobs.emulator.fronts.certificates import Certificates
from vertex_jobs.emulator.fronts.grpc_front import start_grpc
from vertex_jobs.emulator.fronts.http_protocol import HttpProtocol
from vertex_jobs.emulator.fronts.listener import Listener
from vertex_jobs.emulator.fronts.rest import RestFront
from vertex_jobs.emulator.launcher import Launcher
from vertex_jobs.emulator.logbook import Logbook
from vertex_jobs.emulator.objects.store import ObjectStore
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.search_client import SearchClient
from vertex_jobs.emulator.services.accounts import project_methods
from vertex_jobs.emulator.services.jobs import JobService
from vertex_jobs.emulator.services.methods import Method
from vertex_jobs.emulator.services.models import ModelService
from vertex_jobs.emulator.services.operations import OperationService
from vertex_jobs.emulator.services.storage import storage_app
from vertex_jobs.emulator.state_directory import EndpointRecord, StateDirectory
from vertex_jobs.emulator.store import Store
from vertex_jobs.emulator.surroundings import google_variables, plain_variables
from vertex_jobs.errors import UnsupportedHereError

__all__ = ["main", "serve"]

#: The server ends this long after its last job and client.
IDLE_SECONDS = 30.0


@contextlib.asynccontextmanager
async def _machinery(
    directory: StateDirectory, record: EndpointRecord, certificates: Certificates
) -> AsyncIterator[Machinery]:
    """Open what the controllers work with; the launcher goes first, before there are threads."""
    launcher = await Launcher.start(directory.path, gcs_store=directory.objects)
    shutil.rmtree(directory.work, ignore_errors=True)
    objects = ObjectStore(directory.objects, create_buckets=True)
    store, search = Store(directory.database), SearchClient()
    google = google_variables(record.port, certificates, record.project)
    try:
        yield Machinery(
            store,
            Identity(),
            Logbook(directory.logs),
            objects,
            Packages(directory.packages, objects),
            launcher,
            search,
            lambda: plain_variables() | google,
            directory.work,
        )
    finally:
        await search.close()
        await launcher.close()
        objects.close()
        store.close()


def _methods(machinery: Machinery, supervisor: Supervisor, project: str) -> list[Method]:
    store, identity = machinery.store, machinery.identity
    methods = [
        method
        for collection in Admission(machinery.packages).collections()
        for method in JobService(
            collection, store, identity, start=supervisor.start, cancel=supervisor.cancel
        ).methods()
    ]
    methods += ModelService(store, identity).methods()
    methods += OperationService().methods()
    return methods + project_methods(lambda number: project if number.isdigit() else number)


def _http_config(application: Application) -> uvicorn.Config:
    config = uvicorn.Config(
        application,
        http=HttpProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
    )
    config.load()
    return config


async def serve(directory: StateDirectory, project: str, location: str) -> None:
    """Own the directory and answer until told to stop or idle."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    listening, record = directory.listen(project, location)
    certificates = Certificates.load_or_make(directory.certificates, project)
    async with _machinery(directory, record, certificates) as machinery:
        supervisor, hold = Supervisor(machinery), HoldPolicy()
        methods = _methods(machinery, supervisor, project)
        admin = Administration(
            record.token, supervisor, hold, machinery.launcher.capabilities, stopping.set
        )
        application = Application(
            RestFront(methods, hold), storage_app(machinery.objects), admin, machinery.logbook
        )
        config, state = _http_config(application), ServerState()
        grpc_server = await start_grpc(
            methods,
            directory.grpc_socket,
            certificates.key.read_bytes(),
            certificates.chain.read_bytes(),
            hold,
        )
        listener = Listener(
            lambda: HttpProtocol(config=config, server_state=state, app_state={}),
            certificates.server_context(),
            directory.grpc_socket,
            os.environ.get("https_proxy", ""),
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
    """Serve one state directory; the exit code is 3 when another server has it."""
    parser = argparse.ArgumentParser(prog="python -m vertex_jobs.emulator.server")
    parser.add_argument("--state-dir", type=Path, required=True)
    parser.add_argument("--project", default="local-project")
    parser.add_argument("--location", default="us-central1")
    options = parser.parse_args(arguments)
    directory = StateDirectory(options.state_dir)
    directory.create()
    try:
        with directory.hold():
            asyncio.run(serve(directory, options.project, options.location))
    except UnsupportedHereError as error:
        print(error, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
