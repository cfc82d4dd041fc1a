"""Claims about the unmodified SDK on Local Vertex: a study of eight instant trials."""

import logging
import tempfile
import time
from pathlib import Path

from measuring import Claim, alternate, at_most

from vertex_jobs.testing import google_clients, local_vertex

__all__ = ["measure"]

_TRIALS = 8
_SDK_POLL_SECONDS = 5.0  # google.cloud.aiplatform.jobs, a constant
_IMAGE = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest"
_SCRIPT = """\
import sys
import hypertune

value = float(sys.argv[1].partition("=")[2])
hypertune.HyperTune().report_hyperparameter_tuning_metric("score", value, 1)
"""


def measure(rounds: int) -> list[Claim]:
    """Measure ``HyperparameterTuningJob.run()``, from its call to its return."""
    with tempfile.TemporaryDirectory() as folder, local_vertex() as endpoint:
        script = Path(folder) / "score.py"
        script.write_text(_SCRIPT)
        with google_clients(endpoint):
            from google.cloud import aiplatform, storage
            from google.cloud.aiplatform import hyperparameter_tuning

            logging.getLogger("google.cloud.aiplatform").setLevel(logging.ERROR)
            place = endpoint.place
            storage.Client().create_bucket("benchmark")
            aiplatform.init(
                project=place.project, location=place.location, staging_bucket="gs://benchmark"
            )
            custom_job = aiplatform.CustomJob.from_local_script(
                "instant", str(script), _IMAGE, requirements=["cloudml-hypertune"]
            )

            def run() -> float:
                job = aiplatform.HyperparameterTuningJob(
                    display_name="instant",
                    custom_job=custom_job,
                    metric_spec={"score": "maximize"},
                    parameter_spec={
                        "x": hyperparameter_tuning.DoubleParameterSpec(min=0, max=1, scale="linear")
                    },
                    max_trial_count=_TRIALS,
                    parallel_trial_count=2,
                    search_algorithm="random",
                )
                started = time.perf_counter()
                job.run()
                taken = time.perf_counter() - started
                assert len(job.trials) == _TRIALS
                return taken

            run()  # the clients' first call creates their channels
            seen = alternate({"ours": run}, rounds)
    return [
        at_most(
            f"The SDK's `HyperparameterTuningJob.run()`, {_TRIALS} instant trials, against its own "
            "poll interval of 5 s",
            [taken / _SDK_POLL_SECONDS for taken in seen.seconds["ours"]],
            0.2,
        )
    ]
