"""The replicas of one job, made ready to start: their programs, places, devices, environments.

The caller's exit stack holds what a job holds while it runs (ports, accelerators), and gives it
back when it closes. Starting, watching and ending the replicas is not done here.
"""

import contextlib
import dataclasses
import hashlib
from collections.abc import Mapping, Sequence

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.launcher.launcher_values import METRIC_FOLDER, ReplicaSpec
from vertex_jobs.emulator.replicas.containers import prepare_containers
from vertex_jobs.emulator.replicas.first_lines import drift_line, runner_lines
from vertex_jobs.emulator.replicas.gcs_paths import buckets_of_uris
from vertex_jobs.emulator.replicas.host import GCS_COPY_PREFIX, Host
from vertex_jobs.emulator.replicas.replica_environment import (
    JobEnvironment,
    Trial,
    loopback_addresses,
)
from vertex_jobs.emulator.replicas.replica_places import Place, Start, prepare_place
from vertex_jobs.emulator.replicas.tasks import ENGINES, pool_tasks
from vertex_jobs.emulator.resources.job_records import JobRecord
from vertex_jobs.emulator.storage.gcs_copy import GcsCopy
from vertex_jobs.runtime.cluster import ROLES

#: By pool and index.
_Devices = dict[tuple[int, int], list[str]]


async def prepare_replicas(
    host: Host,
    record: JobRecord,
    job: protos.Message,
    trial: Trial | None,
    held: contextlib.AsyncExitStack,
) -> list[ReplicaSpec]:
    """Get what the job's replicas need; return their descriptions, the primary first.

    Waits for accelerators, for ``/gcs`` and for an isolated environment to be built. ``held`` gives
    back ports and accelerators when it closes.

    Raises:
        ApiError: If a package or a setting is not what it was at the job's creation.
        UnsupportedHereError: If this machine cannot give what is needed, or has nothing that stands
            for a container.
    """
    preparation = _Preparation(host, record, job, trial)
    preparation.warn_of_deaf_commands()
    places = {number: await preparation.place(number, held) for number in preparation.tasks}
    preparation.tell_of_copies(places)
    first = trial is None or trial.trial_id == "1"
    if first and (line := drift_line(preparation.tasks[0], places[0].drift)):
        record.say(line, "NOTICE")
    devices = await preparation.take_devices(held)
    environment = preparation.environment(preparation.take_addresses(held))
    preparation.warn_of_lost_variables(environment)
    return [
        preparation.replica(number, index, places[number], devices[number, index], environment)
        for number in preparation.tasks
        for index in range(preparation.pools[number].replica_count)
    ]


