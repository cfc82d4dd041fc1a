"""The client: submit, attach, watch, logs, cancel; over the Vertex AI API to any endpoint.

For the endpoints module and the command line. Importing it imports nothing of Google's; the
generated clients load on first use.
"""

from vertex_jobs.client.api_connection import Connection
from vertex_jobs.client.handle import JobHandle
from vertex_jobs.client.job_calls import import_job_client
from vertex_jobs.client.job_client import Client, as_completed
from vertex_jobs.client.journal import Entry
from vertex_jobs.client.log_lines import LogEntry
from vertex_jobs.client.lookup import OnSeveral
from vertex_jobs.client.outcomes import JobCancelledError, was_lost
from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.client.submission import OnShort
from vertex_jobs.client.timing import Timing

__all__ = [
    "Client",
    "Connection",
    "Entry",
    "JobCancelledError",
    "JobHandle",
    "LogEntry",
    "OnSeveral",
    "OnShort",
    "Snapshot",
    "Timing",
    "as_completed",
    "import_job_client",
    "was_lost",
]
