"""A job as a person writes it, as validated data.

For whoever reads configs, and for ``vertex_jobs.jobs``, whose classes extend these. No file but a
config is read here, and nothing of Google or TensorFlow is imported; ``requests`` makes what is
sent.
"""

from vertex_jobs.spec.attachments import (
    DnsPeeringConfig,
    LustreMount,
    NfsMount,
    PscInterfaceConfig,
)
from vertex_jobs.spec.attempting import Attempt, attempts
from vertex_jobs.spec.fallback import Fallback
from vertex_jobs.spec.job_spec import JobSpec
from vertex_jobs.spec.kinds import CustomJob, HyperparameterTuningJob
from vertex_jobs.spec.loading import Reading, examine, from_mapping, load, load_local
from vertex_jobs.spec.local import LocalImage, LocalSettings, TimedPace
from vertex_jobs.spec.parameters import (
    CategoricalParameterSpec,
    DiscreteParameterSpec,
    DoubleParameterSpec,
    IntegerParameterSpec,
    ParameterSpec,
)
from vertex_jobs.spec.pools import WorkerPool, WorkerPools, WorkerPoolSpec
from vertex_jobs.spec.schema import json_schema
from vertex_jobs.spec.script_parameters import script_parameters
from vertex_jobs.spec.training import CustomTrainingJob
from vertex_jobs.spec.writing import to_mapping, to_yaml

__all__ = [
    "Attempt",
    "CategoricalParameterSpec",
    "CustomJob",
    "CustomTrainingJob",
    "DiscreteParameterSpec",
    "DnsPeeringConfig",
    "DoubleParameterSpec",
    "Fallback",
    "HyperparameterTuningJob",
    "IntegerParameterSpec",
    "JobSpec",
    "LocalImage",
    "LocalSettings",
    "LustreMount",
    "NfsMount",
    "ParameterSpec",
    "PscInterfaceConfig",
    "Reading",
    "TimedPace",
    "WorkerPool",
    "WorkerPoolSpec",
    "WorkerPools",
    "attempts",
    "examine",
    "from_mapping",
    "json_schema",
    "load",
    "load_local",
    "script_parameters",
    "to_mapping",
    "to_yaml",
]
