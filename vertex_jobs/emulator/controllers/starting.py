"""From a job's creation to the eve of its running, at the pace that its settings give it."""

import asyncio

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.stopping import Stop
from vertex_jobs.emulator.replicas.machinery import Machinery
from vertex_jobs.emulator.replicas.pace import longest_wait
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.emulator.resources.job_settings import JobSettings
from vertex_jobs.names import ResourceName

__all__ = ["await_start"]


async def await_start(
    machinery: Machinery,
    job: protos.Message,
    scheduling: protos.Message,
    settings: JobSettings,
    stop: Stop,
) -> Ending | None:
    """Take a job through QUEUED and PENDING; how it ends instead if it does not come to run.

    The state RUNNING itself is for the caller to write, once something runs.

    Args:
        machinery: The server's parts.
        job: As it was read; a job that has run before is let through.
        scheduling: Of its worker pools, or of its trials'.
        settings: What Vertex AI does not have.
        stop: Set to end the job before its time.
    """
    name = ResourceName.parse(job.name)
    limit = longest_wait(job, scheduling)
    stopped = asyncio.ensure_future(stop.wait())
    try:
        while job.state in (states.QUEUED, states.PENDING):
            expired = await machinery.pacing.wait(job, settings.local.pace, stopped, limit)
            if stop.is_set():
                return stop.ending
            if expired or job.state == states.PENDING:
                return expired
            job = machinery.store.load(name.collection, name.resource_id, trials=False)
            states.advance(job, states.PENDING, machinery.identity.now())
            machinery.store.save(job)
    finally:
        stopped.cancel()
    return stop.ending if stop.is_set() else None
