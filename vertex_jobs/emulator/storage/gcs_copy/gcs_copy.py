"""One replica's copy of buckets: the folder that it sees as ``/gcs``, and what belongs to it.

What was copied in is written beside the folder, so that a later server can copy out what a replica
left when its server was killed.
"""

import json
import os
import shutil
from pathlib import Path

from vertex_jobs.emulator.storage.gcs_copy.copy_in import fill
from vertex_jobs.emulator.storage.gcs_copy.copy_out import CopyOut
from vertex_jobs.emulator.storage.gcs_copy.copy_record import Buckets, CopyRecord
from vertex_jobs.emulator.storage.objects import ObjectStore

_TREE = "gcs"
_PLAN = "buckets.json"
_RECORD = "record.json"


class GcsCopy:
    """A copy in a folder of its own; methods may be called from any thread, one at a time."""

    def __init__(self, store: ObjectStore, place: Path) -> None:
        """Take the place that ``plan`` has made."""
        self._store = store
        self._place = place

    @staticmethod
    def plan(place: Path, buckets: Buckets) -> Path:
        """Make the place of a copy of these buckets; return its folder."""
        place.mkdir(parents=True, exist_ok=True)
        plan = {"named": sorted(buckets.named), "everything": buckets.everything}
        (place / _PLAN).write_text(json.dumps(plan), encoding="utf-8")
        return place / _TREE

    @classmethod
    def of(cls, store: ObjectStore, tree: Path) -> "GcsCopy":
        """Return the copy whose folder that is."""
        return cls(store, tree.parent)

    def copy_in(self) -> None:
        """Fill the folder with the buckets as they are now.

        Raises:
            UnsupportedHereError: If the disk has no room for them.
        """
        record, tree = self._place / _RECORD, self._place / _TREE
        record.unlink(missing_ok=True)
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir()
        begun_ns = tree.stat().st_ctime_ns  # of the clock that files' times are of
        plan = json.loads((self._place / _PLAN).read_text(encoding="utf-8"))
        entries = fill(self._store, tree, Buckets(set(plan["named"]), plan["everything"]))
        CopyRecord(entries, begun_ns).save(record)

    def copy_out(self, refuge: Path) -> list[str]:
        """Make objects of what has changed since ``copy_in``; return sentences for the log.

        What could not be kept is moved to ``refuge``, which one of the sentences names.
        """
        path = self._place / _RECORD
        record = CopyRecord.load(path)
        if record is None:
            return []
        tree = self._place / _TREE
        passed = CopyOut(self._store, tree, record)
        passed.run()
        path.unlink()
        if passed.failed:
            refuge.parent.mkdir(exist_ok=True)
            shutil.rmtree(refuge, ignore_errors=True)
            os.rename(tree, refuge)
            passed.said.append(f"All that the replica left in /gcs is kept in {refuge}.")
        return passed.failed + passed.said
