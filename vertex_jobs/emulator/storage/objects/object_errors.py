"""The errors of the object store, one class for each answer that Cloud Storage has.

The storage service maps these to statuses and reasons, the /gcs mount to error numbers.
"""

from vertex_jobs.errors import VertexJobsError


class ObjectStoreError(VertexJobsError):
    """Any error of the object store."""


class BucketNotFoundError(ObjectStoreError):
    """No bucket has that name, and the store may not make one."""

    def __init__(self) -> None:
        """Say so in the service's own words, which do not repeat the name."""
        super().__init__("The specified bucket does not exist.")


class ObjectNotFoundError(ObjectStoreError):
    """The bucket has no live object of that name and generation."""

    def __init__(self, bucket: str, name: str) -> None:
        """Name the object, in the service's own words."""
        super().__init__(f"No such object: {bucket}/{name}")


class UploadNotFoundError(ObjectStoreError):
    """No upload session has that id, or it was cancelled."""

    def __init__(self, upload_id: str) -> None:
        super().__init__(f"No such upload: {upload_id}; start a new one")


class AlreadyExistsError(ObjectStoreError):
    """A bucket of that name exists."""


class NotEmptyError(ObjectStoreError):
    """A bucket that holds objects cannot be deleted."""


class NotEmulatedError(ObjectStoreError):
    """A field, parameter or method that Cloud Storage has and Local Vertex does not."""

    def __init__(self, what: str) -> None:
        super().__init__(f"Local Vertex does not emulate {what}")


class InvalidObjectRequestError(ObjectStoreError):
    """A name, range or argument that Cloud Storage does not allow."""


class ChecksumMismatchError(InvalidObjectRequestError):
    """The bytes that arrived are not those whose checksum the caller sent."""


class PreconditionFailedError(ObjectStoreError):
    """A precondition does not hold; ``condition`` is the parameter or header that states it."""

    def __init__(self, condition: str, expected: int | str, actual: str) -> None:
        self.condition = condition
        super().__init__(
            "At least one of the pre-conditions you specified did not hold: "
            f"{condition}={expected}, the live object has {actual}"
        )
