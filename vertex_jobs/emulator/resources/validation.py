"""What the service refuses at create time, all faults in one answer.

The layout of the text is the service's own (``List of found errors:``, tab separated, numbered,
each with its field); the wording of a message is the service's where it is publicly known, else
ours. Source: CustomJob, WorkerPoolSpec and StudySpec protos; public reports of real answers.
"""

import itertools
import re

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.status import ApiError

__all__ = [
    "check_custom_job_spec",
    "check_labels",
    "check_study",
    "refuse_faults",
    "refuse_unemulated",
]

Faults = list[tuple[str, str]]

_LABEL = re.compile(r"[^\WA-Z]*[\w-]*")
_DOUBLE, _INTEGER, _CATEGORICAL, _DISCRETE = (
    "double_value_spec",
    "integer_value_spec",
    "categorical_value_spec",
    "discrete_value_spec",
)
_LOG_SCALES = (2, 3)  # UNIT_LOG_SCALE, UNIT_REVERSE_LOG_SCALE
_GRID_SEARCH = 2


def refuse_faults(faults: Faults) -> None:
    """Answer 400 with every fault, or return when there is none.

    Raises:
        ApiError: If there is a fault.
    """
    if not faults:
        return
    listed = "".join(
        f"\t {number}.Field: {field}; Message: {message}"
        for number, (field, message) in enumerate(faults, start=1)
    )
    raise ApiError("INVALID_ARGUMENT", f"List of found errors:{listed}")


def check_labels(resource: protos.Message, kind: str) -> Faults:
    """Display name and labels, the same rules for every kind of job."""
    faults: Faults = []
    if not 1 <= len(resource.display_name) <= 128:
        faults.append((f"{kind}.display_name", "The display name must have 1 to 128 characters."))
    if len(resource.labels) > 64:
        faults.append(
            (
                f"{kind}.labels",
                "There can be no more than 64 labels attached to a single resource.",
            )
        )
    for key, value in resource.labels.items():
        for text in (key, value):
            if len(text) > 64 or text != text.lower() or _LABEL.fullmatch(text) is None:
                faults.append(
                    (
                        f"{kind}.labels",
                        f"{text!r}: label keys and values can be no longer than 64 characters and "
                        "can only contain lowercase letters, numeric characters, underscores and "
                        "dashes.",
                    )
                )
    return faults


def check_custom_job_spec(spec: protos.Message, path: str) -> Faults:
    """The worker pools of a job, or of each trial."""
    pools = spec.worker_pool_specs
    if not 1 <= len(pools) <= 4:
        return [(f"{path}.worker_pool_specs", f"{len(pools)} worker pools; 1 to 4 are allowed.")]
    faults: Faults = []
    for number, pool in enumerate(pools):
        where = f"{path}.worker_pool_specs[{number}]"
        task = pool.WhichOneof("task")
        if number == 0 and pool.replica_count != 1:
            faults.append((f"{where}.replica_count", "The first worker pool must have 1 replica."))
        if not pool.ByteSize() or (task is None and not pool.replica_count):
            continue  # an unused pool
        if task is None:
            faults.append((where, "One of container_spec and python_package_spec must be set."))
            continue
        if not pool.machine_spec.machine_type:
            faults.append((f"{where}.machine_spec.machine_type", "The machine type is required."))
        faults += _check_task(getattr(pool, task), task, f"{where}.{task}")
    return faults


def _check_task(task: protos.Message, kind: str, path: str) -> Faults:
    faults: Faults = []
    if len(task.env) > 100:
        faults.append((f"{path}.env", f"{len(task.env)} variables; at most 100 are allowed."))
    if kind == "container_spec":
        if not task.image_uri:
            faults.append((f"{path}.image_uri", "The image URI is required."))
        return faults
    if not task.executor_image_uri:
        faults.append((f"{path}.executor_image_uri", "The executor image URI is required."))
    if not 1 <= len(task.package_uris) <= 100:
        faults.append((f"{path}.package_uris", "1 to 100 package URIs are allowed."))
    faults += [
        (f"{path}.package_uris", f"{uri!r} is not a Cloud Storage URI.")
        for uri in task.package_uris
        if not uri.startswith("gs://")
    ]
    if not task.python_module:
        faults.append((f"{path}.python_module", "The Python module is required."))
    return faults


