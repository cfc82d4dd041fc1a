"""Rules on time limits and on the way to get machines."""

from collections.abc import Iterator

from vertex_jobs.catalog.flex_start import flex_start_faults
from vertex_jobs.errors import Fault
from vertex_jobs.preflight.rule import MACHINE_FIELDS, rule
from vertex_jobs.preflight.subject import Subject
from vertex_jobs.spec import WorkerPoolSpec

_SCHEDULING = "Scheduling"
_COMPUTE = 'documentation page "Configure compute resources"'
_FLEX_START = 'documentation page "Schedule training jobs based on resource availability"'
_POLLERS = "kubeflow/pipelines, google_cloud_pipeline_components, job_remote_runner.py"
#: Time from the start of a replica to that of the script, in the log of a real job.
_STARTING_SECONDS = 65


@rule("warning", source="log of a real job, February 2026", needs=["timeout"], cloud_only=True)
def timeout_long_enough(subject: Subject) -> Iterator[Fault]:
    """A job has time for more than its own start: pip alone takes about a minute."""
    timeout = subject.job.timeout
    if timeout is not None and timeout < 2 * _STARTING_SECONDS:
        yield Fault(
            "timeout",
            timeout,
            f"installing the package takes about {_STARTING_SECONDS} s of it",
            "give it some minutes; it is in seconds",
        )


@rule("warning", source=_SCHEDULING, needs=["timeout"], cloud_only=True)
def timeout_chosen(subject: Subject) -> Iterator[Fault]:
    """A job that hangs is not paid for seven days."""
    if subject.job.timeout is None:
        yield Fault("timeout", None, "a job that hangs is paid for 7 days", "add timeout: 3600")


@rule("warning", source=_SCHEDULING, needs=["max_wait_duration"], cloud_only=True)
def wait_ends(subject: Subject) -> Iterator[Fault]:
    """A job does not wait for machines without end."""
    if subject.job.max_wait_duration == 0:
        yield Fault(
            "max_wait_duration", 0, "0 waits for machines without end", "write 86400 for a day"
        )


@rule("error", source=_FLEX_START, needs=[*MACHINE_FIELDS, "timeout"])
def flex_start_fits(subject: Subject) -> Iterator[Fault]:
    """A job on flex_start asks for GPUs that can be waited for, equal in all of its pools."""
    timeout = subject.job.timeout or 0
    for candidate in subject.candidates:
        if candidate.strategy != "flex_start":
            continue
        uses = [pool.machine_use for pool in candidate.pools]
        for fault in flex_start_faults(uses, timeout):
            pool = candidate.pools[fault.pool]
            if fault.of == "timeout":
                rule_text = "a job on flex_start runs for 7 days at most"
                yield Fault("timeout", timeout, rule_text, "write 604800 or less")
            elif fault.of == "machines":
                rule_text = "a job on flex_start has the same machine in every pool"
                field = subject.field(candidate, pool, "machine_type")
                yield Fault(field, pool.machine_type, rule_text, "give all pools one machine")
            else:
                field = subject.field(candidate, pool, "accelerator_type")
                rule_text = "flex_start waits for L4, A100, H100, H200 and B200 only"
                remedy = "take one of them, or remove scheduling_strategy"
                yield Fault(field, pool.accelerator_type, rule_text, remedy)


@rule("warning", source=_POLLERS, needs=MACHINE_FIELDS, cloud_only=True)
def flex_start_expires(subject: Subject) -> Iterator[Fault]:
    """A job that may expire is not waited for by a program that never sees that it has."""
    candidate = subject.candidates[0]
    if candidate.strategy == "flex_start" and subject.job.max_wait_duration != 0:
        yield Fault(
            "scheduling_strategy",
            candidate.strategy,
            "a job that finds no machines ends as JOB_STATE_EXPIRED, which Google's pipeline "
            "components take for running and poll for ever",
            "follow it with run or watch, which end then",
        )


@rule("warning", source=_COMPUTE, needs=MACHINE_FIELDS, cloud_only=True)
def scarce_accelerator(subject: Subject) -> Iterator[Fault]:
    """Accelerators that are hard to get are reserved, or taken as spot."""
    for candidate, pool in subject.each_pool():
        known = subject.catalog.accelerators.get(pool.accelerator_type or "")
        scarce = known is not None and known.is_scarce
        if scarce and candidate.strategy != "spot" and not _is_reserved(pool):
            yield Fault(
                subject.field(candidate, pool, "accelerator_type"),
                pool.accelerator_type,
                "is hard to get without a reservation",
                "add scheduling_strategy: spot, or a reservation",
            )


@rule("error", source=_COMPUTE, needs=MACHINE_FIELDS, cloud_only=True)
def reserved_accelerator(subject: Subject) -> Iterator[Fault]:
    """An accelerator that is given to reservations only has one."""
    for candidate, pool in subject.each_pool():
        known = subject.catalog.accelerators.get(pool.accelerator_type or "")
        needed = known is not None and known.needs_reservation
        if needed and not _is_reserved(pool):
            yield Fault(
                subject.field(candidate, pool, "accelerator_type"),
                pool.accelerator_type,
                "is given to reservations only",
                "name the reservation, or take another accelerator",
            )


@rule(
    "warning",
    source='documentation pages "Use Spot VMs", "Understand the training service"',
    needs=[*MACHINE_FIELDS, "disable_retries"],
    cloud_only=True,
)
def spot_comes_back(subject: Subject) -> Iterator[Fault]:
    """A job on spot machines goes on when one is taken away."""
    if subject.job.scheduling_strategy != "spot":
        return
    if subject.job.disable_retries:
        yield Fault(
            "disable_retries",
            True,
            "on spot machines the job ends when one is taken away",
            "remove it, and let the script go on from a checkpoint",
        )
    replicas = sum(pool.replica_count for pool in subject.pools)
    if replicas > 1 and not subject.job.restart_job_on_worker_restart:
        yield Fault(
            "restart_job_on_worker_restart",
            False,
            "a spot machine comes back alone, and a cluster of TensorFlow takes nobody back",
            "write restart_job_on_worker_restart: true",
        )


def _is_reserved(pool: WorkerPoolSpec) -> bool:
    return pool.reservation_affinity_type not in (None, "NO_RESERVATION")


SCHEDULING_RULES = (
    timeout_long_enough,
    timeout_chosen,
    wait_ends,
    flex_start_fits,
    flex_start_expires,
    scarce_accelerator,
    reserved_accelerator,
    spot_comes_back,
)
