"""Resource names and Cloud Storage URIs, parsed and formatted.

No other module cuts or joins these strings. ``x_id`` is one component, ``x_name`` the whole path.
This file travels into the training container, so it uses the standard library alone.
"""

import re
from dataclasses import dataclass

#: Label that carries the nonce of one submission.
SUBMISSION_LABEL = "vertex-jobs-submission"
#: Label that carries the hash of the submitted content.
CONTENT_LABEL = "vertex-jobs-content"
#: Placeholder for the nonce in a request that was not sent.
SUBMISSION_PLACEHOLDER = "{submission}"
#: A trial's file of measurements, in its TensorBoard log directory.
MEASUREMENT_FILE = "measurements.jsonl"

_RESOURCE = re.compile(
    r"projects/(?P<project>[^/]+)/locations/(?P<location>[^/]+)"
    r"/(?P<collection>[A-Za-z]+)/(?P<resource_id>[^/]+)"
    r"(?:/(?P<child_collection>[A-Za-z]+)/(?P<child_id>[^/]+))?"
)
_BUCKET = re.compile(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]")


def location_name(project: str, location: str) -> str:
    """Return the parent of every job: ``projects/P/locations/L``."""
    return f"projects/{project}/locations/{location}"


def location_of(parent: str) -> str:
    """Return the location in ``projects/P/locations/L``."""
    return parent.rpartition("/")[2]


@dataclass(frozen=True)
class ResourceName:
    """The full name of a resource, or of a child such as a trial.

    Attributes:
        project: Project id or number.
        location: Region, e.g. ``us-central1``.
        collection: E.g. ``customJobs``.
        resource_id: Last component, numeric text for jobs.
        child_collection: E.g. ``trials``; empty for the resource itself.
        child_id: E.g. ``3``; empty for the resource itself.
    """

    project: str
    location: str
    collection: str
    resource_id: str
    child_collection: str = ""
    child_id: str = ""

    @classmethod
    def parse(cls, text: str) -> "ResourceName":
        """Read a full resource name.

        Raises:
            ValueError: If the text is not such a name.
        """
        match = _RESOURCE.fullmatch(text)
        if match is None:
            raise ValueError(
                f"{text!r} is not a resource name; expected "
                "projects/PROJECT/locations/LOCATION/COLLECTION/ID"
            )
        parts = {key: value or "" for key, value in match.groupdict().items()}
        return cls(**parts)

    @property
    def parent(self) -> str:
        """``projects/P/locations/L`` of this resource."""
        return location_name(self.project, self.location)

    def child(self, collection: str, child_id: str) -> "ResourceName":
        """Return the name of a child, e.g. trial 3 of this job."""
        return ResourceName(
            self.project, self.location, self.collection, self.resource_id, collection, child_id
        )

    def __str__(self) -> str:
        """Return the name as the API spells it."""
        name = f"{self.parent}/{self.collection}/{self.resource_id}"
        if self.child_collection:
            name += f"/{self.child_collection}/{self.child_id}"
        return name


def is_gcs_uri(text: str) -> bool:
    """Return whether the text is a well-formed ``gs://`` URI."""
    try:
        GcsUri.parse(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class GcsUri:
    """A bucket and a path in it; the path is empty for the bucket itself.

    A trailing slash is kept: ``gs://b/model/`` is a directory, ``gs://b/model`` an object.
    """

    bucket: str
    path: str = ""

    @classmethod
    def parse(cls, text: str) -> "GcsUri":
        """Read ``gs://bucket/path``.

        Raises:
            ValueError: If the scheme is missing or the bucket's name is not allowed.
        """
        scheme, separator, rest = text.partition("://")
        bucket, _, path = rest.partition("/")
        if scheme != "gs" or not separator or _BUCKET.fullmatch(bucket) is None:
            raise ValueError(f"{text!r} is not a Cloud Storage URI; expected gs://bucket/path")
        return cls(bucket, path)

    def join(self, *parts: str) -> "GcsUri":
        """Return this URI with more components, exactly one slash between them."""
        path = self.path
        for part in parts:
            path = f"{path.rstrip('/')}/{part}" if path else part
        return GcsUri(self.bucket, path)

    def directory(self, *parts: str) -> "GcsUri":
        """Return the same as ``join``, ending in exactly one slash like the AIP_* directories."""
        joined = self.join(*parts)
        path = joined.path.rstrip("/")
        return GcsUri(self.bucket, f"{path}/" if path else "")

    def __str__(self) -> str:
        """Return the URI as ``gs://bucket/path``."""
        return f"gs://{self.bucket}/{self.path}" if self.path else f"gs://{self.bucket}"
