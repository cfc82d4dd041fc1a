"""The copyable commands that come next.

For the end of `run` and `watch`, however they end. They name the same endpoint as the command that
prints them.
"""

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING

from vertex_jobs.cli.shared_options import EndpointOptions
from vertex_jobs.cli.terminal import say
from vertex_jobs.client.log_lines import log_filter
from vertex_jobs.names import ResourceName
from vertex_jobs.requests import LOCAL_PLACE

if TYPE_CHECKING:
    from vertex_jobs.client import JobHandle, Snapshot
    from vertex_jobs.study import Study

#: A query with more is too long to copy.
_IDS_IN_QUERY = 10


def command(where: EndpointOptions, verb: str, *words: str, location: str | None = None) -> str:
    """Return ``vertex-jobs VERB WORDS`` at the endpoint of this command.

    ``location`` is that of the job, which may have fallen back to one that nobody named.
    """
    if location == (where.location or LOCAL_PLACE.location):
        location = None
    line = ["vertex-jobs", verb, *words]
    if where.on != "local":
        line += ["--on", where.on]
    named = (
        ("--state-dir", where.state_dir),
        ("--project", where.project),
        ("--location", location or where.location),
        ("--api-endpoint", where.api_endpoint),
        ("--impersonate-service-account", where.impersonate_service_account),
        ("--quota-project", where.quota_project),
    )
    for option, value in named:
        line += [option, str(value)] if value else []
    return shlex.join(line)


def say_next(where: EndpointOptions, snapshot: "Snapshot", console_link: str) -> None:
    """Print what can be done with a job; the link is empty where there is no console."""
    verbs: list[tuple[str, ...]] = [("its output", "logs")]
    if not snapshot.done:
        verbs = [("follow it", "watch"), *verbs, ("end it", "cancel")]
    elif snapshot.is_study:
        verbs = [
            *_decisions(snapshot.study),
            ("every trial", "trials"),
            ("a page of charts", "report"),
            ("its curves", "tensorboard"),
            *verbs,
        ]
    location = ResourceName.parse(snapshot.name).location
    _say_commands(
        (text, command(where, verb, snapshot.job_id, *words, location=location))
        for text, verb, *words in verbs
    )
    if console_link:
        query = log_filter(snapshot.log_job_ids[:_IDS_IN_QUERY])
        say(f"  in the console: {console_link}")
        say(f"  query for its log: {query}")


def _decisions(study: "Study") -> list[tuple[str, ...]]:
    front = study.best_trials if study.ranking.candidates() else ()
    if len(front) == 1 and front[0].model_dir:
        return [("the best trial's model", "best", "--download", "best-model")]
    return [("the best of them, and why", "best")] if front else []


def say_come_back(where: EndpointOptions, handle: "JobHandle") -> None:
    """Print how to find a job again that goes on without this command."""
    job = ResourceName.parse(handle.name)
    say("the job goes on")
    verbs = {"come back": "watch", "end it": "cancel"}
    _say_commands(
        (text, command(where, verb, job.resource_id, location=job.location))
        for text, verb in verbs.items()
    )
    if handle.submission is not None and handle.submission.has_next:
        say("its fallbacks are tried while a run waits: give the same command with --once")


def _say_commands(commands: Iterable[tuple[str, str]]) -> None:
    lines = list(commands)
    width = max(len(text) for text, _ in lines)
    for text, line in lines:
        say(f"  {text:<{width}}  {line}")
