"""One attempt at a custom job: its replicas from the first start to the last end.

It restarts single replicas whose machine was lost; everything else is for the job to decide, by
the rules of ``resources.endings``. No replica is left when it returns.
"""

import asyncio
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from vertex_jobs.emulator.clock import Clock, wait_until
from vertex_jobs.emulator.controllers.gcs_copies import GcsCopies
from vertex_jobs.emulator.controllers.last_words import CANNOT_START, LastWords
from vertex_jobs.emulator.controllers.replica_faults import ALL_REPLICAS, ReplicaFaults
from vertex_jobs.emulator.controllers.stop import Stop
from vertex_jobs.emulator.controllers.workers import Worker, empty_disk
from vertex_jobs.emulator.launcher.launched_replica import Replica
from vertex_jobs.emulator.launcher.launcher_client import Launcher
from vertex_jobs.emulator.launcher.launcher_values import Exit, ReplicaSpec
from vertex_jobs.emulator.resources.endings import (
    START_ERROR_STATUS,
    Action,
    Decision,
    History,
    ReplicaEnd,
    Retries,
    decide,
)
from vertex_jobs.emulator.resources.job_records import JobRecord
from vertex_jobs.emulator.resources.service_values import console_log
from vertex_jobs.emulator.storage.writers import WriteLedger, Writer

#: Between SIGTERM and SIGKILL, in seconds. The service's own grace is not documented. They are
#: real seconds on every clock: a process needs them to write what it has.
GRACE_SECONDS = 5.0
#: How a shell reports a signal.
_SIGNAL_OFFSET = 128


