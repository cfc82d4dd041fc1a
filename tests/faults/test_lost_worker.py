"""Several replicas train one model: with the result of one process, also when a machine is lost."""

import re
from pathlib import Path
from typing import Any

import pytest

import vertex_jobs
from vertex_jobs.client import JobHandle
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.spec import from_mapping
from vertex_jobs.spec.composition import compose

pytestmark = [pytest.mark.extended, pytest.mark.tensorflow]

ROOT = Path(vertex_jobs.__file__).parents[1]
CONFIG = ROOT / "configs" / "multiworker_fit.yaml"
EPOCHS = 4
#: Sums over replicas come in another order; the losses are about 0.4.
TOLERANCE = 2e-6


def submit(endpoint: Endpoint, args: dict[str, Any] | None = None, **settings: Any) -> JobHandle:
    form = compose([CONFIG]).written | settings
    form["args"] = {"epochs": EPOCHS, **(args or {})}
    return endpoint.submit(from_mapping(form, source=CONFIG.name, base_directory=ROOT))


def ended(handle: JobHandle) -> tuple[int, int, float]:
    """Replicas, finished epochs and the loss on the digits held back."""
    handle.result(timeout=240)
    text = "\n".join(entry.text for entry in handle.logs())
    ((replicas, epochs, loss),) = re.findall(r"(\d+) replicas, (\d+) epochs: loss (\S+),", text)
    return int(replicas), int(epochs), float(loss)


@pytest.fixture(scope="module")
def alone(local_vertex: Endpoint) -> float:
    """The loss of one process on the same global batches."""
    return ended(submit(local_vertex, replica_count=1, restart_job_on_worker_restart=False))[2]


@pytest.mark.parametrize(
    ("replicas", "communication", "keras"),
    [(3, "ring", "keras"), (2, "auto", "tf_keras")],
)
def test_replicas_train_as_one_process_does(
    local_vertex: Endpoint, alone: float, replicas: int, communication: str, keras: str
) -> None:
    handle = submit(
        local_vertex,
        {"communication": communication},
        replica_count=replicas,
        environment_variables={"TF_USE_LEGACY_KERAS": "1"} if keras == "tf_keras" else {},
    )
    assert ended(handle) == (replicas, EPOCHS, pytest.approx(alone, abs=TOLERANCE))


def test_a_lost_worker_changes_neither_the_epochs_nor_the_loss(
    local_vertex: Endpoint, alone: float
) -> None:
    fault = {"replica": "workerpool1-0", "fault": "kill", "checkpoint": True}
    handle = submit(local_vertex, local={"faults": [fault]})
    assert ended(handle) == (2, EPOCHS, pytest.approx(alone, abs=TOLERANCE))
    noted = [one["kind"] for one in local_vertex.server.incidents(handle.name)]
    assert (noted.count("fault"), noted.count("restart")) == (1, 1)
    assert any(entry.text.startswith("going on after epoch") for entry in handle.logs())


def test_the_worker_leaves_writing_and_reporting_to_the_chief(local_vertex: Endpoint) -> None:
    handle = submit(local_vertex, {"epochs": 1})
    assert ended(handle)[:2] == (2, 1)
    told = [entry.text for entry in handle.logs() if re.search("wrote|reported", entry.text)]
    assert told == []
