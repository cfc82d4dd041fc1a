"""The verbs ``run`` and ``watch``: a job from its config, or an existing one, to its end."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from vertex_jobs.cli.checking import checked_job
from vertex_jobs.cli.confirmation import confirm
from vertex_jobs.cli.debugging import debug_job
from vertex_jobs.cli.drilling import drill_faults, drill_in_force, judge_drill, named_drill
from vertex_jobs.cli.earlier_trials import earlier_trials
from vertex_jobs.cli.following import follow
from vertex_jobs.cli.footers import command, say_come_back
from vertex_jobs.cli.options import Options
from vertex_jobs.cli.places import begin_endpoint, open_endpoint, resume_interrupted
from vertex_jobs.cli.reading import say_settled
from vertex_jobs.cli.showing import prepared_request
from vertex_jobs.cli.tables import print_structured
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.job_kinds import short_state
from vertex_jobs.spec import attempts, examine

if TYPE_CHECKING:
    from vertex_jobs.client import Entry, JobHandle
    from vertex_jobs.endpoints import Endpoint
    from vertex_jobs.spec import JobSpec, Reading

__all__ = ["run", "run_checked", "watch"]


def run(options: Options) -> int:
    """Run a config."""
    return run_checked(options, examine(options.config, options.overrides, options.overlays))


def run_checked(options: Options, reading: "Reading") -> int:
    """Check a config, submit its job and follow it to its end.

    Raises:
        InvalidJobError: If something is wrong with the config, or an option does not go with the
            endpoint; nothing was submitted.
    """
    _check(options)
    if not (reading.faults or options.dry_run or options.debug):
        begin_endpoint(options)
    job = checked_job(options, reading)
    if options.drill is not None:
        _check_drill(options)
    if options.debug:
        return debug_job(options, job)
    if options.dry_run:
        print_structured(prepared_request(options, job).body, "json")
        say("nothing was contacted; leave out --dry-run to submit this")
        return 0
    with open_endpoint(options) as endpoint:
        resume_interrupted(endpoint)
        say_settled(endpoint)
        if options.on == "vertex":
            confirm(options, job, endpoint)
        if options.drill is not None:
            return _drill(options, endpoint, job)
        settings = {**_local_settings(options), **earlier_trials(options, endpoint, job)}
        handle = _submit(options, endpoint, job, settings)
        if options.detach:
            print_result(handle.name)
            say_come_back(options, handle)
            return 0
        return follow(options, endpoint, handle)


def _drill(options: Options, endpoint: "Endpoint", job: "JobSpec") -> int:
    drill = named_drill(options.drill or "")
    settings = {**_local_settings(options), "faults": drill_faults(drill, job)}
    with drill_in_force(drill, endpoint):
        handle = _submit(options, endpoint, job, settings)
        follow(options, endpoint, handle)
        return judge_drill(drill, endpoint, handle)


def watch(options: Options) -> int:
    """Follow an existing job to its end."""
    with open_endpoint(options) as endpoint:
        resume_interrupted(endpoint)
        handle = endpoint.job(options.job)
        say(f"{handle.display_name}: {handle.name}")
        return follow(options, endpoint, handle)


def _check(options: Options) -> None:
    """Refuse settings of Local Vertex for a job that runs elsewhere.

    Raises:
        InvalidJobError: With every such option.
    """
    if options.on == "local":
        return
    given = {
        "--seed": options.seed is not None,
        "--warm-start": options.warm_start,
        "--fresh": options.fresh,
        "--environment": options.environment,
        "--drill": options.drill,
        "--debug": options.debug,
    }
    rule = "is a setting of Local Vertex, which Vertex AI does not have"
    faults = [Fault(name, None, rule, "drop it") for name, is_given in given.items() if is_given]
    if faults:
        raise InvalidJobError(faults, "command line")


def _check_drill(options: Options) -> None:
    """Refuse a drill that does not exist, or that could not be judged.

    Raises:
        InvalidJobError: If it is one.
    """
    named_drill(options.drill or "")
    given = {"--detach": options.detach, "--once": options.once}
    rule = "does not go with --drill, which makes a new job and judges it by its end"
    faults = [Fault(name, None, rule, "drop it") for name, is_given in given.items() if is_given]
    if faults:
        raise InvalidJobError(faults, "command line")


def _submit(
    options: Options, endpoint: "Endpoint", job: "JobSpec", settings: Mapping[str, Any]
) -> "JobHandle":
    """The job at the first place that takes it; each that is short is told, now and later."""
    try:
        handle = endpoint.submit(
            job, once=options.once, on_short=partial(_say_short, job), **settings
        )
    except KeyboardInterrupt:
        say("interrupted while the job was being submitted; whether it exists is shown by:")
        say(f"  {command(options, 'list')}")
        raise
    state = f" ({short_state(handle.last_seen.state).lower()})" if options.once else ""
    say(f"{handle.display_name}: {handle.name}{state}")
    return handle


def _say_short(job: "JobSpec", entry: "Entry") -> None:
    short = entry.creates[entry.position - 1]
    say(f"{short.location} is short of machines or quota: {short.detail}")
    chief = attempts(job)[entry.position].job.worker_pools_resolved()[0]
    machine = chief.machine_type
    if chief.accelerator_type:
        machine += f" with {chief.accelerator_count} x {chief.accelerator_type}"
    say(f"next in fallback: {entry.current.location} on {machine}")


def _local_settings(options: Options) -> dict[str, int | bool | str]:
    """The settings that were asked for; what was not is left to the config."""
    asked = {
        "seed": options.seed,
        "fresh": options.fresh or None,
        "environment": options.environment,
    }
    return {key: value for key, value in asked.items() if value is not None}
