"""Check a job before it costs money: its mistakes, and the cost itself.

For the verbs ``check`` and ``run``. It reads the catalog, the config and the script, asks the
script's own parser in a child process, and contacts nothing.
"""

from vertex_jobs.preflight.checking import Report, check
from vertex_jobs.preflight.rule import Rule
from vertex_jobs.preflight.rules import RULES

__all__ = ["RULES", "Report", "Rule", "check"]
