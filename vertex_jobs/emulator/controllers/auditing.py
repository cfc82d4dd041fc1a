"""The audit of a custom job's writes: gathers the evidence and logs what follows from it."""

from collections.abc import Iterable, Iterator

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.audit import Evidence, audit, look_at
from vertex_jobs.emulator.replicas.machinery import Machinery
from vertex_jobs.emulator.replicas.preparation import Trial
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.emulator.storage.objects.object_errors import ObjectStoreError
from vertex_jobs.emulator.storage.objects.object_listing import ListQuery
from vertex_jobs.names import GcsUri, ResourceName, is_gcs_uri
from vertex_jobs.requests.places import LOCAL_BUCKET

__all__ = ["write_audit"]

#: A run that writes more objects than these pages hold has not written nothing.
_MOST_PAGES = 10


def write_audit(
    machinery: Machinery, job: protos.Message, ending: Ending, trial: Trial | None
) -> None:
    """Write the audit's lines to the job's log, while its working directories are still there.

    Args:
        machinery: The server's parts.
        job: The CustomJob.
        ending: How it ends.
        trial: Set when the job is a trial.
    """
    job_id = ResourceName.parse(job.name).resource_id
    base = job.job_spec.base_output_directory.output_uri_prefix
    place = GcsUri.parse(base).directory() if is_gcs_uri(base) else None
    folders = sorted((machinery.work_folder / job_id).glob("workerpool*"))
    written = machinery.writes.settle(job_id)
    evidence = Evidence(
        succeeded=ending.state == states.SUCCEEDED,
        base=str(place or ""),
        outputs=list(_new_objects(machinery, job, place)) if place else [],
        remains=[look_at(folder.name, folder) for folder in folders],
        written=written,
        trial_id=trial.trial_id if trial else "",
        made_buckets=_made_buckets(machinery, job, [base, *written]),
    )
    for line in audit(evidence):
        machinery.service_line(job_id, line.text, line.severity)


def _made_buckets(machinery: Machinery, job: protos.Message, uris: Iterable[str]) -> list[str]:
    """Names of the buckets in use that nobody had created; our own default is no surprise."""
    packages = [
        uri
        for pool in job.job_spec.worker_pool_specs
        for uri in pool.python_package_spec.package_uris
    ]
    names = {GcsUri.parse(uri).bucket for uri in (*packages, *uris) if is_gcs_uri(uri)}
    names.discard(GcsUri.parse(LOCAL_BUCKET).bucket)
    implicit = {bucket.name for bucket in machinery.objects.buckets.list() if bucket.implicit}
    return sorted(names & implicit)


def _new_objects(machinery: Machinery, job: protos.Message, place: GcsUri) -> Iterator[int]:
    """Bytes of each object under the output directory that is not older than the job."""
    born = job.create_time.ToNanoseconds() / 1e9
    token = ""
    for _ in range(_MOST_PAGES):
        query = ListQuery(prefix=place.path, page_token=token)
        try:
            page = machinery.objects.list_objects(place.bucket, query)
        except ObjectStoreError:  # there is no such bucket, so nothing was written
            return
        yield from (stored.size for stored in page.objects if stored.updated >= born)
        token = page.next_page_token
        if not token:
            return