class _Preparation:
    """One job on its way: all of its worker pools, and the tasks of the used ones by number."""

    def __init__(
        self,
        host: Host,
        record: JobRecord,
        job: protos.Message,
        trial: Trial | None,
    ) -> None:
        self._host = host
        self._record = record
        self._job = job
        self._trial = trial
        self.pools = list(job.job_spec.worker_pool_specs)
        self.tasks = pool_tasks(job.job_spec, record.settings.local)

    def warn_of_lost_variables(self, environment: JobEnvironment) -> None:
        lost = [
            name
            for number, task in self.tasks.items()
            for name in environment.overridden(task, number)
        ]
        if lost:
            self._record.say(
                f"The job's env sets {', '.join(dict.fromkeys(lost))}; for this job the service "
                "has values of its own, which stand. Take them out of env.",
                "WARNING",
            )

    def warn_of_deaf_commands(self) -> None:
        deaf = [task for task in self.tasks.values() if not task.takes_trial_arguments]
        if self._trial is not None and deaf:
            self._record.say(
                "The container's command does not pass its arguments on: "
                f"{' '.join(self._trial.arguments)} never reach the script, on Vertex AI neither. "
                'Use a prebuilt image, or a command that ends in "$@".',
                "WARNING",
            )

    async def place(self, number: int, held: contextlib.AsyncExitStack) -> Place:
        task = self.tasks[number]
        if task.place in ENGINES:
            names = [
                self._container_name(f"workerpool{number}-{index}")
                for index in range(self.pools[number].replica_count)
            ]
            return await prepare_containers(self._host, task, names, held)
        replica_id = f"workerpool{number}-0"
        return await prepare_place(
            self._host, task, lambda line: self._record.say(line, task=replica_id)
        )

    def _container_name(self, replica_id: str) -> str:
        return f"vertex-jobs-{self._record.job_id}-{replica_id}"

    def tell_of_copies(self, places: Mapping[int, Place]) -> None:
        copied = [place.copied_buckets for place in places.values()]
        wanted = [buckets for buckets in copied if buckets is not None]
        if not wanted:
            return
        names = sorted({f"gs://{bucket}" for buckets in wanted for bucket in buckets.named})
        is_whole = not any(buckets.everything for buckets in wanted)
        what = ", ".join(names) if is_whole else "all buckets"
        why_not = self._host.launcher.capabilities.why_not
        self._record.say(
            f"/gcs is a copy of {what} here, made when a replica starts: what others write "
            "meanwhile is not seen, and a file is an object only when its replica has ended."
            + (f" For a mount: {why_not}." if why_not else ""),
            "NOTICE",
        )

    async def take_devices(self, held: contextlib.AsyncExitStack) -> _Devices:
        """Wait for the accelerators of each replica; there are none where this machine has none."""
        pool = self._host.accelerators
        wanted = {
            (number, index): self.pools[number].machine_spec.accelerator_count
            for number in self.tasks
            for index in range(self.pools[number].replica_count)
        }
        if self._record.settings.local.share_accelerators:
            everything = list(pool.devices)
            if everything and max(wanted.values()) > len(everything):
                self._record.say(
                    f"A replica asks for {max(wanted.values())} accelerators and sees the "
                    f"{len(everything)} of this machine, which it shares with others.",
                    "NOTICE",
                )
            return {place: everything[:count] for place, count in wanted.items()}
        total = sum(wanted.values()) if pool.devices else 0

        def on_wait(free: int) -> None:
            self._record.say(
                f"Waiting for {total} accelerators: {free} of this machine's {len(pool.devices)} "
                "are free."
            )

        devices = iter(await held.enter_async_context(pool.hold(total, on_wait)))
        count = {place: number if pool.devices else 0 for place, number in wanted.items()}
        return {place: [next(devices) for _ in range(number)] for place, number in count.items()}

    def take_addresses(self, held: contextlib.AsyncExitStack) -> Mapping[str, tuple[str, ...]]:
        counts = {ROLES[number]: self.pools[number].replica_count for number in self.tasks}
        ports = held.enter_context(self._host.ports.reserve(sum(counts.values())))
        return loopback_addresses(counts, ports)

    def environment(self, addresses: Mapping[str, tuple[str, ...]]) -> JobEnvironment:
        return JobEnvironment(
            name=self._record.shown_name,
            spec=self._job.job_spec,
            trial=self._trial,
            addresses=addresses,
            surroundings=self._host.surroundings(),
            has_accelerators=bool(self._host.accelerators.devices),
            data=self._record.settings.data_variables,
        )

    def replica(
        self,
        number: int,
        index: int,
        place: Place,
        devices: Sequence[str],
        environment: JobEnvironment,
    ) -> ReplicaSpec:
        """Describe one replica, and write the lines to its log that say what is started."""
        task, replica_id = self.tasks[number], f"workerpool{number}-{index}"
        folder = self._host.folder(self._record.job_id) / replica_id
        folder.mkdir(parents=True, exist_ok=True)
        variables = environment.variables(
            task,
            number,
            index,
            host_name=self._host_name(number, index),
            place=place.variables,
            devices=devices,
        )
        arguments = environment.arguments(task)
        for line in runner_lines(task, arguments, variables):
            self._record.say(line, task=replica_id)
        gcs_folder = ""
        if (buckets := place.copied_buckets) is not None:
            if buckets.everything:
                meant = buckets_of_uris([*arguments, *variables.values()])
                buckets = dataclasses.replace(buckets, named=buckets.named | meant)
            copies = folder.with_name(f"{GCS_COPY_PREFIX}{replica_id}")
            gcs_folder = str(GcsCopy.plan(copies, buckets))
        metric_folder = self._metric_folder(replica_id) if place.names_metric_folder else ""
        name = self._container_name(replica_id)
        start = Start(name, arguments, variables, devices, gcs_folder)
        return ReplicaSpec(
            replica_id=replica_id,
            interpreter=place.interpreter,
            module=task.module,
            arguments=arguments,
            search_path=place.search_path,
            environment=variables,
            working_directory=str(folder),
            preload=place.preload,
            warm=not (self._record.settings.fresh or place.command or gcs_folder or metric_folder),
            command=place.command(start) if place.command else (),
            gcs_folder=gcs_folder,
            metric_folder=metric_folder,
        )

    def _metric_folder(self, replica_id: str) -> str:
        """Return the folder that a replica sees as ``/var/hypertune``; empty where it cannot."""
        if self._trial is None:
            return ""
        capabilities = self._host.launcher.capabilities
        if capabilities.private_root:
            return str(self._trial.metric_file(replica_id).parent)
        self._record.say(
            f"The program names {METRIC_FOLDER}, which it does not have here "
            f"({capabilities.why_not}): report to the file that CLOUD_ML_HP_METRIC_FILE names, "
            "which Vertex AI sets as well.",
            "WARNING",
        )
        return ""

    def _host_name(self, pool: int, index: int) -> str:
        """Return the name that the service gives the replica's machine: equal digits in a job."""
        digits = hashlib.sha256(self._job.name.encode()).hexdigest()[:10]
        return f"cmle-training-workerpool{pool}-{digits}-{index}"
