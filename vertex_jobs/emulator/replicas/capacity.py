"""Refuse a job that this machine cannot run, before the job is kept.

For admission. A refusal says what to install or to change; what it lets through can run, but for
what only an attempt can show, such as requirements that no index has, and for containers that
nothing stands for: the service takes any image, so such a job is kept, and fails when it starts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.environments.engines import why_no_engine
from vertex_jobs.emulator.launcher.launcher_values import Capabilities
from vertex_jobs.emulator.replicas.accelerators import AcceleratorPool
from vertex_jobs.emulator.replicas.gcs_paths import mentions_gcs
from vertex_jobs.emulator.replicas.package_requirements import compare, refuse_missing
from vertex_jobs.emulator.replicas.packages import Package, Packages
from vertex_jobs.emulator.replicas.tasks import ENGINES, NoProgramError, PoolTask, pool_tasks
from vertex_jobs.emulator.resources.job_settings import JobSettings
from vertex_jobs.emulator.status import ApiError


@dataclass(frozen=True)
class Capacity:
    """This machine's capacity for jobs; ``why_no_engine`` returns nothing for one that answers."""

    packages: Packages
    accelerators: AcceleratorPool
    capabilities: Capabilities
    why_no_engine: Callable[[str], str] = why_no_engine

    async def refuse_lacking(self, spec: protos.Message, settings: JobSettings) -> None:
        """Refuse a job that cannot run here, by its CustomJobSpec or that of each trial.

        Raises:
            ApiError: INVALID_ARGUMENT for an image's entry that does not fit, FAILED_PRECONDITION
                for what this machine lacks.
        """
        try:
            tasks = pool_tasks(spec, settings.local)
        except NoProgramError:
            return
        packages = {
            number: await self.packages.read(task.package_uris) for number, task in tasks.items()
        }
        refuse_missing(
            [
                pair
                for number, task in tasks.items()
                if task.place == "current"
                for pair in _missing(packages[number])
            ]
        )
        for number, task in tasks.items():
            self._refuse_place(task, packages[number], f"worker_pool_specs[{number}]")
        if not settings.local.share_accelerators:
            self._refuse_too_many_accelerators(
                sum(
                    pool.machine_spec.accelerator_count * pool.replica_count
                    for pool in spec.worker_pool_specs
                )
            )

    def _refuse_place(self, task: PoolTask, packages: Sequence[Package], path: str) -> None:
        if task.place in ENGINES and (reason := self.why_no_engine(task.place)):
            raise ApiError("FAILED_PRECONDITION", f"{path}: environment {task.place}: {reason}")
        # An engine mounts a copy of the buckets itself.
        is_lacking = not self.capabilities.gcs and task.place not in ENGINES
        if is_lacking and mentions_gcs(task, [package.folder for package in packages]):
            raise ApiError(
                "FAILED_PRECONDITION",
                f"{path}: the program uses /gcs/, which this machine cannot offer: "
                f"{self.capabilities.why_not}. Or read and write gs:// instead.",
            )

    def _refuse_too_many_accelerators(self, wanted: int) -> None:
        found = len(self.accelerators.devices)
        if found and wanted > found:
            raise ApiError(
                "FAILED_PRECONDITION",
                f"The job asks for {wanted} accelerators at once; this machine has {found}. Under "
                "local: in the config, share_accelerators: true lets replicas share them; or "
                "start the server with CUDA_VISIBLE_DEVICES= to rehearse on the CPU.",
            )


def _missing(packages: Sequence[Package]) -> list[tuple[str, str]]:
    """Return what packages require and nobody brings, as far as that is known before a build."""
    brought = {package.name: "" for package in packages}
    if "" in brought:  # it may bring anything
        return []
    return [
        (text, package.uri)
        for package in packages
        for text in compare(package.requirements, brought).absent
    ]
