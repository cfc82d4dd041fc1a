"""Findings about Vertex AI's readiness for this project, asked with the credentials of a job.

Every question reads. A service that does not answer, or that these credentials may not ask, leaves
its finding unknown: it is not guessed from another.

Source: REST references of Service Usage, Resource Manager, Cloud Storage, Cloud Logging and IAM;
documentation page "Vertex AI access control with IAM".
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from vertex_jobs.catalog.quota_metrics import quota_metrics
from vertex_jobs.client import Connection
from vertex_jobs.doctor.findings import Finding
from vertex_jobs.errors import NotSignedInError
from vertex_jobs.names import GcsUri
from vertex_jobs.requests import place_of
from vertex_jobs.spec import JobSpec
from vertex_jobs.spec.machine_fields import DEFAULT_MACHINE

_TIMEOUT_SECONDS = 20.0
_SUBJECTS = ("Vertex AI", "APIs", "permissions", "bucket", "logs", "quota of CPUs")
_APIS = ("aiplatform.googleapis.com", "storage.googleapis.com", "logging.googleapis.com")
#: What submitting, watching and reading the log of each kind of job needs.
_PERMISSIONS = (
    "aiplatform.customJobs.create",
    "aiplatform.customJobs.get",
    "aiplatform.hyperparameterTuningJobs.create",
    "aiplatform.trainingPipelines.create",
    "logging.logEntries.list",
)
_BUCKET_PERMISSIONS = ("storage.objects.create", "storage.objects.get", "storage.objects.list")
#: Locations of buckets that span several regions, and the regions in them.
_CONTINENTS = {"US": ("us-", "northamerica-"), "EU": ("europe-",), "ASIA": ("asia-",)}


@dataclass(frozen=True)
class _Answer:
    """A service's answer; status 0 when it was not reached."""

    status: int
    form: dict[str, Any] = field(default_factory=dict)
    reason: str = ""

    @property
    def good(self) -> bool:
        return self.status == 200


def _authorized_session(credentials: Any) -> Any:
    from google.auth.transport.requests import AuthorizedSession

    untyped: Any = AuthorizedSession
    return untyped(credentials)


def cloud_findings(
    connection: Connection,
    job: JobSpec | None,
    open_session: Callable[[Any], Any] = _authorized_session,
) -> Iterator[Finding]:
    """Yield each finding as soon as it is known.

    The bucket, service account and accelerators of ``job`` are looked at too; ``open_session``
    makes a session of requests that signs with the credentials.
    """
    signed_in = _credentials(connection.credentials)
    yield signed_in
    if signed_in.verdict != "ok":
        yield from _not_asked()
        return
    place = connection.place
    if job is not None:
        place = place_of(job, place, bucket=place.staging_bucket)
    cloud = _Cloud(connection, open_session(connection.credentials))
    try:
        yield cloud.vertex()
        yield from cloud.apis()
        yield cloud.permissions()
        yield cloud.bucket(place.staging_bucket)
        yield cloud.log()
        yield from cloud.quotas(job)
        if job is not None and job.service_account:
            yield cloud.service_account(job.service_account)
    finally:
        cloud.close()


def signed_out_findings(error: NotSignedInError) -> Iterator[Finding]:
    """Yield what is known without credentials or a project: that, and nothing else."""
    yield Finding(error.subject, "missing", error.fact, error.remedy)
    yield from _not_asked()


def _not_asked() -> Iterator[Finding]:
    for subject in _SUBJECTS:
        yield Finding(subject, "unknown", "not asked, for want of the above")


def _credentials(credentials: Any) -> Finding:
    from google.auth.exceptions import GoogleAuthError, TransportError
    from google.auth.transport.requests import Request

    untyped: Any = Request
    who = getattr(credentials, "service_account_email", None) or "a person's credentials"
    try:
        credentials.refresh(untyped())
    except TransportError as error:
        return Finding("credentials", "unknown", f"{who}: no token came: {_innermost(error)}")
    except GoogleAuthError as error:
        remedy = "gcloud auth application-default login"
        return Finding("credentials", "missing", f"{who}: {error.args[0]}", remedy)
    return Finding("credentials", "ok", f"{who}: a token was given")


