"""Makes every mistake with the unmodified SDK and prints what happened: one JSON object.

python tests/docs/mistakes_in_sdk.py URL_OF_LOCAL_VERTEX
"""

import json
import logging
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from mistake_cases import CASES, IMAGE, SCRIPT


class Sdk:
    """What the cases need of the SDK."""

    def __init__(self, url: str) -> None:
        from google.auth.credentials import AnonymousCredentials
        from google.cloud import aiplatform
        from google.cloud.aiplatform import hyperparameter_tuning

        aiplatform.init(
            project="local-project",
            location="us-central1",
            staging_bucket="gs://mistakes",
            credentials=AnonymousCredentials(),
            api_endpoint=url,
            api_transport="rest",
        )
        self._ai = aiplatform
        self.hpt = hyperparameter_tuning

    def custom(
        self,
        machine: Any = None,
        pool: Any = None,
        package: Any = None,
        job: Any = None,
        run: Any = None,
    ) -> str | None:
        self._job(machine, pool, package, job).submit(**(run or {}))
        return None

    def strategy(self, name: str) -> Any:
        from google.cloud.aiplatform.compat.types import custom_job

        return getattr(custom_job.Scheduling.Strategy, name)

    def script(self, source: str = SCRIPT, **settings: Any) -> str | None:
        path = Path(tempfile.mkdtemp(), "train.py")
        path.write_text(source)
        settings = {"container_uri": IMAGE, **settings}
        job = self._ai.CustomJob.from_local_script(
            display_name="x", script_path=str(path), **settings
        )
        job.submit()
        spec = job.to_dict()["jobSpec"]["workerPoolSpecs"]
        asked = [one.get("machineSpec", {}).get("acceleratorType") for one in spec]
        if "accelerator_type" in settings and not any(asked):
            return "the GPU is left out"
        if "accelerator_count" in settings and not any(asked):
            return "the count is left out"
        if isinstance(settings.get("args"), str):
            return f"the args are {spec[0]['pythonPackageSpec']['args'][:4]!r}…"
        if "containerSpec" in spec[0]:
            return "as a container job"
        return None

    def study(self, package: Any = None, **changes: Any) -> str | None:
        fields = {
            "metric_spec": {"accuracy": "maximize"},
            "parameter_spec": {
                "units": self.hpt.IntegerParameterSpec(min=1, max=4, scale="linear")
            },
            "max_trial_count": 4,
            "parallel_trial_count": 1,
            **changes,
        }
        job = self._ai.HyperparameterTuningJob(
            display_name="x", custom_job=self._job(None, None, package, None), **fields
        )
        job.run(sync=False)
        try:
            job.wait_for_resource_creation()
        except RuntimeError:
            job.wait()  # raises what happened
        sent = job.to_dict()["studySpec"].get("parameters") or [{}]
        job.cancel()
        if "doubleValueSpec" in sent[0] and not sent[0].get("scaleType"):
            return "the scale is left out"
        lowest = sent[0].get("integerValueSpec", {}).get("minValue")
        return f"the range starts at {lowest}" if str(lowest) != "1" else None

    def parent(self, kind: Any, child_values: list[Any], **fields: Any) -> Any:
        child = self.hpt.IntegerParameterSpec(
            min=1, max=2, scale="linear", parent_values=child_values
        )
        return kind(**fields, conditional_parameter_spec={"epochs": child})

    def _job(self, machine: Any, pool: Any, package: Any, job: Any) -> Any:
        spec = {
            "machine_spec": {"machine_type": "n1-standard-4", **(machine or {})},
            "replica_count": 1,
            "python_package_spec": {
                "executor_image_uri": IMAGE,
                "package_uris": ["gs://mistakes/none.tar.gz"],
                "python_module": "trainer.task",
                **(package or {}),
            },
            **(pool or {}),
        }
        fields = {"display_name": "x", **(job or {})}
        return self._ai.CustomJob(worker_pool_specs=[spec], **fields)


def happened(sdk: Sdk, case: Any) -> str:
    """What the SDK did with a mistake, in a few words."""
    from google.api_core.exceptions import GoogleAPICallError

    try:
        detail = case.sdk(sdk)
    except GoogleAPICallError:
        return "sent"
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        text = lines[0] if len(lines[0]) <= 90 else f"{lines[0][:87]}..."
        return f"raises `{type(error).__name__}: {text}`"
    return f"sent, {detail}" if detail else "sent"


def main(url: str) -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    os.environ["STORAGE_EMULATOR_HOST"] = url
    sdk = Sdk(url)
    print(json.dumps({case.text: happened(sdk, case) for case in CASES}))


if __name__ == "__main__":
    main(sys.argv[1])
