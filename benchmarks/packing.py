"""Claims about packaging a script, against the SDK's own packager on the same script."""

import tempfile
import time
from pathlib import Path

from measuring import ROOT, Claim, alternate, at_least

__all__ = ["measure"]

_SCRIPT = ROOT / "trial_scripts" / "digits_mlp.py"


def _ours() -> float:
    from vertex_jobs import CustomTrainingJob
    from vertex_jobs.packaging import describe, write

    job = CustomTrainingJob(display_name="packing", script_path=str(_SCRIPT))
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        write(describe(job), Path(folder))
        return time.perf_counter() - started


def _sdk() -> float:
    from google.cloud.aiplatform.utils import source_utils

    packager = source_utils._TrainingScriptPythonPackager(str(_SCRIPT))  # it has no public name
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        packager.make_package(folder)
        return time.perf_counter() - started


def measure(rounds: int) -> list[Claim]:
    """Measure from script to archive, with imports done before."""
    _ours(), _sdk()
    seen = alternate({"ours": _ours, "the SDK's": _sdk}, rounds)
    return [
        at_least(
            "Packaging a script, times faster than the SDK", seen.ratios("the SDK's", "ours"), 30
        )
    ]
