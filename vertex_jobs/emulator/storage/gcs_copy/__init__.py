"""A copy of buckets in a folder that a replica sees as ``/gcs``, where they cannot be mounted.

``GcsCopy.copy_in`` fills the folder before the replica starts, ``copy_out`` makes objects of what
it changed once it has ended. So it does less than a mount: what others write meanwhile is not seen,
and a file is an object only when the replica has ended.
"""

from vertex_jobs.emulator.storage.gcs_copy.copy_record import Buckets
from vertex_jobs.emulator.storage.gcs_copy.gcs_copy import GcsCopy

__all__ = ["Buckets", "GcsCopy"]
