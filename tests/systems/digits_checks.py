"""What must hold of the digits classifier: one job, and a study."""

from finished import Finished

__all__ = ["search", "training"]


def training(job: Finished) -> str:
    """The accuracy on held-back digits passes 0.98; the model is exported and uploaded as one."""
    job.succeeded()
    assert "model/saved_model.pb" in job.files
    assert job.resource["modelToUpload"]["name"] in job.results
    accuracy = max(job.values("val_accuracy"))
    assert accuracy > 0.98
    return f"accuracy {accuracy:.4f}"


def search(job: Finished) -> str:
    """All 16 trials end, at least 14 of them well, and the best one passes 0.98 accuracy."""
    job.succeeded()
    study = job.handle.study
    states = [trial.state for trial in study.trials]
    assert len(states) == 16
    assert states.count("SUCCEEDED") >= 14
    accuracy = study.best_trial.metrics["accuracy"]
    assert accuracy > 0.98
    return f"accuracy {accuracy:.4f}"
