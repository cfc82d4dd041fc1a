"""``run --drill``: a job rehearsed while things go wrong, and the verdict whether it came back."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vertex_jobs.cli.options import refuse
from vertex_jobs.cli.shared_options import SubmissionOptions
from vertex_jobs.cli.terminal import say
from vertex_jobs.job_kinds import short_state
from vertex_jobs.spec.drills import DRILLS, Drill
from vertex_jobs.spec.spelling import suggestion
from vertex_jobs.wording import count

if TYPE_CHECKING:
    from vertex_jobs.client import JobHandle
    from vertex_jobs.endpoints import Endpoint
    from vertex_jobs.spec import JobSpec


def chosen_drill(how: SubmissionOptions) -> Drill | None:
    """Return the drill that was asked for; None for none.

    Raises:
        InvalidJobError: If there is no such drill, or it could not be judged.
    """
    name = how.local.drill
    if name is None:
        return None
    if name not in DRILLS:
        rule = f"is none of {', '.join(DRILLS)}"
        refuse({"--drill": name}, rule, suggestion(name, list(DRILLS), "choose one of these"))
    rule = "does not go with --drill, which makes a new job and judges it by its end"
    refuse({"--detach": how.detach, "--once": how.once}, rule)
    return DRILLS[name]


def drill_faults(drill: Drill, job: "JobSpec") -> list[dict[str, Any]]:
    """Return the job's own faults and the drill's, as the endpoint takes them."""
    own = [fault.model_dump(mode="json", exclude_defaults=True) for fault in job.local.faults]
    return own + drill.replica_faults(job)


@contextmanager
def drill_in_force(drill: Drill, endpoint: "Endpoint") -> Iterator[None]:
    """Let the drill's standing faults hold for the length of the context."""
    endpoint.server.inject(drill.standing)
    try:
        yield
    finally:
        endpoint.server.clear_faults()


def judge_drill(drill: Drill, endpoint: "Endpoint", handle: "JobHandle") -> int:
    """Print what happened and whether the job came back; return 0 if it did.

    The handle is on the job at the last place that took it.
    """
    creates = handle.submission.creates if handle.submission is not None else ()
    names = [create.name for create in creates if create.name]
    noted = [one for name in names for one in endpoint.server.incidents(name)]
    noted = [one for number, one in enumerate(noted) if one["job"] or one not in noted[:number]]
    happened, restarts, reads = (
        [one for one in noted if one["kind"] == kind] for kind in ("fault", "restart", "read")
    )
    if not drill.standing:
        happened = [one for one in happened if one["job"]]
    came_back = handle.last_seen.succeeded and bool(happened)
    say()
    say(f"drill: {drill.summary}")
    for one in happened:
        say(f"  {one['detail']}: {one['subject']}")
    if restarts:
        say(f"  {count(len(restarts), 'restart')}; {_continued(reads)}")
    if not happened:
        say("did not come back, because nothing happened: the job had ended before, without a")
        say("reported step, a checkpoint in AIP_CHECKPOINT_DIR or a minute's time")
    elif came_back:
        say("came back: the job ended as SUCCEEDED all the same")
    else:
        say(f"did not come back: the job ended as {short_state(handle.last_seen.state)}")
        if drill.permanent:
            say(drill.permanent)
    return 0 if came_back else 1


def _continued(reads: list[dict[str, str]]) -> str:
    if not reads:
        return "no checkpoint was read after it: the work began again from scratch"
    return f"it went on from {reads[0]['subject']}"
