"""Rules on what is around a job: buckets, keys, money, and settings that one endpoint lacks.

``doctor`` asks whether a bucket exists and who may write to it.
"""

from collections.abc import Iterator

from vertex_jobs.catalog.container_images import is_reduction_server
from vertex_jobs.errors import Fault
from vertex_jobs.preflight.cost import price_faults
from vertex_jobs.preflight.rule import MACHINE_FIELDS, rule
from vertex_jobs.preflight.subject import Subject
from vertex_jobs.spec import HyperparameterTuningJob, LocalSettings, WorkerPoolSpec
from vertex_jobs.spec.stopping import ConvexStoppingSpec

#: Uses of a managed dataset that Local Vertex does not emulate.
_DATA_FIELDS = (
    "annotations_filter",
    "saved_query_id",
    "training_filter_split",
    "validation_filter_split",
    "test_filter_split",
    "persist_ml_use_assignment",
    "bigquery_destination",
)
#: Environments that run the image itself.
_ENGINES = ("docker", "podman")


@rule(
    "warning",
    source="google-cloud-aiplatform: staging_bucket of a job",
    needs=["staging_bucket"],
    cloud_only=True,
)
def staging_bucket_said(subject: Subject) -> Iterator[Fault]:
    """On Vertex AI a package and default outputs have a bucket to lie in."""
    if not subject.staging_bucket:
        yield Fault(
            "staging_bucket",
            None,
            "Vertex AI reads the package from Cloud Storage",
            "add it, or give --staging-bucket gs://BUCKET to run",
        )


@rule(
    "error",
    source='documentation pages "Use customer-managed keys", "Use Vertex AI TensorBoard"',
    needs=["encryption_spec_key_name", "tensorboard"],
    cloud_only=True,
)
def same_region(subject: Subject) -> Iterator[Fault]:
    """Key and TensorBoard are in the job's region."""
    for field in ("encryption_spec_key_name", "tensorboard"):
        name = getattr(subject.job, field)
        _, found, rest = (name or "").partition("/locations/")
        region = rest.partition("/")[0]
        for candidate in subject.candidates:
            if found and region not in (candidate.location, "global"):
                rule_text = f"is in {region}, and the job in {candidate.location}"
                yield Fault(field, name, rule_text, f"use one in {candidate.location}")


@rule(
    "warning",
    source="Local Vertex: these are no part of the request",
    needs=["local"],
    cloud_only=True,
)
def local_settings_dropped(subject: Subject) -> Iterator[Fault]:
    """Settings of Local Vertex are known to have no effect on Vertex AI."""
    given = subject.job.local
    defaults = LocalSettings()
    names = [
        name for name in type(given).model_fields if getattr(given, name) != getattr(defaults, name)
    ]
    if names:
        yield Fault(
            "local",
            ", ".join(names),
            "holds on Local Vertex only",
            "nothing to do; on Vertex AI it is left out",
        )


@rule(
    "error",
    source="Local Vertex",
    needs=[*MACHINE_FIELDS, "nfs_mounts", "lustre_mounts"],
    local_only=True,
)
def emulated_here(subject: Subject) -> Iterator[Fault]:
    """What a job needs can be had on Local Vertex, if it is to run there."""
    for pool in subject.pools:
        if is_reduction_server(pool.container_uri):
            yield Fault(
                f"worker_pools.{pool.role}.container_uri",
                pool.container_uri,
                "the Reduction Server is not emulated",
                "leave the pool out for Local Vertex",
            )
        if pool.nfs_mounts or pool.lustre_mounts:
            field = "nfs_mounts" if pool.nfs_mounts else "lustre_mounts"
            rule_text = "file servers are not mounted on Local Vertex"
            yield Fault(field, None, rule_text, "leave them out for Local Vertex")
    for field in _DATA_FIELDS:
        if value := getattr(subject.job, field, None):
            yield Fault(field, value, "is not emulated", "leave it out for Local Vertex")
    if isinstance(subject.job, HyperparameterTuningJob):
        yield from _stopping_emulated(subject.job)


@rule(
    "warning",
    source="Local Vertex",
    needs=[*MACHINE_FIELDS, "container_uri", "local"],
    local_only=True,
)
def image_stands_here(subject: Subject) -> Iterator[Fault]:
    """A container that is to run on Local Vertex has something that stands for it there."""
    local = subject.job.local
    for pool in subject.pools:
        mapped = local.images.get(pool.container_uri)
        runs_image = (mapped.environment if mapped else local.environment) in _ENGINES
        if runs_image or (mapped and mapped.command) or _runs_package(pool):
            continue
        yield Fault(
            subject.field(subject.candidates[0], pool, "container_uri"),
            pool.container_uri,
            "no image is pulled on Local Vertex, so the job fails at its start there",
            "say under local.images which environment and command stand for it",
        )


def _runs_package(pool: WorkerPoolSpec) -> bool:
    """Return whether Local Vertex sees a package in the pool, in the SDK's own command too."""
    if pool.runs_package or pool.python_package_gcs_uri or is_reduction_server(pool.container_uri):
        return True
    return any("pip" in word and "/gcs/" in word for word in pool.command)


def _stopping_emulated(job: HyperparameterTuningJob) -> Iterator[Fault]:
    spec = job.automated_stopping_spec
    if isinstance(spec, ConvexStoppingSpec) and spec.update_all_stopped_trials:
        yield Fault(
            "automated_stopping_spec.update_all_stopped_trials",
            True,
            "predictions are not made anew on Local Vertex",
            "leave it out for Local Vertex",
        )


@rule("error", source="the catalog's names", needs=["prices"])
def own_prices(subject: Subject) -> Iterator[Fault]:
    """A price of one's own is that of a machine, an attached accelerator or a boot disk."""
    yield from price_faults(subject.job.prices)


@rule(
    "error",
    source="the catalog's prices",
    needs=[
        *MACHINE_FIELDS,
        "max_cost_usd",
        "prices",
        "timeout",
        "max_trial_count",
        "parallel_trial_count",
    ],
    cloud_only=True,
)
def cost_ceiling(subject: Subject) -> Iterator[Fault]:
    """The worst case costs no more than max_cost_usd."""
    ceiling = subject.job.max_cost_usd
    if ceiling is None:
        return
    worst = subject.cost.worst_case
    if not worst.is_complete:
        yield Fault(
            "max_cost_usd",
            ceiling,
            f"it cannot be kept: the price of {', '.join(worst.unknown)} is not known",
            "give it under prices:, as in {g2-standard-4: 0.71}, or remove max_cost_usd",
        )
    elif worst.high > ceiling:
        yield Fault(
            "max_cost_usd",
            ceiling,
            f"the worst case costs {worst}",
            "lower timeout or max_trial_count, take a cheaper machine, or raise it",
        )


SURROUNDINGS_RULES = (
    staging_bucket_said,
    same_region,
    local_settings_dropped,
    emulated_here,
    image_stands_here,
    own_prices,
    cost_ceiling,
)
