"""Where a request goes, and the request itself.

For ``bodies`` and the client. Which project and bucket a user means is decided by the endpoints.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from vertex_jobs import catalog
from vertex_jobs.names import CONTENT_LABEL, SUBMISSION_PLACEHOLDER, GcsUri

if TYPE_CHECKING:
    from vertex_jobs.packaging import Package
    from vertex_jobs.spec import JobSpec


@dataclass(frozen=True)
class Place:
    """The project, by id or number, the region and the staging bucket of a submission.

    The bucket is ``gs://BUCKET``, possibly with a path, for packages and default outputs.
    """

    project: str
    location: str
    staging_bucket: str


@dataclass(frozen=True)
class Request:
    """One create call.

    Attributes:
        collection: ``customJobs``, ``trainingPipelines`` or ``hyperparameterTuningJobs``.
        parent: ``projects/P/locations/L``.
        body: The resource in the API's JSON form.
    """

    collection: str
    parent: str
    body: dict[str, Any]

    @property
    def content(self) -> str:
        """The value of the content label."""
        return str(self.body["labels"][CONTENT_LABEL])

    def with_submission(self, nonce: str) -> "Request":
        """Return the request with the nonce wherever ``{submission}`` stands."""
        return Request(self.collection, self.parent, _replaced(self.body, nonce))


#: Where the local endpoint submits jobs that say nothing else.
LOCAL_PLACE = Place("local-project", catalog.load().limits.region_default, "gs://local-staging")


def place_of(job: "JobSpec", place: Place, bucket: str | None = None) -> Place:
    """Return where a job is submitted: the place, with the staging bucket that counts.

    The caller's ``bucket`` counts over the job's own, and that over the place's.
    """
    return replace(place, staging_bucket=bucket or job.staging_bucket or place.staging_bucket)


def package_uris(place: Place, package: "Package") -> tuple[str, ...]:
    """Return where the package lies for the replicas, private wheels first, as installed.

    A wheel keeps its name, which pip reads; its folder is named after its content.
    """
    folder = GcsUri.parse(place.staging_bucket).join("vertex-jobs", "packages")
    wheels = (str(folder.join(wheel.content_hash, wheel.file_name)) for wheel in package.wheels)
    return (*wheels, str(folder.join(package.file_name)))


def _replaced(node: Any, nonce: str) -> Any:
    if isinstance(node, str):
        return node.replace(SUBMISSION_PLACEHOLDER, nonce)
    if isinstance(node, dict):
        return {key: _replaced(value, nonce) for key, value in node.items()}
    if isinstance(node, list):
        return [_replaced(value, nonce) for value in node]
    return node
