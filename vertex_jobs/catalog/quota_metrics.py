"""The quota metrics that a machine counts against, each with a title.

For doctor, which asks for their limits, and for Local Vertex, which names them in a refusal. Those
of CPUs go by the machine's family, N1 and E2 together. Jobs on SPOT and FLEX_START count against
metrics of their own, ``preemptible`` in name.

Source: quota pages ("CPUs for N1/E2 machine types"); documentation page "Schedule training jobs
based on resource availability"; metrics in public 429 answers, such as
``custom_model_training_preemptible_cpus`` and ``custom_model_training_preemptible_nvidia_t4_gpus``.
"""

from vertex_jobs.catalog.table import load

#: Before each metric, as answers name it.
SERVICE = "aiplatform.googleapis.com/"
_PREFIX = "custom_model_training_"
_PREEMPTIBLE = "preemptible_"
#: Families that share the metric without a family's name.
_COMMON = ("n1", "e2")
_PREEMPTIBLE_STRATEGIES = ("spot", "flex_start")


def quota_metrics(
    machine_type: str, accelerator_type: str | None = None, strategy: str | None = None
) -> dict[str, str]:
    """Return titles by metric; an accelerator whose metric is not known is left out.

    ``strategy`` is a scheduling strategy in lower case, e.g. ``spot``.
    """
    infix = _PREEMPTIBLE if strategy in _PREEMPTIBLE_STRATEGIES else ""
    title = "preemptible " if infix else ""
    family = machine_type.partition("-")[0]
    if family in _COMMON:
        found = {f"{_PREFIX}{infix}cpus": f"{title}CPUs"}
    else:
        found = {f"{_PREFIX}{infix}{family}_cpus": f"{title}{family.upper()} CPUs"}
    accelerator = load().accelerators.get(accelerator_type or "")
    if accelerator is not None and accelerator.quota:
        metric = f"{_PREFIX}{infix}{accelerator.quota.removeprefix(_PREFIX)}"
        found[metric] = f"{title}{accelerator.name}"
    return found
