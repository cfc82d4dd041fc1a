"""The copies of buckets that replicas see as ``/gcs``, where buckets cannot be mounted.

Each is filled before its replica starts and made into objects once that has ended, whatever the
end was; what a killed server left is made into objects by the next.
"""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from vertex_jobs.emulator.launcher.launcher_values import ReplicaSpec
from vertex_jobs.emulator.replicas.host import GCS_COPY_PREFIX
from vertex_jobs.emulator.resources.job_records import JobRecord
from vertex_jobs.emulator.storage.gcs_copy import GcsCopy
from vertex_jobs.emulator.storage.objects.object_store import ObjectStore
from vertex_jobs.emulator.store.logbook import Logbook

_REFUGE = "gcs-left"


@dataclass
class GcsCopies:
    """The copies of one job's replicas; those without a folder have none."""

    objects: ObjectStore
    record: JobRecord
    _under_way: set["asyncio.Task[list[str]]"] = field(default_factory=set)

    async def fill(self, spec: ReplicaSpec) -> None:
        """Copy the buckets in, as they are now.

        Raises:
            UnsupportedHereError: If the disk has no room for them.
        """
        if spec.gcs_folder:
            copy = GcsCopy.of(self.objects, Path(spec.gcs_folder))
            await asyncio.to_thread(copy.copy_in)

    async def keep(self, spec: ReplicaSpec) -> None:
        """Make objects of what the replica, which has ended, has changed; say what was not."""
        if not spec.gcs_folder:
            return
        tree = Path(spec.gcs_folder)
        copy, refuge = GcsCopy.of(self.objects, tree), _refuge(tree)
        keeping = asyncio.create_task(asyncio.to_thread(copy.copy_out, refuge))
        self._under_way.add(keeping)
        keeping.add_done_callback(self._under_way.discard)
        for sentence in await asyncio.shield(keeping):
            self.record.say(sentence, "WARNING", task=spec.replica_id)

    async def all_kept(self) -> None:
        """Wait until what is being made into objects is there."""
        if self._under_way:
            await asyncio.wait(self._under_way)


def keep_what_is_left(work: Path, objects: ObjectStore, logbook: Logbook, time: float) -> None:
    """Make objects of what replicas of a killed server left in the work folder."""
    for place in sorted(work.glob(f"*/{GCS_COPY_PREFIX}*")):
        job_id, replica_id = place.parent.name, place.name.removeprefix(GCS_COPY_PREFIX)
        copy = GcsCopy(objects, place)
        for sentence in copy.copy_out(_refuge(place / "gcs")):
            logbook.append(job_id, replica_id, "WARNING", sentence, time)


def _refuge(tree: Path) -> Path:
    """Return the place, outside the work folder, for what could not be kept."""
    place = tree.parent
    name = f"{place.parent.name}-{place.name.removeprefix(GCS_COPY_PREFIX)}"
    return place.parents[1].with_name(_REFUGE) / name
