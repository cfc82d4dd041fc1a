"""The script's side of the bargain: the flags it accepts, the metrics it reports.

For the rules. The flags are asked of the script's own parser in a child process that ends there;
the metrics are looked for in the sources.
"""

from vertex_jobs.preflight.contract.asking import Outcome, Verdict
from vertex_jobs.preflight.contract.command_lines import Probe
from vertex_jobs.preflight.contract.contracts import Contract
from vertex_jobs.preflight.contract.source_code import MetricTags, find_metric_tags

__all__ = [
    "Contract",
    "MetricTags",
    "Outcome",
    "Probe",
    "Verdict",
    "find_metric_tags",
]
