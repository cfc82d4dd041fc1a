"""What must hold of the systems that lay a model on a mesh of devices."""

from finished import Finished

__all__ = ["data_parallel", "dtensor", "model_parallel"]


def dtensor(job: Finished) -> str:
    """Four trials give the layouts in four ways; each device holds half of each layer in all of
    them, each passes 0.97 accuracy, and the three that draw the same weights agree.
    """
    job.succeeded()
    trials = {trial.parameters["layouts"]: trial for trial in job.handle.trials}
    halves = ["hidden/kernel:0: (64, 64) of (64, 128)", "digit/kernel:0: (64, 10) of (128, 10)"]
    assert [job.log().count(half) for half in halves] == [4, 4]
    accuracies = {name: trial.metrics["accuracy"] for name, trial in trials.items()}
    assert min(accuracies.values()) > 0.97
    assert accuracies["explicit"] == accuracies["sequential"] == accuracies["functional"]
    assert all(f"{trial.id}/model/saved_model.pb" in job.files for trial in trials.values())
    return f"accuracy {max(accuracies.values()):.4f}"


def model_parallel(job: Finished) -> str:
    """4 x 2 devices: each holds half of each layer; accuracy passes 0.97."""
    return _distributed(job, "hidden/kernel: (64, 64) of (64, 128) on each of 8 devices")


def data_parallel(job: Finished) -> str:
    """8 devices: each holds all weights; accuracy passes 0.97."""
    return _distributed(job, "hidden/kernel: (64, 128) of (64, 128) on each of 8 devices")


def _distributed(job: Finished, shards: str) -> str:
    job.succeeded()
    assert shards in job.log()
    assert {"model/saved_model.pb", "model/model.keras"} <= set(job.files)
    accuracy = job.values("val_accuracy")[-1]
    assert accuracy > 0.97
    return f"accuracy {accuracy:.4f}"
