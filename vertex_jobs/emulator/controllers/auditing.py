"""The audit of a custom job's writes: gathers the evidence and logs what follows from it."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.audit_lines import Evidence, audit, look_at
from vertex_jobs.emulator.resources import states
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.emulator.resources.job_records import JobRecord
from vertex_jobs.emulator.storage.objects.object_errors import ObjectStoreError
from vertex_jobs.emulator.storage.objects.object_listing import ListQuery
from vertex_jobs.emulator.storage.objects.object_store import ObjectStore
from vertex_jobs.emulator.storage.writers import WriteLedger
from vertex_jobs.names import GcsUri, is_gcs_uri
from vertex_jobs.requests import LOCAL_PLACE

#: A run that writes more objects than these pages hold has not written nothing.
_MOST_PAGES = 10


def write_audit(
    record: JobRecord,
    ending: Ending,
    folder: Path,
    objects: ObjectStore,
    writes: WriteLedger,
    trial_id: str,
) -> None:
    """Write the audit's lines to the job's log, while ``folder`` has its working directories.

    ``trial_id`` is empty unless the job is a trial.
    """
    job = record.load()
    base = job.job_spec.base_output_directory.output_uri_prefix
    place = GcsUri.parse(base).directory() if is_gcs_uri(base) else None
    folders = sorted(folder.glob("workerpool*"))
    written = writes.settle(record.job_id)
    evidence = Evidence(
        succeeded=ending.state == states.SUCCEEDED,
        base=str(place or ""),
        outputs=dict(_new_objects(objects, job, place)) if place else {},
        remains=[look_at(folder.name, folder) for folder in folders],
        written=written,
        trial_id=trial_id,
        made_buckets=_made_buckets(objects, job, [base, *written]),
    )
    for line in audit(evidence):
        record.say(line.text, line.severity)


def _made_buckets(objects: ObjectStore, job: protos.Message, uris: Iterable[str]) -> list[str]:
    """Return the buckets in use that nobody had created; our own default is no surprise."""
    packages = [
        uri
        for pool in job.job_spec.worker_pool_specs
        for uri in pool.python_package_spec.package_uris
    ]
    names = {GcsUri.parse(uri).bucket for uri in (*packages, *uris) if is_gcs_uri(uri)}
    names.discard(GcsUri.parse(LOCAL_PLACE.staging_bucket).bucket)
    implicit = {bucket.name for bucket in objects.buckets.list() if bucket.implicit}
    return sorted(names & implicit)


def _new_objects(
    objects: ObjectStore, job: protos.Message, place: GcsUri
) -> Iterator[tuple[str, int]]:
    """Yield URI and bytes of each object under the output directory not older than the job."""
    born = job.create_time.ToNanoseconds() / 1e9
    token = ""
    for _ in range(_MOST_PAGES):
        query = ListQuery(prefix=place.path, page_token=token)
        try:
            page = objects.list_objects(place.bucket, query)
        except ObjectStoreError:  # there is no such bucket, so nothing was written
            return
        yield from (
            (f"gs://{stored.bucket}/{stored.name}", stored.size)
            for stored in page.objects
            if stored.updated >= born
        )
        token = page.next_page_token
        if not token:
            return
