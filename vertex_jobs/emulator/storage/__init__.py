"""Cloud Storage: objects on disk, the JSON and XML wire in front of them, the mount ``/gcs``."""
