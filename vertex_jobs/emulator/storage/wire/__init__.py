"""Cloud Storage, as its JSON and XML APIs speak, over an object store.

For the fronts of Local Vertex: an ASGI application that answers google-cloud-storage, gcsfs and
TensorFlow. It checks no credentials, and refuses by name what it does not do: old generations,
retention, holds, encryption keys, notifications.
"""

from vertex_jobs.emulator.storage.wire.json_api import STORAGE_CALLS
from vertex_jobs.emulator.storage.wire.storage_application import StorageApplication

__all__ = ["STORAGE_CALLS", "StorageApplication"]
