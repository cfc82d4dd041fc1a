"""Lines that tell a person what a job will take and cost, and the question before it is paid for.

For whoever submits. Machines and machine hours are counted here; prices come from
`preflight.cost`.
"""

import math
import sys
from typing import TYPE_CHECKING

from vertex_jobs import catalog
from vertex_jobs.cli.parser import UsageError
from vertex_jobs.cli.terminal import say
from vertex_jobs.cli.words import machine
from vertex_jobs.preflight.cost import estimate
from vertex_jobs.spec import HyperparameterTuningJob
from vertex_jobs.wording import count, number

if TYPE_CHECKING:
    from vertex_jobs.endpoints import Endpoint
    from vertex_jobs.spec import JobSpec


def confirm(job: "JobSpec", endpoint: "Endpoint", *, is_agreed: bool) -> None:
    """Show the plan, and ask unless it is agreed already.

    Raises:
        UsageError: If the answer is no, or nobody can be asked.
    """
    place = endpoint.place_of(job)
    say(f"Vertex AI, project {place.project}, {place.location}, as {_account(endpoint)}")
    say(f"packages and outputs in {place.staging_bucket}")
    for line in plan(job):
        say(line)
    cost = estimate(job, place.location)
    say("in list prices, without tax:")
    for line in (*cost.total_lines(), *cost.legs[0].rate.notes):
        say(f"  {line}")
    if is_agreed:
        return
    if not sys.stdin.isatty():
        raise UsageError("nobody can be asked here; add --yes to submit; nothing was submitted")
    print("Proceed? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("declined; nothing was submitted")


def plan(job: "JobSpec") -> list[str]:
    """Return machines, trials and the worst case, one line each."""
    pools = job.worker_pools_resolved()
    lines = [
        f"{job.kind} {job.display_name}:",
        *(f"  {pool.role}: {pool.replica_count} x {machine(pool)}" for pool in pools),
    ]
    default = catalog.load().limits.default_timeout_seconds
    hours = (default if job.timeout is None else job.timeout) / 3600
    machines = sum(pool.replica_count for pool in pools)
    each = f"{count(machines, 'machine')} x {number(hours)} h (timeout)"
    if isinstance(job, HyperparameterTuningJob):
        trials, parallel = job.max_trial_count, job.parallel_trial_count
        lines.append(f"  {count(trials, 'trial')}, {parallel} at a time, each on these machines")
        rounds = math.ceil(trials / parallel)
        lines.append(
            f"  worst case: {trials} x {each} = {number(trials * machines * hours)} machine hours, "
            f"over within {number(rounds * hours)} h"
        )
    else:
        lines.append(f"  worst case: {each} = {number(machines * hours)} machine hours")
    return lines


def _account(endpoint: "Endpoint") -> str:
    credentials = endpoint.connection.credentials
    for attribute in ("service_account_email", "account"):
        account = getattr(credentials, attribute, "")
        if account:
            return str(account)
    return "the account of the application default credentials"