@dataclass
class Attempt:
    """Runs the replicas once.

    Attributes:
        writes: Told which processes may write.
        replicas: The replicas to start, the primary first.
        deadline: When the job has run too long, in seconds since 1970; asked once all replicas
            are up.
        job_restarts: Attempts before this one.
        worker_restarts: By replica; kept by the caller when all replicas start again.
    """

    record: JobRecord
    launcher: Launcher
    clock: Clock
    writes: WriteLedger
    replicas: Sequence[ReplicaSpec]
    retries: Retries
    stop: Stop
    faults: ReplicaFaults
    copies: GcsCopies
    deadline: Callable[[], float]
    job_restarts: int = 0
    worker_restarts: Counter[str] = field(default_factory=Counter)
    _workers: list[Worker] = field(default_factory=list)
    _last_words: dict[str, LastWords] = field(default_factory=dict)

    async def run(self, on_running: Callable[[], None]) -> Decision | None:
        """Run until something follows for the job; return None when its time was up.

        ``on_running`` is called once every replica has been started.
        """
        try:
            for spec in self.replicas:
                self._workers.append(await self._start(spec))
            on_running()
            return await self._watch()
        finally:
            self.faults.disarm()
            await self._end_replicas()

    async def _start(self, spec: ReplicaSpec) -> Worker:
        await self.copies.fill(spec)
        replica = await self.launcher.launch(spec, self._output(spec.replica_id))
        if spec.warm and spec.preload and replica.why_fresh:
            # It costs seconds of imports, so it is no secret.
            text = f"Started as a fresh process, not from a warm one: {replica.why_fresh}."
            self.record.say(text, "NOTICE")
        if len(self.replicas) > 1 or "CLOUD_ML_TRIAL_ID" in spec.environment:
            self.writes.watch(replica.pid, Writer(self.record.job_id, spec.replica_id))
        worker = Worker(spec, replica, asyncio.create_task(self._ended(replica, spec)))
        self.faults.arm(worker)
        return worker

    async def _ended(self, replica: Replica, spec: ReplicaSpec) -> Exit:
        ending = await replica.wait()
        await self.copies.keep(spec)
        return ending

    def _output(self, replica_id: str) -> Callable[[str, bytes, float], None]:
        words = self._last_words[replica_id] = LastWords()

        def write(stream: str, line: bytes, time: float) -> None:
            severity = "ERROR" if stream == "stderr" else "INFO"
            text = line.decode("utf-8", errors="replace")
            if stream == "stderr":
                words.note(text)
            self.record.say(text, severity, task=replica_id, time=time)
            self.faults.handle_line(replica_id, text)

        return write

    async def _watch(self) -> Decision | None:
        stopped = asyncio.create_task(self.stop.wait())
        try:
            while True:
                awaited = {worker.exit for worker in self._workers if not worker.handled}
                done = await wait_until(self.clock, {*awaited, stopped}, self.deadline())
                if not done:
                    return None
                if stopped in done:
                    return Decision(Action.END, ending=self.stop.ending)
                decision = await self._handle([one for one in self._workers if one.exit in done])
                if decision is not None:
                    return decision
        finally:
            stopped.cancel()

    async def _handle(self, ended: Sequence[Worker]) -> Decision | None:
        """Handle the ends of replicas; return None when the attempt goes on."""
        ends = [(worker, self._end_of(worker)) for worker in ended if not worker.handled]
        # The primary's success decides before all; after a lost machine the others often fail
        # too, and what they then exit with is ignored.
        ends.sort(key=lambda pair: (pair[1].status != 0, not pair[1].lost, not pair[1].primary))
        for worker, end in ends:
            self._report(end)
            restarts = self.worker_restarts[end.replica_id]
            decision = decide(end, self.retries, History(restarts, self.job_restarts))
            if decision.action not in (Action.GO_ON, Action.END):
                alone = decision.action is Action.RESTART_WORKER
                who = end.replica_id if alone else ALL_REPLICAS
                self.faults.note_restart(who, decision.reason)
            if decision.action is Action.GO_ON:
                worker.handled = True
            elif decision.action is Action.RESTART_WORKER:
                await self._restart(worker, decision.reason)
            else:
                if decision.action is Action.RESTART_ALL:
                    self.worker_restarts[end.replica_id] += 1
                if end.lost:
                    empty_disk(worker.spec)
                return decision
        return None

    async def _restart(self, worker: Worker, reason: str) -> None:
        """Start the replica on another machine: same host name, nothing on its disk."""
        self.record.say(reason, "WARNING")
        self.worker_restarts[worker.spec.replica_id] += 1
        empty_disk(worker.spec)
        self._workers[self._workers.index(worker)] = await self._start(worker.spec)

    def _end_of(self, worker: Worker) -> ReplicaEnd:
        end = worker.exit.result()
        words = self._last_words[worker.spec.replica_id]
        status = end.code if end.code is not None else _SIGNAL_OFFSET + (end.signal or 0)
        not_started = status == START_ERROR_STATUS and words.last_line.startswith(CANNOT_START)
        return ReplicaEnd(
            worker.spec.replica_id,
            status,
            primary=worker.spec is self.replicas[0],
            out_of_memory=end.out_of_memory or worker.out_of_memory,
            machine_lost=worker.machine_lost,
            traceback=words.traceback,
            start_failure=words.last_line if not_started else "",
            log=console_log(self.record.shown_name),
        )

    def _report(self, end: ReplicaEnd) -> None:
        severity, reason = ("ERROR", "Error") if end.status else ("INFO", "SUCCEEDED")
        text = f"Task completed. Exit code ({end.status}). Exit reason ({reason})"
        self.record.say(text, severity, task=end.replica_id)
        if end.out_of_memory:
            pool = end.replica_id.partition("-")[0]
            text = f"Replicas low on memory: {pool}. Specify a machine with larger memory and try "
            self.record.say(text + "again.", "ERROR")

    async def _end_replicas(self) -> None:
        """Send SIGTERM to the replicas that still run, SIGKILL after the grace."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            running = [worker for worker in self._workers if not worker.exit.done()]
            if not running:
                break
            for worker in running:
                worker.replica.send_signal(signal.SIGKILL if worker.silent else number)
            await asyncio.wait([worker.exit for worker in running], timeout=GRACE_SECONDS)
        await self.copies.all_kept()
