"""The script's side of the contract: the flags that it accepts, the metrics that it reports.

For the rules. A child process runs the script as far as its own parser, which is then questioned;
the metrics are looked up in the sources.
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
