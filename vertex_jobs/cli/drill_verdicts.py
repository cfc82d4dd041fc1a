"""``run --drill``: a job rehearsed while things go wrong, and the verdict whether it came back."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vertex_jobs.cli.drill_observation import look_at_run, observation, restarted_trials
from vertex_jobs.cli.options import refuse
from vertex_jobs.cli.shared_options import SubmissionOptions
from vertex_jobs.cli.terminal import say, say_prose
from vertex_jobs.cli.undisturbed_runs import compare
from vertex_jobs.drills.comparison import Comparison
from vertex_jobs.job_kinds import short_state
from vertex_jobs.spec.drills import DRILLS, Drill
from vertex_jobs.spec.spelling import suggestion
from vertex_jobs.wording import count

#: The ends of a drill, each with a code of its own; 2, 3 and 130 are those of every command.
_EXIT_CODES = {
    "went on": 0,
    "did not come back": 1,
    "began anew": 4,
    "wrong step": 5,
    "other result": 6,
    "unknown": 7,
}
_VERDICTS = {
    "went on": "came back",
    "began anew": "it ended, but began anew",
    "wrong step": "it ended, but went on from the wrong step",
    "other result": "it ended and went on, but came to another result",
    "unknown": "it ended well; nothing shows that it went on",
}
_REMEDIES = {
    "began anew": "let the script look for a checkpoint when it starts: "
    "vertex_jobs.runtime.environment.current().read_from(...) says where",
    "wrong step": "keep the step in the checkpoint, and let the script go on with the next one",
    "other result": "look whether the checkpoint holds all that the result depends on: the "
    "optimizer's state, the step, the order of the data, the state of random numbers",
}
_NOTHING_HAPPENED = (
    "did not come back, because nothing happened: the job had ended before, without a reported "
    "step, a checkpoint in AIP_CHECKPOINT_DIR or a minute's time"
)

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
def drill_in_force(drill: Drill, endpoint: "Endpoint", job: "JobSpec") -> Iterator[None]:
    """Let the drill's standing faults hold for the length of the context."""
    endpoint.server.inject(drill.standing_faults(job))
    try:
        yield
    finally:
        endpoint.server.clear_faults()


def judge_drill(
    drill: Drill,
    endpoint: "Endpoint",
    handle: "JobHandle",
    job: "JobSpec",
    settings: Mapping[str, Any],
) -> int:
    """Print what happened and whether the job came back; return 0 if it did.

    The handle is on the job at the last place that took it; ``settings`` are those that it was
    submitted with.
    """
    creates = handle.submission.creates if handle.submission is not None else ()
    names = [create.name for create in creates if create.name]
    noted = [one for name in names for one in endpoint.server.incidents(name)]
    noted = [one for number, one in enumerate(noted) if one["job"] or one not in noted[:number]]
    happened = [one for one in noted if one["kind"] == "fault"]
    if not drill.standing:
        happened = [one for one in happened if one["job"]]
    say()
    say(f"drill: {drill.summary}")
    for one in happened:
        trial = f" of trial {one['trial']}" if one["trial"] else ""
        say(f"  {one['detail']}: {one['subject']}{trial}")
    if not happened:
        say_prose(_NOTHING_HAPPENED)
        return _EXIT_CODES["did not come back"]
    if not handle.last_seen.succeeded:
        say(f"did not come back: the job ended as {short_state(handle.last_seen.state)}")
        if drill.permanent:
            say_prose(drill.permanent)
        return _EXIT_CODES["did not come back"]
    restarted = restarted_trials(noted)
    if not restarted:
        say("came back: the job ended as SUCCEEDED all the same")
        return 0
    say(f"  {count(sum(one['kind'] == 'restart' for one in noted), 'restart')}")
    judged = [_Judged(one, endpoint, handle, noted) for one in restarted]
    worst = max(judged, key=lambda one: one.finding.severity)
    if worst.finding.outcome != "went on":
        return _say_verdict(worst.finding.outcome, worst)
    compared = compare(endpoint, job, handle, worst.seen, settings)
    if isinstance(compared, Comparison) and not compared.agrees:
        return _say_verdict("other result", worst, str(compared))
    return _say_verdict("went on", worst, str(compared))


class _Judged:
    """A run that was restarted: what was seen of it, and what follows from that."""

    def __init__(
        self,
        trial: str,
        endpoint: "Endpoint",
        handle: "JobHandle",
        noted: Sequence[Mapping[str, Any]],
    ) -> None:
        self.seen = look_at_run(endpoint, handle, trial, noted)
        self.finding = observation(self.seen, noted).judge()


def _say_verdict(verdict: str, judged: _Judged, compared: str = "") -> int:
    trial = f"trial {judged.seen.trial}: " if judged.seen.trial else ""
    said = f"{judged.finding.text}; {compared}" if compared else judged.finding.text
    say_prose(f"{trial}{_VERDICTS[verdict]}: {said}")
    if verdict in _REMEDIES:
        say_prose(_REMEDIES[verdict])
    return _EXIT_CODES[verdict]
