"""What must hold of models trained side by side, and of their ensemble."""

import re

from finished import Finished, run

from vertex_jobs.endpoints import Endpoint

__all__ = ["ensemble", "members", "name_study"]

_MEMBERS = "ensemble_members.yaml"


def members(job: Finished) -> str:
    """Eight trials, each on a machine with one accelerator of its own, end well and leave a model;
    the best passes 0.98 accuracy.
    """
    job.succeeded()
    (pool,) = job.resource["trialJobSpec"]["workerPoolSpecs"]
    assert pool["machineSpec"]["acceleratorCount"] == 1
    trials = job.handle.trials
    assert [trial.state for trial in trials] == ["SUCCEEDED"] * 8
    assert all(f"{trial.id}/model/model.keras" in job.files for trial in trials)
    accuracy = job.handle.best_trial.metrics["accuracy"]
    assert accuracy > 0.98
    return f"accuracy {accuracy:.4f}"


def ensemble(job: Finished) -> str:
    """The four best of the study answer together; whether that is better than the best of them
    alone is said, and is what the two accuracies say; the ensemble is saved as one model.
    """
    job.succeeded()
    found = re.search(
        r"ensemble of 4: accuracy (0[.]\d+), (\w+) (?:than|as) the best alone, (0[.]\d+)",
        job.log().replace("as good as", "equal as"),
    )
    assert found, job.log()[-2000:]
    together, alone = float(found[1]), float(found[3])
    said = {"better": together > alone, "worse": together < alone, "equal": together == alone}
    assert said[found[2]]
    assert job.log().count("member ") == 4
    assert "model/saved_model.pb" in job.files
    assert together > 0.98
    return f"accuracy {together:.4f} ({alone:.4f})"


def name_study(endpoint: Endpoint) -> tuple[str, ...]:
    """Find the study of the members, or run it; the ensemble is told its directory."""
    studies = [job for job in endpoint.jobs() if job.display_name == "ensemble-members"]
    if not studies:
        run(endpoint, _MEMBERS).succeeded()
        studies = endpoint.jobs()
    directory = studies[0].trials[0].model_dir
    assert directory
    return "--set", f"args.study={directory.removesuffix('model/').rstrip('/').rpartition('/')[0]}"
