"""Run and tune Keras and TensorFlow jobs on Vertex AI, rehearsed on your own machine first.

The public names, each loaded on first use, so that importing this package costs next to nothing.
This file also travels into the training package, where only ``runtime``, ``errors`` and ``names``
stand beside it; there a name that stayed at home says so.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vertex_jobs.endpoints import as_completed, load_ipython_extension, local, vertex
    from vertex_jobs.errors import (
        EndpointError,
        EndpointLostError,
        Fault,
        InvalidJobError,
        JobFailedError,
        JobNotFoundError,
        JobRefusedError,
        NoFeasibleTrialError,
        NotSignedInError,
        PackagingError,
        RequestRefusedError,
        SubmissionUnknownError,
        UnsupportedHereError,
        VertexJobsError,
    )
    from vertex_jobs.spec import (
        CategoricalParameterSpec,
        CustomJob,
        CustomTrainingJob,
        DiscreteParameterSpec,
        DoubleParameterSpec,
        HyperparameterTuningJob,
        IntegerParameterSpec,
    )
    from vertex_jobs.study import Study, Trial

__all__ = [
    "CategoricalParameterSpec",
    "CustomJob",
    "CustomTrainingJob",
    "DiscreteParameterSpec",
    "DoubleParameterSpec",
    "EndpointError",
    "EndpointLostError",
    "Fault",
    "HyperparameterTuningJob",
    "IntegerParameterSpec",
    "InvalidJobError",
    "JobFailedError",
    "JobNotFoundError",
    "JobRefusedError",
    "NoFeasibleTrialError",
    "NotSignedInError",
    "PackagingError",
    "RequestRefusedError",
    "Study",
    "SubmissionUnknownError",
    "Trial",
    "UnsupportedHereError",
    "VertexJobsError",
    "as_completed",
    "load_ipython_extension",
    "local",
    "vertex",
]

__version__ = "0.1.0"

_SPEC_NAMES = {
    "CategoricalParameterSpec",
    "CustomJob",
    "CustomTrainingJob",
    "DiscreteParameterSpec",
    "DoubleParameterSpec",
    "HyperparameterTuningJob",
    "IntegerParameterSpec",
}
_ENDPOINT_NAMES = {"as_completed", "load_ipython_extension", "local", "vertex"}
_STUDY_NAMES = {"Study", "Trial"}


def _home(name: str) -> str:
    """The module that defines a public name."""
    if name in _SPEC_NAMES:
        return "vertex_jobs.spec"
    if name in _ENDPOINT_NAMES:
        return "vertex_jobs.endpoints"
    return "vertex_jobs.study" if name in _STUDY_NAMES else "vertex_jobs.errors"


def __getattr__(name: str) -> Any:
    """Load a public name from its module on first use.

    Raises:
        ImportError: If the name's module did not travel into the training package. It is not an
            AttributeError, whose text ``from vertex_jobs import ...`` would throw away.
    """
    if name not in __all__:
        raise AttributeError(f"module 'vertex_jobs' has no attribute {name!r}")
    home = _home(name)
    try:
        value = getattr(import_module(home), name)
    except ModuleNotFoundError as error:
        if error.name != home:
            raise
        raise ImportError(
            f"vertex_jobs.{name} is not available inside the training package; a file that also "
            "submits itself uses it only outside a job: import vertex_jobs, and ask "
            "vertex_jobs.runtime.environment.current().in_job first",
            name=home,
        ) from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Public names first asked for by completion, loaded or not."""
    return sorted({*globals(), *__all__})
