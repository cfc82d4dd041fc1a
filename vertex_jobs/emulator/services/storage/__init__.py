"""Cloud Storage, as its JSON and XML APIs speak, over an object store.

For the fronts of Local Vertex: an ASGI application and the question which requests are for it. It
answers google-cloud-storage, gcsfs and TensorFlow. It checks no credentials, and refuses by name
what it does not do: old generations, retention, holds, encryption keys, notifications.
"""

from vertex_jobs.emulator.services.storage.app import is_storage_request, storage_app

__all__ = ["is_storage_request", "storage_app"]
