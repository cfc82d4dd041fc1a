"""The versions of Keras that are repaired, and the message for the others."""

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.tensorflow

PROGRAM = """
import json
import keras
from importlib import import_module
from vertex_jobs.runtime.keras_repair import repair_fit

trainer = import_module("keras.src.backend.tensorflow.trainer")

def refusal():
    try:
        repair_fit()
    except Exception as error:
        return f"{type(error).__name__}: {error}"

version, reducer = keras.__version__, trainer.reduce_per_replica
found = {}
for unknown in ("3.11.9", "3.99.0"):
    keras.__version__ = unknown
    found[unknown] = refusal()
keras.__version__ = version
del trainer.reduce_per_replica
found["renamed"] = refusal()
trainer.reduce_per_replica = reducer
found["untouched"] = trainer.TensorFlowTrainer._maybe_symbolic_build.__module__
repair_fit()
once = trainer.reduce_per_replica
repair_fit()
found["once"] = once is trainer.reduce_per_replica and once.__wrapped__ is reducer
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(run_program: Callable[..., Any]) -> dict[str, Any]:
    """Return the results of one process."""
    result: dict[str, Any] = run_program(PROGRAM, {})
    return result


@pytest.mark.parametrize("version", ["3.11.9", "3.99.0"])
def test_an_unknown_version_is_refused_with_the_choices(
    found: dict[str, Any], version: str
) -> None:
    assert found[version] == (
        f"UnsupportedHereError: fit of Keras {version} over several processes is not known to "
        "work: it needs a repair that was tried with other releases (keras-team/keras issue "
        "20585). Pin keras>=3.12,<3.16 in the job's requirements, or train with tf_keras "
        "(TF_USE_LEGACY_KERAS=1 in its environment variables), or write a custom loop and ask for "
        "the strategy with fit=False"
    )


def test_a_version_without_the_function_is_refused(found: dict[str, Any]) -> None:
    assert found["renamed"].startswith("UnsupportedHereError: fit of Keras 3")


def test_what_is_refused_is_left_alone(found: dict[str, Any]) -> None:
    assert found["untouched"] == "keras.src.backend.tensorflow.trainer"


def test_a_second_repair_changes_nothing(found: dict[str, Any]) -> None:
    assert found["once"] is True


def test_tf_keras_needs_no_repair(run_program: Callable[..., Any]) -> None:
    program = (
        "import json, sys\nfrom vertex_jobs.runtime.keras_repair import repair_fit\n"
        "repair_fit()\nprint(json.dumps('keras' in sys.modules))"
    )
    assert run_program(program, {"TF_USE_LEGACY_KERAS": "1"}) is False
