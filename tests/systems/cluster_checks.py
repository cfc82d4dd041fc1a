"""What must hold of the systems that run as several processes."""

import re
import tempfile

from finished import Finished

__all__ = ["keras_tuner", "multiworker", "parameter_server"]


def multiworker(job: Finished) -> str:
    """Every replica takes part in 8 epochs; held-back accuracy passes 0.965; one replica saves."""
    job.succeeded()
    pools = job.resource["jobSpec"]["workerPoolSpecs"]
    replicas = sum(int(pool["replicaCount"]) for pool in pools)
    last = re.search(r"(\d+) replicas, (\d+) epochs: loss \S+, accuracy (\S+)", job.log())
    assert last
    assert (int(last[1]), int(last[2])) == (replicas, 8)
    assert float(last[3]) > 0.965
    assert "model/model.keras" in job.files
    assert len([path for path in job.files if re.match(r"logs/train/events", path)]) == 1
    return f"accuracy {last[3]}"


def parameter_server(job: Finished) -> str:
    """The table lies in two halves on two servers; the evaluator's last metrics, in TensorBoard,
    are the chief's own after its last epoch; accuracy passes 0.82.
    """
    job.succeeded()
    halves = re.findall(r"table/part_\d:0 \((\d+), 8\) on /job:ps/replica:0/task:(\d)", job.log())
    assert sorted(halves) == [("10000", "0"), ("10000", "1")]
    (chief,) = re.findall(r"5 epochs: (loss \S+, accuracy \S+)", job.log("workerpool0-0"))
    assert f"evaluated epoch 5: {chief}" in job.log("workerpool3-0")
    assert "model/saved_model.pb" in job.files
    accuracy = float(chief.split()[-1])
    assert accuracy > 0.82
    assert abs(_last_scalar(job, "logs/eval/events", "accuracy") - accuracy) < 1e-4
    return f"accuracy {accuracy:.4f}"


def keras_tuner(job: Finished) -> str:
    """Both workers run trials, 6 in all; the chief's best passes 0.95 accuracy and is saved."""
    job.succeeded()
    (best,) = re.findall(r"best of 6 trials: accuracy (\S+)", job.log("workerpool0-0"))
    assert float(best) > 0.95
    assert "model/model.keras" in job.files
    return f"accuracy {best}"


def _last_scalar(job: Finished, prefix: str, tag: str) -> float:
    """The newest value of a tag in an event file of the job's logs."""
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
    from tensorboard.util.tensor_util import make_ndarray

    (path,) = [path for path in job.files if path.startswith(prefix)]
    with tempfile.NamedTemporaryFile() as file:
        file.write(job.read(path))
        file.flush()
        values = [
            (event.step, float(make_ndarray(value.tensor)))
            for event in EventFileLoader(file.name).Load()
            for value in event.summary.value
            if value.tag == tag
        ]
    return max(values)[1]
