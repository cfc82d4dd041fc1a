"""A config's run, for ``run`` and ``demo``: checked, submitted and followed to its end."""

import hashlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vertex_jobs.cli.checks import checked_job, prepared_request
from vertex_jobs.cli.costs import confirm
from vertex_jobs.cli.debug_runs import debug_job
from vertex_jobs.cli.drill_verdicts import chosen_drill, drill_faults, drill_in_force, judge_drill
from vertex_jobs.cli.endpoint_access import (
    begin_endpoint,
    open_endpoint,
    resume_interrupted,
    say_settled,
)
from vertex_jobs.cli.footers import command, say_come_back
from vertex_jobs.cli.live_jobs import follow
from vertex_jobs.cli.options import option_error, refuse
from vertex_jobs.cli.shared_options import EndpointOptions, LocalOptions, SubmissionOptions
from vertex_jobs.cli.tables import print_structured
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.cli.words import machine
from vertex_jobs.client import was_lost
from vertex_jobs.job_kinds import short_state
from vertex_jobs.spec import attempts
from vertex_jobs.study.exported import read_exported

if TYPE_CHECKING:
    from vertex_jobs.client import Entry, JobHandle
    from vertex_jobs.endpoints import Endpoint
    from vertex_jobs.spec import JobSpec, Reading


def run_config(reading: "Reading", how: SubmissionOptions, where: EndpointOptions) -> int:
    """Check a config, submit its job and follow it to its end.

    Raises:
        InvalidJobError: If something is wrong with the config, or an option does not go with the
            endpoint; nothing was submitted.
    """
    local = how.local
    if where.on != "local":
        _refuse_local(local)
    if not (reading.faults or how.dry_run or local.debug):
        begin_endpoint(where)
    job = checked_job(where, reading)
    drill = chosen_drill(how)
    if local.debug:
        return debug_job(how, where, job)
    if how.dry_run:
        print_structured(prepared_request(where, job).body, "json")
        say("nothing was contacted; leave out --dry-run to submit this")
        return 0
    with open_endpoint(where) as endpoint:
        resume_interrupted(endpoint)
        say_settled(endpoint)
        if where.on == "vertex":
            confirm(job, endpoint, is_agreed=how.yes)
        submit = partial(_submit, where, endpoint, job, how.once)
        settings = _local_settings(local)
        if drill is not None:
            with drill_in_force(drill, endpoint, job):
                handle = submit(settings | {"faults": drill_faults(drill, job)})
                follow(where, endpoint, handle)
                return judge_drill(drill, endpoint, handle, job, settings)
        settings |= _earlier_trials(local.warm_start, endpoint, job)
        handle = submit(settings)
        if how.detach:
            print_result(handle.name)
            say_come_back(where, handle)
            return 0
        return _follow_on(where, endpoint, job, handle, settings)


def _follow_on(
    where: EndpointOptions,
    endpoint: "Endpoint",
    job: "JobSpec",
    handle: "JobHandle",
    settings: dict[str, Any],
) -> int:
    """Follow a job to its end; submit it again when its machines were taken away, if it may be.

    The next one writes where this one did, so that it finds its checkpoints.
    """
    code = follow(where, endpoint, handle)
    for number in range(1, job.max_resubmissions + 1):
        ended = handle.last_seen
        if not was_lost(ended):
            break
        say(f"its machines were taken away: submitted again, {number} of {job.max_resubmissions}")
        outputs = ended.job_spec.get("baseOutputDirectory", {}).get("outputUriPrefix")
        again = job.model_copy(update={"base_output_dir": outputs or job.base_output_dir})
        handle = _submit(where, endpoint, again, False, settings)
        code = follow(where, endpoint, handle)
    return code


def _refuse_local(local: LocalOptions) -> None:
    given = {
        "--seed": local.seed is not None,
        "--warm-start": bool(local.warm_start),
        "--fresh": local.fresh,
        "--environment": local.environment is not None,
        "--drill": local.drill is not None,
        "--debug": local.debug,
    }
    refuse(given, "is a setting of Local Vertex, which Vertex AI does not have")


def _local_settings(local: LocalOptions) -> dict[str, Any]:
    asked = {"seed": local.seed, "fresh": local.fresh or None, "environment": local.environment}
    return {key: value for key, value in asked.items() if value is not None}


def _earlier_trials(
    warm_start: tuple[str, ...], endpoint: "Endpoint", job: "JobSpec"
) -> dict[str, list[str]]:
    """Return the setting that names them: ids of jobs, and where exported trials have been put.

    Raises:
        InvalidJobError: If a file holds no exported trials.
    """
    bucket = endpoint.place_of(job).staging_bucket
    found = [
        _put(endpoint, Path(text), bucket)
        if text.endswith(".json")
        else endpoint.job(text).last_seen.job_id
        for text in warm_start
    ]
    return {"warm_start": found} if found else {}


def _put(endpoint: "Endpoint", path: Path, bucket: str) -> str:
    try:
        content = path.read_bytes()
        read_exported(content.decode())
    except (OSError, ValueError) as error:
        rule = f"cannot be read as trials: {error}"
        remedy = "write it with: vertex-jobs trials JOB --format json > trials.json"
        raise option_error("--warm-start", str(path), rule, remedy) from error
    digest = hashlib.sha256(content).hexdigest()[:16]
    uri = f"{bucket.rstrip('/')}/vertex-jobs-trials/{digest}.json"
    endpoint.outputs().write_bytes(uri, content)
    return uri


def _submit(
    where: EndpointOptions,
    endpoint: "Endpoint",
    job: "JobSpec",
    once: bool,
    settings: dict[str, Any],
) -> "JobHandle":
    """Submit the job to the first place that takes it; print each that is short, now and later."""
    try:
        handle = endpoint.submit(
            job, check=False, once=once, on_short=partial(_say_short, job), **settings
        )
    except KeyboardInterrupt:
        say("interrupted while the job was being submitted; whether it exists is shown by:")
        say(f"  {command(where, 'list')}")
        raise
    state = f" ({short_state(handle.last_seen.state).lower()})" if once else ""
    say(f"{handle.display_name}: {handle.name}{state}")
    return handle


def _say_short(job: "JobSpec", entry: "Entry") -> None:
    short = entry.creates[entry.position - 1]
    say(f"{short.location} is short of machines or quota: {short.detail}")
    chief = attempts(job)[entry.position].job.worker_pools_resolved()[0]
    say(f"next in fallback: {entry.current.location} on {machine(chief)}")