class _Cloud:
    """Asks the APIs of one project, one question a call."""

    def __init__(self, connection: Connection, session: Any) -> None:
        self._session = session
        self._connection = connection
        self._project = connection.place.project
        self._location = connection.place.location

    def close(self) -> None:
        self._session.close()

    def vertex(self) -> Finding:
        host = self._connection.api_endpoint
        base = host if "://" in host else f"https://{host}"
        parent = f"projects/{self._project}/locations/{self._location}"
        answer = self._ask("GET", f"{base}/v1/{parent}/customJobs?pageSize=1")
        subject = "Vertex AI"
        if answer.good:
            return Finding(subject, "ok", f"{host} answers for {self._project}")
        if answer.status == 0:
            return Finding(subject, "unknown", f"{host} was not reached: {answer.reason}")
        remedy = f"gcloud services enable {_APIS[0]} --project {self._project}"
        if "disabled" not in answer.reason and "has not been used" not in answer.reason:
            remedy = f"grant roles/aiplatform.user on {self._project}, or correct --project"
        return Finding(subject, "missing", answer.reason, remedy)

    def apis(self) -> Iterator[Finding]:
        parent = f"projects/{self._project}"
        names = "&".join(f"names={parent}/services/{name}" for name in _APIS)
        url = f"https://serviceusage.googleapis.com/v1/{parent}/services:batchGet?{names}"
        answer = self._ask("GET", url)
        if not answer.good:
            yield _unknown("APIs", answer)
            return
        states = {one["config"]["name"]: one["state"] for one in answer.form.get("services", ())}
        off = [name for name in _APIS if states.get(name) != "ENABLED"]
        if off:
            remedy = f"gcloud services enable {' '.join(off)} --project {self._project}"
            yield Finding("APIs", "missing", f"not enabled: {', '.join(off)}", remedy)
        else:
            yield Finding("APIs", "ok", f"enabled: {', '.join(_APIS)}")

    def permissions(self) -> Finding:
        url = f"https://cloudresourcemanager.googleapis.com/v3/projects/{self._project}"
        answer = self._ask("POST", f"{url}:testIamPermissions", {"permissions": [*_PERMISSIONS]})
        remedy = f"grant roles/aiplatform.user and roles/logging.viewer on {self._project}"
        return _granted("permissions", answer, _PERMISSIONS, remedy)

    def bucket(self, uri: str) -> Finding:
        if not uri:
            remedy = "give --staging-bucket gs://BUCKET, or a config that names one"
            return Finding("bucket", "unknown", "none was named", remedy)
        name = GcsUri.parse(uri).bucket
        base = self._connection.storage_endpoint or "https://storage.googleapis.com"
        url = f"{base}/storage/v1/b/{name}"
        answer = self._ask("GET", url)
        if answer.status == 404:
            remedy = f"gcloud storage buckets create gs://{name} --location {self._location}"
            return Finding("bucket", "missing", f"gs://{name} does not exist", remedy)
        query = "&".join(f"permissions={permission}" for permission in _BUCKET_PERMISSIONS)
        tested = self._ask("GET", f"{url}/iam/testPermissions?{query}")
        remedy = f"grant roles/storage.objectAdmin on gs://{name}"
        finding = _granted("bucket", tested, _BUCKET_PERMISSIONS, remedy, f"gs://{name}")
        place = str(answer.form.get("location", ""))
        if finding.verdict == "ok" and place and not _is_near(place, self._location):
            fact = f"gs://{name} lies in {place}, and jobs run in {self._location}"
            return Finding("bucket", "limited", fact, "take one there: reading is faster and free")
        return finding

    def log(self) -> Finding:
        url = f"{self._connection.logging_endpoint.rstrip('/')}/v2/entries:list"
        body = {"resourceNames": [f"projects/{self._project}"], "pageSize": 1}
        answer = self._ask("POST", url, body)
        if answer.good:
            return Finding("logs", "ok", "can be read")
        if answer.status == 403:
            remedy = f"grant roles/logging.viewer on {self._project}"
            return Finding("logs", "limited", answer.reason, remedy)
        return _unknown("logs", answer)

    def quotas(self, job: JobSpec | None) -> Iterator[Finding]:
        """Yield the location's limits of CPUs and accelerators that the job counts against."""
        names = {} if job is not None else quota_metrics(DEFAULT_MACHINE)
        for pool in job.worker_pools_resolved() if job is not None else ():
            strategy = job.scheduling_strategy if job is not None else None
            names |= quota_metrics(pool.machine_type, pool.accelerator_type, strategy)
        base = "https://serviceusage.googleapis.com/v1beta1"
        parent = f"projects/{self._project}/services/aiplatform.googleapis.com"
        for metric, title in names.items():
            path = f"consumerQuotaMetrics/aiplatform.googleapis.com%2F{metric}"
            answer = self._ask("GET", f"{base}/{parent}/{path}?view=FULL")
            yield self._quota(f"quota of {title}", answer)

    def _quota(self, subject: str, answer: _Answer) -> Finding:
        if not answer.good:
            return _unknown(subject, answer)
        limits = [
            int(bucket.get("effectiveLimit", 0))
            for limit in answer.form.get("consumerQuotaLimits", ())
            for bucket in limit.get("quotaBuckets", ())
            if bucket.get("dimensions", {}).get("region", self._location) == self._location
        ]
        if not limits:
            return Finding(subject, "unknown", f"no limit is given for {self._location}")
        # The bucket of the region itself comes after the one for all regions.
        if limits[-1] == 0:
            remedy = "ask for more in the console's quota page, or take another --location"
            return Finding(subject, "missing", f"0 in {self._location}", remedy)
        shown = "unlimited" if limits[-1] < 0 else str(limits[-1])
        return Finding(subject, "ok", f"{shown} in {self._location}")

    def service_account(self, account: str) -> Finding:
        permissions = ("iam.serviceAccounts.actAs",)
        url = f"https://iam.googleapis.com/v1/projects/-/serviceAccounts/{account}"
        answer = self._ask("POST", f"{url}:testIamPermissions", {"permissions": [*permissions]})
        remedy = f"grant roles/iam.serviceAccountUser on {account}"
        return _granted("service account", answer, permissions, remedy, account)

    def _ask(self, method: str, url: str, body: dict[str, Any] | None = None) -> _Answer:
        from google.auth.exceptions import GoogleAuthError
        from requests import RequestException

        try:
            response = self._session.request(method, url, json=body, timeout=_TIMEOUT_SECONDS)
        except (GoogleAuthError, RequestException) as error:
            return _Answer(0, reason=_innermost(error))
        try:
            form: Any = response.json()
        except ValueError:
            form = {}
        form = form if isinstance(form, dict) else {}
        refusal = form.get("error")
        reason = refusal.get("message") if isinstance(refusal, dict) else ""
        return _Answer(response.status_code, form, reason or f"HTTP {response.status_code}")


def _granted(
    subject: str, answer: _Answer, wanted: Sequence[str], remedy: str, fact: str = ""
) -> Finding:
    if not answer.good:
        return _unknown(subject, answer)
    absent = [name for name in wanted if name not in answer.form.get("permissions", ())]
    before = f"{fact}: " if fact else ""
    if absent:
        return Finding(subject, "missing", f"{before}without {', '.join(absent)}", remedy)
    return Finding(subject, "ok", f"{before}{', '.join(wanted)}")


def _unknown(subject: str, answer: _Answer) -> Finding:
    return Finding(subject, "unknown", f"could not be asked: {answer.reason}")


def _is_near(bucket_location: str, region: str) -> bool:
    """Return whether a bucket's data lie in the region, or in the continent around it."""
    place = bucket_location.upper()
    return place == region.upper() or region.startswith(_CONTINENTS.get(place, ("\0",)))


def _innermost(error: BaseException) -> str:
    """Return the first cause of an error in one line; the outer ones repeat it with addresses."""
    while error.__cause__ or error.__context__:
        error = error.__cause__ or error.__context__ or error
    return str(error).splitlines()[0] if str(error) else type(error).__name__
