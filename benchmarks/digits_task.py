"""The digits script as a function, for peers that run trials inside a Python process.

For ``digits_study.py``. It executes the whole script with the given options, so that every
contender does equal work.
"""

import os
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

__all__ = ["SCRIPT", "THREADS", "learning_rate", "train"]

SCRIPT = Path(__file__).parents[1] / "trial_scripts" / "digits_mlp.py"
#: Two trials share two cores.
THREADS = {"TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1", "OMP_NUM_THREADS": "1"}

_options = threading.local()


def learning_rate(number: int) -> float:
    """Return the options of a trial, the same for every contender."""
    return float(10 ** (-4 + 3 * ((0.618034 * number) % 1)))


def train(rate: float, epochs: int) -> None:
    """Run the script in this process, as an objective function would."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    from vertex_jobs.runtime import arguments

    arguments.parse = _options_of_this_thread  # type: ignore[assignment]
    with tempfile.TemporaryDirectory() as folder:
        _options.values = {"epochs": epochs, "learning_rate": rate, "output_dir": folder}
        code = compile(SCRIPT.read_text(), str(SCRIPT), "exec")
        module = type(sys)("digits_mlp")
        sys.modules["digits_mlp"] = module  # dataclasses look here for the module of a class
        exec(code, module.__dict__)


def _options_of_this_thread(options_class: type) -> Any:
    return options_class(**_options.values)
