"""The faults injected into the replicas of one job.

Which fault happens at which trigger is decided in ``faults.rules``; this waits for the triggers and
sends the signals.
"""

import asyncio
import re
import signal
import time
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from vertex_jobs.emulator.clock import Clock, wait_until
from vertex_jobs.emulator.controllers.workers import Worker, empty_disk
from vertex_jobs.emulator.faults.incidents import Incident, ReadWatch
from vertex_jobs.emulator.faults.rules import FaultBoard, Job, Occurrence
from vertex_jobs.emulator.resources.job_records import JobRecord
from vertex_jobs.emulator.storage.objects.object_errors import ObjectStoreError
from vertex_jobs.emulator.storage.objects.object_listing import ListQuery
from vertex_jobs.emulator.storage.objects.object_store import ObjectStore
from vertex_jobs.emulator.storage.objects.object_values import StoredObject
from vertex_jobs.names import GcsUri
from vertex_jobs.spec.local import SHORTAGES, ReplicaFault

#: A checkpoint of several files is taken to be whole when nothing was added for this long.
_CHECKPOINT_POLL_SECONDS = 0.25
#: Stands for all replicas in the record of a restart.
ALL_REPLICAS = "all replicas"


@dataclass
class ReplicaFaults:
    """The faults of one custom job's replicas.

    Attributes:
        owner: The submitted job whose rules hold: itself, or the one that it works for.
        trial: Number of the trial; empty outside a study.
        outputs: URI below which the job writes; empty without a base output directory.
        checkpoints: URI below which it finds its checkpoints again; empty without one.
    """

    record: JobRecord
    owner: Job
    board: FaultBoard
    clock: Clock
    objects: ObjectStore
    trial: str = ""
    outputs: str = ""
    checkpoints: str = ""
    _armed: list[tuple[Worker, Occurrence[ReplicaFault]]] = field(default_factory=list)
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    def shortage(self, replica_ids: Iterable[str]) -> str:
        """Return why one of these replicas gets no machine, stockout or quota; empty if all do."""
        for replica_id in replica_ids:
            for occurrence in self.board.of_replica(self.owner, replica_id, self.trial):
                if occurrence.fault.fault in SHORTAGES and occurrence.take():
                    self._note(occurrence.fault.fault, replica_id)
                    return occurrence.fault.fault
        return ""

    def arm(self, worker: Worker) -> None:
        """Wait for the triggers of a replica that has just started."""
        for occurrence in self.board.of_replica(self.owner, worker.spec.replica_id, self.trial):
            fault = occurrence.fault
            if fault.fault in SHORTAGES:
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
        """Inject nothing more: the attempt is over."""
        self._armed.clear()
        for task in self._tasks:
            task.cancel()

    def handle_line(self, replica_id: str, line: str) -> None:
        """Inject what a printed line of a replica triggers."""
        for worker, occurrence in self._armed:
            pattern = occurrence.fault.log
            if pattern and worker.spec.replica_id == replica_id and re.search(pattern, line):
                self._take(worker, occurrence)

    def handle_step(self, step: int) -> None:
        """Inject what a reported step of the trial triggers, once for each start of a replica."""
        due = [
            pair for pair in self._armed if (at := pair[1].fault.step) is not None and step >= at
        ]
        self._armed = [pair for pair in self._armed if pair not in due]
        for worker, occurrence in due:
            self._take(worker, occurrence)

    def note_steps(self, marks: Iterable[tuple[float, int]]) -> None:
        """Note when which steps were reported, if the job is rehearsed."""
        if self.board.rehearses(self.owner):
            for at, step in marks:
                note = Incident("step", str(step), "", self.owner[1], self.trial, at)
                self.board.incidents.note(note)

    def note_restart(self, replica_id: str, reason: str) -> None:
        """Note that a replica, or `ALL_REPLICAS`, are about to start again."""
        incidents, job, now = self.board.incidents, self.owner[1], time.time()
        written = max((one.updated for one in self._objects_now()), default=0.0)
        incidents.note(Incident("restart", replica_id, reason, job, self.trial, now, written))
        if self.outputs:
            incidents.watch_reads(ReadWatch(self.outputs, job, self.trial, now))

    async def _later(
        self, worker: Worker, occurrence: Occurrence[ReplicaFault], seconds: float
    ) -> None:
        if not await wait_until(self.clock, [worker.exit], self.clock.time() + seconds):
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
        return [(one.name, one.generation) for one in self._objects_now()]

    def _objects_now(self) -> Sequence[StoredObject]:
        if not self.checkpoints:
            return []
        uri = GcsUri.parse(self.checkpoints)
        try:
            return self.objects.list_objects(uri.bucket, ListQuery(prefix=uri.path)).objects
        except ObjectStoreError:
            return []

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
        incident = Incident("fault", replica_id, kind, self.owner[1], self.trial, time.time())
        self.board.incidents.note(incident)
        self.record.say(f"Fault injected: {kind} of {replica_id}.", "WARNING")

    async def _preempt(self, worker: Worker, notice: float) -> None:
        worker.replica.send_signal(signal.SIGTERM)
        await wait_until(self.clock, [worker.exit], self.clock.time() + notice)
        worker.replica.send_signal(signal.SIGKILL)

    def _run(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
