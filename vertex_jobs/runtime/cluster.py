"""The replicas of one job: TF_CONFIG and CLUSTER_SPEC, read and written.

One class serves both ends: a training script reads its place in the cluster with it, and Local
Vertex writes the variables of a replica with it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vertex_jobs.errors import Fault, InvalidJobError

#: Roles by worker pool, pool 0 first. Source: "Distributed training", worker pool table.
ROLES = ("chief", "worker", "ps", "evaluator")

#: Key of the only replica of a single-replica job in CLUSTER_SPEC. The documentation does not
#: mention it; a Google sample, the SDK's profiler and a real log agree on it.
SINGLE_REPLICA_KEY = "chief"

_ROLE_OF_KEY = {f"workerpool{pool}": role for pool, role in enumerate(ROLES)}
_ROLE_OF_KEY |= {role: role for role in ROLES} | {"master": "chief"}


@dataclass(frozen=True)
class Cluster:
    """The replicas of a job, and the place of this one among them.

    Attributes:
        addresses: ``host:port`` of every replica by role, in index order; unused roles are absent.
            A cluster read from TF_CONFIG alone has no evaluator: TensorFlow's form leaves it out.
        task_type: This replica's role, one of ``ROLES``.
        task_index: Its place within the role, from 0.
        job: What a distributed job's variables say of its program: a text that holds JSON. Handed
            through as it is.
        cloud_id: The service's internal id of the task; scripts ignore it.
    """

    addresses: Mapping[str, tuple[str, ...]]
    task_type: str = "chief"
    task_index: int = 0
    job: str = ""
    cloud_id: str = ""

    @property
    def is_chief(self) -> bool:
        """True when this replica writes for the whole job.

        Without a chief, as in TF_CONFIG values written by hand, worker 0 is the chief.

        Source: "Distributed training", primary replica.
        """
        if self.task_type == "chief":
            return True
        return "chief" not in self.addresses and (self.task_type, self.task_index) == ("worker", 0)

    @property
    def replica_count(self) -> int:
        """The number of known replicas of all roles."""
        return sum(len(hosts) for hosts in self.addresses.values())

    @property
    def is_distributed(self) -> bool:
        """True when there are more replicas than this one, so that TF_CONFIG is set."""
        return self.replica_count > 1

    def count(self, role: str) -> int:
        """Return the number of replicas of one role."""
        return len(self.addresses.get(role, ()))

    def cluster_spec(self, trial_id: str | None = None) -> dict[str, Any]:
        """Return the value of CLUSTER_SPEC, which every replica gets.

        Source: "Distributed training", format of CLUSTER_SPEC.
        """
        keys = {role: f"workerpool{pool}" for pool, role in enumerate(ROLES)}
        if not self.is_distributed:
            keys["chief"] = SINGLE_REPLICA_KEY
        cluster = {keys[role]: list(self.addresses[role]) for role in self._roles()}
        task: dict[str, Any] = {"type": keys[self.task_type], "index": self.task_index}
        return self._rendered(cluster, task, trial_id)

    def tf_config(self, trial_id: str | None = None) -> dict[str, Any] | None:
        """Return the value of TF_CONFIG; None for a single replica, which gets none.

        The cluster in it never lists the evaluator, which knows itself by its task alone.

        Source: "Distributed training", format of TF_CONFIG.
        """
        if not self.is_distributed:
            return None
        roles = [role for role in self._roles() if role != "evaluator"]
        cluster = {role: list(self.addresses[role]) for role in roles}
        task: dict[str, Any] = {"type": self.task_type, "index": self.task_index}
        if self.cloud_id:
            task["cloud"] = self.cloud_id
        return self._rendered(cluster, task, trial_id)

    def _roles(self) -> list[str]:
        """Return the roles that have replicas, in pool order."""
        return [role for role in ROLES if self.addresses.get(role)]

    def _rendered(
        self, cluster: dict[str, list[str]], task: dict[str, Any], trial_id: str | None
    ) -> dict[str, Any]:
        """Return the form that both variables share.

        Source: google-cloud-aiplatform, test_cloud_profiler.py (values of both kinds of job).
        """
        if trial_id is not None:
            task["trial"] = trial_id
        rendered: dict[str, Any] = {"cluster": cluster, "environment": "cloud", "task": task}
        if self.job and self.is_distributed:
            rendered["job"] = self.job
        return rendered

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> "Cluster | None":
        """Return the cluster that CLUSTER_SPEC and TF_CONFIG describe; None when neither is set.

        Raises:
            InvalidJobError: If a variable is not such JSON, or the two contradict each other.
        """
        whole = _parse(environ, "CLUSTER_SPEC")
        tensorflow = _parse(environ, "TF_CONFIG")
        if whole is None or tensorflow is None:
            return whole or tensorflow
        if (whole.task_type, whole.task_index) != (tensorflow.task_type, tensorflow.task_index):
            raise invalid_variable(
                "TF_CONFIG",
                f"{tensorflow.task_type} {tensorflow.task_index}",
                f"CLUSTER_SPEC says {whole.task_type} {whole.task_index}",
                "set both for the same replica, or unset one",
            )
        return cls(
            whole.addresses, whole.task_type, whole.task_index, whole.job, tensorflow.cloud_id
        )


def _parse(environ: Mapping[str, str], variable: str) -> Cluster | None:
    """Return one variable as a cluster; empty text or an empty cluster counts as unset."""
    text = environ.get(variable, "").strip()
    if not text:
        return None
    try:
        content = json.loads(text)
        keys: dict[str, list[str]] = content.get("cluster") or {}
        task = content.get("task") or {}
        if not keys and not task:
            return None
        addresses = {_ROLE_OF_KEY[key]: tuple(hosts) for key, hosts in keys.items() if hosts}
        return Cluster(
            addresses=addresses,
            task_type=_ROLE_OF_KEY[task["type"]],
            task_index=int(task["index"]),
            job=content.get("job", ""),
            cloud_id=str(task.get("cloud", "")),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise invalid_variable(
            variable,
            text,
            f"it is not a cluster's description ({type(error).__name__}: {error})",
            'write {"cluster": {"chief": ["host:port"], ...}, "task": {"type": ..., "index": 0}}',
        ) from error


def invalid_variable(variable: str, value: str | None, rule: str, remedy: str) -> InvalidJobError:
    """Return the error of an environment variable that cannot be read."""
    return InvalidJobError([Fault(variable, value, rule, remedy)], source="environment")