def check_study(job: protos.Message) -> Faults:
    """Metrics, parameters and counts of a tuning job."""
    study, faults = job.study_spec, []
    if job.max_trial_count < 1:
        faults.append(("max_trial_count", "max_trial_count must be at least 1."))
    if job.parallel_trial_count < 1:
        faults.append(("parallel_trial_count", "parallel_trial_count must be at least 1."))
    if job.max_failed_trial_count > job.max_trial_count:
        faults.append(("max_failed_trial_count", "It must not exceed max_trial_count."))
    if not study.metrics:
        faults.append(("study_spec.metrics", "At least one metric is required."))
    if not study.parameters:
        faults.append(("study_spec.parameters", "At least one parameter is required."))
    for field, items, key in (
        ("metrics", study.metrics, "metric_id"),
        ("parameters", study.parameters, "parameter_id"),
    ):
        ids = [getattr(item, key) for item in items]
        faults += [
            (f"study_spec.{field}", f"{name!r}: ids have no white space and are not empty.")
            for name in ids
            if not name or re.search(r"\s", name)
        ]
        if len(set(ids)) != len(ids):
            faults.append((f"study_spec.{field}", "Ids must be unique."))
    for parameter in study.parameters:
        faults += _check_parameter(parameter, study.algorithm)
    return faults


def _check_parameter(parameter: protos.Message, algorithm: int) -> Faults:
    path = f"study_spec.parameters[{parameter.parameter_id}]"
    kind = parameter.WhichOneof("parameter_value_spec")
    if kind is None:
        return [(path, "One of the value specs must be set.")]
    spec = getattr(parameter, kind)
    faults: Faults = []
    if kind in (_DOUBLE, _INTEGER):
        if spec.min_value > spec.max_value:
            faults.append((path, f"min_value {spec.min_value} exceeds max_value {spec.max_value}."))
        if parameter.scale_type in _LOG_SCALES and spec.min_value <= 0:
            faults.append((path, "A logarithmic scale needs a strictly positive range."))
    elif kind == _DISCRETE:
        values = list(spec.values)
        if not 1 <= len(values) <= 1000 or any(
            later - value < 1e-10 for value, later in itertools.pairwise(values)
        ):
            faults.append((path, "1 to 1000 values in increasing order, at least 1e-10 apart."))
    elif not spec.values:
        faults.append((path, "At least one value is required."))
    if kind == _DOUBLE and algorithm == _GRID_SEARCH:
        faults.append((path, "Grid search needs INTEGER, DISCRETE or CATEGORICAL parameters."))
    if kind == _DOUBLE and parameter.conditional_parameter_specs:
        faults.append((path, "A DOUBLE parameter cannot be the parent of a condition."))
    for conditional in parameter.conditional_parameter_specs:
        faults += _check_parameter(conditional.parameter_spec, algorithm)
    return faults


def refuse_unemulated(spec: protos.Message) -> None:
    """Refuse what would change what the script sees and is not emulated.

    Raises:
        ApiError: UNIMPLEMENTED, naming the field.
    """
    for number, pool in enumerate(spec.worker_pool_specs):
        where = f"worker_pool_specs[{number}]"
        for field in ("nfs_mounts", "lustre_mounts"):
            if getattr(pool, field):
                raise ApiError(
                    "UNIMPLEMENTED",
                    f"{where}.{field}: Local Vertex does not mount file servers; "
                    "leave it out to rehearse, or submit to Vertex AI.",
                )
        if "reductionserver" in pool.container_spec.image_uri:
            raise ApiError(
                "UNIMPLEMENTED",
                f"{where}.container_spec.image_uri: Local Vertex has no Reduction Server; "
                "leave pool 2 out to rehearse, or submit to Vertex AI.",
            )
