"""The service's remarks on the trials of an ended study, once each; for `live_jobs`."""

import re

from vertex_jobs.cli.terminal import say_prose, warn
from vertex_jobs.client import JobHandle, LogEntry
from vertex_jobs.errors import EndpointError
from vertex_jobs.wording import count

#: Severities of lines about the run, not of the script.
_REMARKS = ("NOTICE", "WARNING")


def say_notes(handle: JobHandle) -> None:
    """Print the service's remarks on the trials; a job's log has shown its own.

    Those that differ in their numbers alone are one, said with a count.
    """
    try:
        remarks = [line for line in handle.logs(replica="service") if line.severity in _REMARKS]
    except EndpointError as error:
        warn(f"the trials' logs cannot be read: {error}")
        return
    alike: dict[str, list[LogEntry]] = {}
    for line in remarks:
        alike.setdefault(re.sub(r"\d+", "0", line.text), []).append(line)
    for lines in alike.values():
        jobs = len({(line.job_id, line.trial) for line in lines})
        prefix = f"note, of {count(jobs, 'trial')}: " if jobs > 1 else "note: "
        say_prose(prefix + lines[0].text, hang=len("note: "))
