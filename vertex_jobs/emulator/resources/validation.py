"""Check what the service refuses when a job is created, with all faults in one answer.

The layout of the text is the service's own (``List of found errors:``, a tab before each number
and at the end), and so are the details; the wording of a message is the service's where it is
publicly known, else ours. Source: CustomJob, WorkerPoolSpec and StudySpec protos; the gRPC answer
to a refused persistent resource, public text, source not named.
"""

import re
from collections.abc import Mapping

from vertex_jobs import catalog
from vertex_jobs.catalog.container_images import can_be_pulled, is_reduction_server
from vertex_jobs.catalog.text_forms import (
    fits_label,
    is_network_name,
    is_persistent_resource_id,
    starts_label_key,
)
from vertex_jobs.emulator import protos
from vertex_jobs.emulator.status import ApiError, bad_request, listed_faults
from vertex_jobs.names import is_gcs_uri

Faults = list[tuple[str, str]]

#: Known to be answered by themselves, without a list. Source: public reports of real answers.
_PLAIN = re.compile(
    r'Machine type ".*" is not supported\.'
    r'|Accelerator ".*" is not supported for machine type ".*"'
    r"|Invalid image URI"
)
_LIMITS = catalog.load().limits
#: One fault for all labels of a resource. Source: as above; of persistent resources, and taken to
#: be that of jobs too.
_LABELS = (
    "There can be no more than 64 labels attached to a single resource. Label keys and values can "
    "only contain lowercase letters, numbers, dashes and underscores. Label keys must start with a "
    "letter or number, must be less than 64 characters in length, and must be less that 128 bytes "
    "in length when encoded in UTF-8. Label values must be less than 64 characters in length, and "
    "must be less that 128 bytes in length when encoded in UTF-8."
)
_PERSISTENT_RESOURCE_ID = (
    "persistent_resource_id can only contain numbers, lower case letters and hyphens. The first "
    "character must be a letter, and the last character must be a letter or number."
)


def refuse_faults(faults: Faults) -> None:
    """Raise an ApiError (400) with every fault, or return if there is none."""
    if not faults:
        return
    if len(faults) == 1 and _PLAIN.fullmatch(faults[0][1]):
        raise ApiError("INVALID_ARGUMENT", faults[0][1])
    raise ApiError("INVALID_ARGUMENT", listed_faults(faults), [bad_request(faults)])


def check_labels(resource: protos.Message, kind: str, *, needs_name: bool = True) -> Faults:
    """Return the faults of display name and labels, for which every kind of job has one rule.

    Without ``needs_name`` the display name may be empty.
    """
    faults: Faults = []
    most = _LIMITS.display_name_max_chars
    least = 1 if needs_name else 0
    if not least <= len(resource.display_name) <= most:
        text = f"The display name must have {least} to {most} characters."
        faults.append((f"{kind}.display_name", text))
    if not _fit_labels(resource.labels):
        faults.append((f"{kind}.labels", _LABELS))
    return faults


def _fit_labels(labels: Mapping[str, str]) -> bool:
    words = [*labels, *labels.values()]
    return (
        len(labels) <= _LIMITS.labels_max
        and all(map(starts_label_key, labels))
        and all(fits_label(word) and len(word) <= _LIMITS.label_max_chars for word in words)
        and all(len(word.encode()) <= _LIMITS.label_max_bytes for word in words)
    )


def check_custom_job_spec(spec: protos.Message, path: str) -> Faults:
    """Return the faults of the worker pools of a job, or of each trial."""
    pools = spec.worker_pool_specs
    most = _LIMITS.worker_pools_max
    if not 1 <= len(pools) <= most:
        text = f"{len(pools)} worker pools; 1 to {most} are allowed."
        return [(f"{path}.worker_pool_specs", text)]
    faults = _check_references(spec, path)
    for number, pool in enumerate(pools):
        where = f"{path}.worker_pool_specs[{number}]"
        task = pool.WhichOneof("task")
        first = _LIMITS.worker_pool_0_replicas
        if number == 0 and pool.replica_count != first:
            text = f"The first worker pool must have {first} replica."
            faults.append((f"{where}.replica_count", text))
        if not pool.ByteSize() or (task is None and not pool.replica_count):
            continue  # an unused pool
        if task is None:
            faults.append((where, "One of container_spec and python_package_spec must be set."))
            continue
        faults += _check_task(getattr(pool, task), task, f"{where}.{task}")
    return faults


def _check_references(spec: protos.Message, path: str) -> Faults:
    """Return the faults of the resources that a job names, and of its time limit."""
    faults: Faults = []
    base = spec.base_output_directory.output_uri_prefix
    if base and not is_gcs_uri(base):
        field = f"{path}.base_output_directory.output_uri_prefix"
        faults.append((field, f"{base!r} is not a Cloud Storage URI."))
    if spec.network and not is_network_name(spec.network):
        faults.append(
            (
                f"{path}.network",
                f"{spec.network!r}: expected projects/PROJECT_NUMBER/global/networks/NETWORK.",
            )
        )
    resource_id = spec.persistent_resource_id
    if resource_id and not is_persistent_resource_id(resource_id):
        faults.append((f"{path}.persistent_resource_id", _PERSISTENT_RESOURCE_ID))
    if spec.tensorboard and spec.experiment:
        faults.append((path, "tensorboard and experiment cannot both be set."))
    if (spec.tensorboard or spec.experiment) and not spec.service_account:
        faults.append((f"{path}.service_account", "It is required with tensorboard or experiment."))
    if spec.scheduling.timeout.ToNanoseconds() < 0:
        faults.append((f"{path}.scheduling.timeout", "The timeout must not be negative."))
    return faults


def _check_task(task: protos.Message, kind: str, path: str) -> Faults:
    faults: Faults = []
    if len(task.env) > _LIMITS.env_vars_max:
        text = f"{len(task.env)} variables; at most {_LIMITS.env_vars_max} are allowed."
        faults.append((f"{path}.env", text))
    if sum(map(len, task.args)) > _LIMITS.args_total_chars_max:
        text = f"At most {_LIMITS.args_total_chars_max} characters are allowed."
        faults.append((f"{path}.args", text))
    if kind == "container_spec":
        if not task.image_uri:
            faults.append((f"{path}.image_uri", "The image URI is required."))
        elif not can_be_pulled(task.image_uri):
            faults.append((f"{path}.image_uri", "Invalid image URI"))
        return faults
    if not task.executor_image_uri:
        faults.append((f"{path}.executor_image_uri", "The executor image URI is required."))
    if not 1 <= len(task.package_uris) <= _LIMITS.package_uris_max:
        text = f"1 to {_LIMITS.package_uris_max} package URIs are allowed."
        faults.append((f"{path}.package_uris", text))
    faults += [
        (f"{path}.package_uris", f"{uri!r} is not a Cloud Storage URI.")
        for uri in task.package_uris
        if not is_gcs_uri(uri)
    ]
    if not task.python_module:
        faults.append((f"{path}.python_module", "The Python module is required."))
    return faults


def refuse_reduction_server(spec: protos.Message, path: str) -> None:
    """Refuse the Reduction Server, known by its image, with UNIMPLEMENTED that names the pool."""
    for number, pool in enumerate(spec.worker_pool_specs):
        if is_reduction_server(pool.container_spec.image_uri):
            raise ApiError(
                "UNIMPLEMENTED",
                f"{path}.worker_pool_specs[{number}].container_spec.image_uri: Local Vertex has no "
                "Reduction Server; leave pool 2 out to rehearse, or submit to Vertex AI.",
            )
