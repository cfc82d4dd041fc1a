"""What happens to the replicas of one job on purpose, each thing when its trigger comes.

When is for ``faults.rules`` to say; this listens for the triggers and sends the signals.
"""

import asyncio
import re
import signal
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass, field
from typing import Any

from vertex_jobs.emulator.clock import wait_until
from vertex_jobs.emulator.controllers.workers import Worker, empty_disk
from vertex_jobs.emulator.faults.incidents import Incident
from vertex_jobs.emulator.faults.rules import Job, Occurrence
from vertex_jobs.emulator.replicas.machinery import Machinery
from vertex_jobs.emulator.storage.objects.object_errors import ObjectStoreError
from vertex_jobs.emulator.storage.objects.object_listing import ListQuery
from vertex_jobs.names import GcsUri
from vertex_jobs.spec.local import ReplicaFault

__all__ = ["ReplicaFaults"]

#: A checkpoint of several files is taken to be whole when nothing was added for this long.
_CHECKPOINT_POLL_SECONDS = 0.25


@dataclass
class ReplicaFaults:
    """The faults of one custom job's replicas.

    Attributes:
        machinery: The server's parts.
        job_id: Number of the custom job, for its log.
        owner: The submitted job whose rules hold: itself, or the one that it works for.
        trial: Number of the trial; empty outside a study.
        checkpoints: URI below which it finds its checkpoints again; empty without one.
    """

    machinery: Machinery
    job_id: str
    owner: Job
    trial: str = ""
    checkpoints: str = ""
    _armed: list[tuple[Worker, Occurrence[ReplicaFault]]] = field(default_factory=list)
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    def finds_no_machine(self, replica_ids: Iterable[str]) -> bool:
        """Whether the location has no machine for one of these replicas, which are to start."""
        for replica_id in replica_ids:
            for occurrence in self.machinery.faults.of_replica(self.owner, replica_id, self.trial):
                if occurrence.fault.fault == "stockout" and occurrence.take():
                    self._note(occurrence.fault.fault, replica_id)
                    return True
        return False

    def arm(self, worker: Worker) -> None:
        """Listen for the triggers of a replica that has just started."""
        board = self.machinery.faults
        for occurrence in board.of_replica(self.owner, worker.spec.replica_id, self.trial):
            fault = occurrence.fault
            if fault.fault == "stockout":
                continue  # there was a machine, or this replica would not have started
            if fault.log is not None or fault.step is not None:
                self._armed.append((worker, occurrence))
            elif fault.checkpoint:
                self._run(self._after_checkpoint(worker, occurrence))
            elif fault.after is not None:
                self._run(self._later(worker, occurrence, fault.after))
            else:
                self._take(worker, occurrence)

    def disarm(self) -> None:
        """Let nothing happen any more: the attempt is over."""
        self._armed.clear()
        for task in self._tasks:
            task.cancel()

    def handle_line(self, replica_id: str, line: str) -> None:
        """A replica has printed a line."""
        for worker, occurrence in self._armed:
            pattern = occurrence.fault.log
            if pattern and worker.spec.replica_id == replica_id and re.search(pattern, line):
                self._take(worker, occurrence)

    def handle_step(self, step: int) -> None:
        """The trial has reported a metric at that step; each start of a replica counts once."""
        due = [
            pair for pair in self._armed if (at := pair[1].fault.step) is not None and step >= at
        ]
        self._armed = [pair for pair in self._armed if pair not in due]
        for worker, occurrence in due:
            self._take(worker, occurrence)

    def note_restart(self, replica_id: str, reason: str) -> None:
        """A replica, or all of them, are about to start again."""
        incidents = self.machinery.faults.incidents
        incidents.note(Incident("restart", replica_id, reason, self.owner[1]))
        if self.checkpoints:
            incidents.watch_reads(self.checkpoints, self.owner[1])

    async def _later(
        self, worker: Worker, occurrence: Occurrence[ReplicaFault], seconds: float
    ) -> None:
        clock = self.machinery.clock
        if not await wait_until(clock, [worker.exit], clock.time() + seconds):
            self._take(worker, occurrence)

    async def _after_checkpoint(self, worker: Worker, occurrence: Occurrence[ReplicaFault]) -> None:
        """Wait for something new below the checkpoint directory that has come to rest."""
        before = seen = self._checkpoints_now()
        while not worker.exit.done():
            # Real seconds on every clock: the script writes in them.
            await asyncio.wait([worker.exit], timeout=_CHECKPOINT_POLL_SECONDS)
            now = self._checkpoints_now()
            if now != before and now == seen:
                self._take(worker, occurrence)
                return
            seen = now

    def _checkpoints_now(self) -> list[tuple[str, int]]:
        """Names and generations of the checkpoints' objects."""
        if not self.checkpoints:
            return []
        uri, objects = GcsUri.parse(self.checkpoints), self.machinery.objects
        try:
            listed = objects.list_objects(uri.bucket, ListQuery(prefix=uri.path)).objects
        except ObjectStoreError:
            return []
        return [(one.name, one.generation) for one in listed]

    def _take(self, worker: Worker, occurrence: Occurrence[ReplicaFault]) -> None:
        if worker.exit.done() or not occurrence.take():
            return
        fault, replica_id = occurrence.fault, worker.spec.replica_id
        self._note(fault.fault, replica_id)
        if fault.fault == "lose_disk":
            empty_disk(worker.spec)
        elif fault.fault == "silence":
            worker.silent = True
            worker.replica.send_signal(signal.SIGSTOP)
        elif fault.fault == "preempt":
            worker.machine_lost = True
            self._run(self._preempt(worker, fault.notice))
        else:
            worker.out_of_memory = fault.fault == "out_of_memory"
            worker.machine_lost = fault.fault == "kill"
            worker.replica.send_signal(signal.SIGKILL)

    def _note(self, kind: str, replica_id: str) -> None:
        incident = Incident("fault", replica_id, kind, self.owner[1])
        self.machinery.faults.incidents.note(incident)
        text = f"Fault injected: {kind} of {replica_id}."
        self.machinery.service_line(self.job_id, text, "WARNING")

    async def _preempt(self, worker: Worker, notice: float) -> None:
        clock = self.machinery.clock
        worker.replica.send_signal(signal.SIGTERM)
        await wait_until(clock, [worker.exit], clock.time() + notice)
        worker.replica.send_signal(signal.SIGKILL)

    def _run(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
