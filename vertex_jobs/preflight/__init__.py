"""Check a job before it costs money: its mistakes, and the cost itself.

For the verbs ``check`` and ``run``, for ``job.check()`` and ``submit``. It reads the catalog, the
config and the script, asks the script's own parser in a child process, and contacts nothing.
"""

from vertex_jobs.preflight.check_report import Report
from vertex_jobs.preflight.checking import bucket_fault, check
from vertex_jobs.preflight.rule import Rule
from vertex_jobs.preflight.rules import RULES
from vertex_jobs.preflight.subject import Where

__all__ = ["RULES", "Report", "Rule", "Where", "bucket_fault", "check"]
