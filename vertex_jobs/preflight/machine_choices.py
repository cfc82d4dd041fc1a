"""Why a machine was chosen that a config does not name: for those that ask for a size."""

from collections.abc import Iterator

from vertex_jobs.catalog import Catalog
from vertex_jobs.preflight.offers import Filters, find_offers
from vertex_jobs.spec import JobSpec, WorkerPool
from vertex_jobs.spec.pools import ROLES
from vertex_jobs.wording import count


def explain_choices(job: JobSpec, catalog: Catalog) -> Iterator[str]:
    """Yield a clause for each pool that asks for vCPUs or memory: its machine, and the next."""
    if job.worker_pools is None:
        yield from _explain("", job, catalog)
        return
    for role in ROLES:
        pool = getattr(job.worker_pools, role)
        if pool is not None:
            yield from _explain(f"{role}: ", pool, catalog)


def _explain(prefix: str, asked: JobSpec | WorkerPool, catalog: Catalog) -> Iterator[str]:
    sizes = [count(asked.cpus, "vCPU")] if asked.cpus else []
    sizes += [f"{asked.memory_gb:g} GB"] if asked.memory_gb else []
    if not sizes:
        return
    kind, accelerators = asked.accelerator_type or "", asked.accelerator_count or 0
    filters = Filters(gpu=kind, cpus=asked.cpus or 0, memory_gb=asked.memory_gb or 0)
    others = [
        offer.machine_type
        for offer in ([] if asked.tpu_topology else find_offers(catalog, filters))
        if offer.machine_type != asked.machine_type
        and (not kind or accelerators in offer.accelerators.get(kind, ()))
    ]
    after = f"; next by list price: {', '.join(others[:2])}" if others else ""
    yield f"{prefix}{asked.machine_type}, for {' and '.join(sizes)} at least{after}"
