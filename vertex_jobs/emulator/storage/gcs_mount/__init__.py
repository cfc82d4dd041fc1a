"""The ``/gcs`` of a training job: an object store as a file system, by Cloud Storage FUSE's rules.

The launcher runs it as ``python -m vertex_jobs.emulator.storage.gcs_mount`` in the replicas'
private root; it is not for users directly. One mount serves all replicas of all jobs, where Vertex
AI gives each its own.
"""
