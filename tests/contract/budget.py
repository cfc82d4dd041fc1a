"""The cost ceiling of a run against the real service: what the jobs may cost at worst.

Every create is paid before it is sent: replicas, times the longest time that they may run, times
the number of trials. A create that was refused is paid back.
"""

import json
from typing import Any

#: US dollars per hour in us-central1, September 2026. Source: "Vertex AI pricing", custom training.
PRICES = {"n1-standard-4": 0.21849885}
_COLLECTIONS = ("customJobs", "hyperparameterTuningJobs", "trainingPipelines")


class UnpricedJobError(Exception):
    """The job has no ceiling of its own; it is not for a project that pays."""


class BudgetExceededError(Exception):
    """The next job could cost more than what is left; it was not sent."""


def worst_case_usd(path: str, body: dict[str, Any]) -> float:
    """What a create request may cost; 0 for any other request.

    Raises:
        UnpricedJobError: If the job has no timeout, or a machine whose price is not known.
    """
    if path.rpartition("/")[2] not in _COLLECTIONS:
        return 0.0
    spec = body.get("jobSpec") or body.get("trialJobSpec") or body.get("trainingTaskInputs") or {}
    scheduling = spec.get("scheduling") or {}
    timeout = str(scheduling.get("timeout") or "")
    if not timeout.endswith("s"):
        raise UnpricedJobError(f"{body.get('displayName')!r} has no timeout: no ceiling")
    hours = float(timeout[:-1]) / 3600
    price = 0.0
    for pool in spec.get("workerPoolSpecs") or spec.get("worker_pool_specs") or []:
        machine = pool.get("machineSpec") or pool.get("machine_spec") or {}
        kind = machine.get("machineType") or machine.get("machine_type") or ""
        if kind and kind not in PRICES:
            raise UnpricedJobError(f"the price of {kind} is not known")
        count = pool.get("replicaCount") or pool.get("replica_count") or 0
        price += int(count) * PRICES.get(kind, 0.0)
    return price * hours * int(body.get("maxTrialCount") or 1)


class Budget:
    """What is left to spend."""

    def __init__(self, ceiling_usd: float) -> None:
        self.ceiling_usd = ceiling_usd
        self.spent_usd = 0.0

    def pay(self, method: str, path: str, body: bytes) -> float:
        """Pay for a request before it is sent; answers its price.

        Raises:
            BudgetExceededError: If it could cost more than what is left.
            UnpricedJobError: If nobody knows what it could cost.
        """
        if method != "POST" or path.rpartition("/")[2] not in _COLLECTIONS:
            return 0.0
        price = worst_case_usd(path, json.loads(body or b"{}"))
        if self.spent_usd + price > self.ceiling_usd:
            raise BudgetExceededError(
                f"the next job may cost {price:.4f} USD; {self.spent_usd:.4f} of "
                f"{self.ceiling_usd:.4f} are spent at worst"
            )
        self.spent_usd += price
        return price

    def refund(self, price: float) -> None:
        """Take back what was paid for a job that does not exist."""
        self.spent_usd -= price
