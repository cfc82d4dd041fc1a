"""Jobs found by what a person types: an id, a full resource name or a display name.

For `Client`. Among several jobs of one display name the one that still runs is meant, else the
newest; several that run are refused, because the next word may be ``cancel``.
"""

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from vertex_jobs.client.job_calls import Jobs, Resource
from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.client.timing import Timing
from vertex_jobs.errors import JobNotFoundError
from vertex_jobs.job_kinds import JOB_KINDS, JobKind
from vertex_jobs.names import ResourceName, location_name

#: Names further from the mistyped one than this are no help.
_NEAR = 0.6
#: Other jobs of the same name; `list` shows all of them.
_MOST_NAMED = 5

#: Told which of several jobs of one name is taken.
OnSeveral = Callable[[str], None]


def _ignore(text: str) -> None:
    """Do nothing, for a caller who knows."""


@dataclass(frozen=True)
class Lookup:
    """Finds and lists jobs of all three kinds."""

    jobs: Jobs
    timing: Timing

    def find(self, text: str, on_several: OnSeveral = _ignore) -> Resource:
        """Return the job that the text means: numeric id, full resource name or display name.

        They are tried in this order; ``on_several`` is told which job of a name is taken, and which
        other ones have it.

        Raises:
            JobNotFoundError: If there is none, with the nearest names; or several that run.
            EndpointError: If the endpoint cannot be asked.
        """
        if text.startswith("projects/"):
            return self._by_name(text)
        if text.isdecimal():
            found = self._by_id(text)
            if found is not None:
                return found
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        listed = self.list(f'display_name="{quoted}"')
        named = [resource for resource in listed if resource.get("displayName") == text]
        if named:
            return _meant(text, named, on_several)
        place = self.jobs.connection.place
        raise JobNotFoundError(self._nothing(text, location_name(place.project, place.location)))

    def list(self, filter_text: str = "", parent: str = "") -> list[Resource]:
        """Return the jobs of all kinds, newest first; the arguments are those of `Jobs.list`."""
        found: list[Resource] = []
        for kind in JOB_KINDS:
            found += self.timing.ask(partial(self.jobs.list, kind, filter_text, parent))
        return newest_first(found)

    def _by_name(self, text: str) -> Resource:
        try:
            name = ResourceName.parse(text)
        except ValueError as error:
            raise JobNotFoundError(str(error)) from error
        if name.collection not in {kind.collection for kind in JOB_KINDS}:
            known = ", ".join(kind.collection for kind in JOB_KINDS)
            raise JobNotFoundError(
                f"{text} is no job: {name.collection!r} is none of {known}; "
                "list the jobs with: vertex-jobs list"
            )
        found = self._get(text)
        if found is None:
            raise JobNotFoundError(self._nothing(text, name.parent))
        return found

    def _by_id(self, job_id: str) -> Resource | None:
        for kind in JOB_KINDS:
            found = self._get(self._name(kind, job_id))
            if found is not None:
                return found
        return None

    def _name(self, kind: JobKind, job_id: str) -> str:
        place = self.jobs.connection.place
        return str(ResourceName(place.project, place.location, kind.collection, job_id))

    def _get(self, name: str) -> Resource | None:
        if not ResourceName.parse(name).resource_id.isdecimal():
            return None  # the service refuses a name whose id is no number
        try:
            return self.timing.ask(lambda: self.jobs.get(name))
        except JobNotFoundError:
            return None

    def _nothing(self, text: str, where: str) -> str:
        known = [Snapshot(resource) for resource in self.list(parent=where)]
        names = {snapshot.display_name for snapshot in known}
        names |= {snapshot.job_id for snapshot in known}
        near = difflib.get_close_matches(text.rpartition("/")[2], sorted(names), cutoff=_NEAR)
        if near:
            hint = f"did you mean {' or '.join(near)}?"
        elif known:
            hint = "list the jobs there with: vertex-jobs list"
        else:
            hint = "there are no jobs at all; is it the right --project, --location and --on?"
        return f"{text!r} is no id, resource name or display name of a job in {where}; {hint}"


def _meant(text: str, named: list[Resource], on_several: OnSeveral) -> Resource:
    """Return the one that runs, else the newest, which comes first."""
    running = [snapshot for snapshot in map(Snapshot, named) if not snapshot.done]
    if len(running) > 1:
        ids = ", ".join(snapshot.job_id for snapshot in running)
        raise JobNotFoundError(
            f"{len(running)} jobs called {text!r} are running, and one must be meant; "
            f"use an id: {ids}"
        )
    meant = dict(running[0].resource) if running else named[0]
    others = [Snapshot(resource) for resource in named if resource["name"] != meant["name"]]
    if others:
        on_several(_several(text, Snapshot(meant), others))
    return meant


def _several(text: str, meant: Snapshot, others: Sequence[Snapshot]) -> str:
    """Return which job of a name is meant, and which other ones have it."""
    why = "the newest" if meant.done else "which runs"
    ids = ", ".join(snapshot.job_id for snapshot in others[:_MOST_NAMED])
    more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    return (
        f"{len(others) + 1} jobs are called {text!r}: {meant.job_id}, {why}, is meant; not "
        f"{ids}{more}; use an id to choose"
    )


def newest_first(resources: Iterable[Resource]) -> list[Resource]:
    """Return the jobs by the times when they were created."""
    return sorted(resources, key=_created, reverse=True)


def _created(resource: Resource) -> str:
    # Without the Z, text order is time order even where one time has decimals and one has none.
    return str(resource.get("createTime", "")).removesuffix("Z")
