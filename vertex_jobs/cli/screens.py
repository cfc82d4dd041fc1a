"""The block that a watched job has on a terminal, as a function of what is known.

For `progress`, which redraws it. Its height changes little, so that nothing jumps: one line for
the job; for a study a bar, the best so far, and one line for each running trial.
"""

from collections.abc import Iterator
from datetime import datetime

from rich.console import ConsoleDimensions, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from vertex_jobs.cli.details import cost_so_far, replica_count
from vertex_jobs.cli.words import duration, metrics, outcome, parameters, seconds_between
from vertex_jobs.client import Snapshot
from vertex_jobs.job_kinds import short_state
from vertex_jobs.study import Study, Trial

#: Above these the block takes more of the screen than it gives.
_TRIAL_LINES = 8
_BAR_WIDTH = 40
#: A space and six significant digits, so that columns stay where they are.
_NUMBER_WIDTH = 9
_COLOURS = {"RUNNING": "cyan", "SUCCEEDED": "green", "FAILED": "red", "CANCELLING": "yellow"}


def screen(
    snapshot: Snapshot, study: Study | None, now: datetime, size: ConsoleDimensions
) -> RenderableType:
    """Return the block for a job, which never scrolls a terminal of that size.

    ``study`` has the measurements of a tuning job's trials as far as they are known.
    """
    lines: list[RenderableType] = [Text(), _headline(snapshot, now)]
    if study is not None:
        limit = max(1, min(_TRIAL_LINES, size.height - 8))
        lines += _study_lines(snapshot, study, now, limit)
    return Group(*lines)


def _headline(snapshot: Snapshot, now: datetime) -> Text:
    state = short_state(snapshot.state)
    elapsed = duration(seconds_between(snapshot.create_time, snapshot.end_time, now))
    replicas, cost = replica_count(snapshot), cost_so_far(snapshot, now)
    return Text.assemble(
        (snapshot.display_name, "bold"),
        "  ",
        (state.lower(), _COLOURS.get(state, "default")),
        f"  {elapsed}  ",
        (snapshot.job_id, "dim"),
        f"  {replicas} replicas" if replicas > 1 else "",
        (f"  {cost} on Vertex AI" if cost else "", "dim"),
        no_wrap=True,
        overflow="ellipsis",
    )


def _study_lines(
    snapshot: Snapshot, study: Study, now: datetime, limit: int
) -> Iterator[RenderableType]:
    yield _bar(study, int(snapshot.resource.get("maxTrialCount", 0)))
    yield Text()
    yield _trials(study, snapshot.best_so_far, now, limit)


def _bar(study: Study, total: int) -> Table:
    finished = sum(trial.finished for trial in study.trials)
    infeasible = sum(trial.state == "INFEASIBLE" for trial in study.trials)
    text = Text(f"{finished} of {total} trials  {len(study.trials) - finished} running")
    if infeasible:
        text.append(f"  {infeasible} infeasible", "yellow")
    bar = ProgressBar(max(1, total), finished, width=_BAR_WIDTH, complete_style="cyan")
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column()
    grid.add_column(no_wrap=True, overflow="ellipsis")
    grid.add_row(bar, text)
    return grid


def _trials(study: Study, best: Trial | None, now: datetime, limit: int) -> Table:
    """Return the best so far, then the trials that run, the first started at the top."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    metric_width = sum(len(goal.metric_id) + _NUMBER_WIDTH for goal in study.objectives)
    for width in (len("best: trial 10"), metric_width, len("step 10"), len("0:00"), 0):
        grid.add_column(no_wrap=True, overflow="ellipsis", min_width=width)
    if best is not None:
        name, counted = Text(f"best: trial {best.id}", "green"), outcome(best, study.objectives)
        grid.add_row(name, counted, "", "", parameters(best))
    running = [trial for trial in study.trials if not trial.finished]
    for trial in running[:limit]:
        elapsed = duration(seconds_between(trial.start_time, None, now))
        grid.add_row(f"trial {trial.id}", *_latest(study, trial), elapsed, parameters(trial))
    if len(running) > limit:
        grid.add_row(Text(f"and {len(running) - limit} more", "dim"))
    return grid


def _latest(study: Study, trial: Trial) -> tuple[str, str]:
    if not trial.measurements:
        return "no metric yet", ""
    last = trial.measurements[-1]
    return metrics(last.metrics, study.objectives), f"step {last.step}"
