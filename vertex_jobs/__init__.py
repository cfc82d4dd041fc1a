"""Run and tune Keras and TensorFlow jobs on Vertex AI, rehearsed on your own machine first.

It loads each public name on first use, so that importing this package costs almost nothing. This
file also travels into the training package together with ``runtime``, ``errors`` and ``names``
only; any other name raises an error there that says so.
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
        ServerFaultError,
        SubmissionUnknownError,
        UnsupportedHereError,
        VertexJobsError,
        VertexJobsWarning,
    )
    from vertex_jobs.jobs import CustomJob, CustomTrainingJob, HyperparameterTuningJob
    from vertex_jobs.spec import (
        CategoricalParameterSpec,
        DiscreteParameterSpec,
        DoubleParameterSpec,
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
    "ServerFaultError",
    "Study",
    "SubmissionUnknownError",
    "Trial",
    "UnsupportedHereError",
    "VertexJobsError",
    "VertexJobsWarning",
    "as_completed",
    "load_ipython_extension",
    "local",
    "vertex",
]

__version__ = "0.1.0"

#: Public names by the module that defines them; all others are defined in ``errors``.
_HOMES = {
    "vertex_jobs.jobs": ("CustomJob", "CustomTrainingJob", "HyperparameterTuningJob"),
    "vertex_jobs.spec": (
        "CategoricalParameterSpec",
        "DiscreteParameterSpec",
        "DoubleParameterSpec",
        "IntegerParameterSpec",
    ),
    "vertex_jobs.endpoints": ("as_completed", "load_ipython_extension", "local", "vertex"),
    "vertex_jobs.study": ("Study", "Trial"),
}


def __getattr__(name: str) -> Any:
    """Load a public name from its module when it is first used.

    Raises:
        ImportError: If the name's module did not travel into the training package. It is not an
            AttributeError, whose text ``from vertex_jobs import ...`` would throw away.
    """
    if name not in __all__:
        raise AttributeError(f"module 'vertex_jobs' has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), "vertex_jobs.errors")
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
    """Return every name, loaded or not, for completion."""
    return sorted({*globals(), *__all__})
