"""Texts of refusals that name what was asked for: quota metrics, and permissions.

For faults, which refuse a call or a job's start as the service would.
Source: public 429 and 403 answers of the service.
"""

import re

from vertex_jobs.catalog.quota_metrics import SERVICE, quota_metrics
from vertex_jobs.emulator import protos
from vertex_jobs.emulator.status import ApiError, error_info

_STRATEGIES = {4: "spot", 6: "flex_start"}  # Scheduling.Strategy
#: The words of a method's name, e.g. Create, CustomJob.
_METHOD = re.compile(r"(?P<verb>[A-Z][a-z]+)(?P<noun>\w+)")
_API = "//aiplatform.googleapis.com/"


def quota_text(spec: protos.Message) -> str:
    """Return the refusal of a CustomJobSpec for want of quota.

    Source: GoogleCloudPlatform/vertex-ai-samples issue 3479 and many others: the metrics stand
    behind each other, parted by commas.
    """
    strategy = _STRATEGIES.get(spec.scheduling.strategy)
    metrics: dict[str, str] = {}
    for pool in spec.worker_pool_specs:
        machine = pool.machine_spec
        if pool.WhichOneof("task") is not None:
            name = protos.AcceleratorType(machine.accelerator_type).name
            metrics |= quota_metrics(machine.machine_type, name, strategy)
    listed = ",".join(f"{SERVICE}{metric}" for metric in metrics)
    return f"The following quota metrics exceed quota limits: {listed}"


def denied(method: str, resource: str) -> ApiError:
    """Return the refusal of a call, e.g. ``CreateCustomJob``, for want of a permission.

    ``resource`` is the name, or the parent, that the request is about.
    Source: "Permission 'aiplatform.models.upload' denied on resource …" and others, public texts.
    """
    permission, place = f"aiplatform.{_permission(method)}", f"{_API}{resource}"
    text = f"Permission '{permission}' denied on resource '{place}' (or it may not exist)."
    metadata = {"permission": permission, "resource": place.removeprefix(_API)}
    info = error_info("IAM_PERMISSION_DENIED", "aiplatform.googleapis.com", metadata)
    return ApiError("PERMISSION_DENIED", text, [info])


def _permission(method: str) -> str:
    """Return ``customJobs.create`` for CreateCustomJob, ``customJobs.list`` for ListCustomJobs."""
    match = _METHOD.fullmatch(method)
    if match is None:
        return method
    noun = match["noun"][0].lower() + match["noun"][1:]
    if match["verb"] != "List":
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun.removesuffix('s')}s"
    return f"{noun}.{match['verb'].lower()}"
