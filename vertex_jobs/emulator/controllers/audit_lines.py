"""The writes of a job, and which of them are lost: lines for the end of its log.

For the controller of a custom job. It looks at the output directory, at what each replica left in
its working directory, and at which replica wrote which object, as far as that is known.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vertex_jobs.runtime.cluster import ROLES
from vertex_jobs.runtime.directories import Directories

_MOST_NAMES = 3
#: A process that opens ``gs://bucket/object`` as a file makes folders of that name.
_LITERAL = ("gs:", "gcs:")
_NOT_LOST = ("__pycache__", ".pytest_cache")
#: How the names of workers begin: those of the pool after the chief's.
_WORKERS = f"workerpool{ROLES.index('worker')}-"
#: A working directory with more files than that is not counted to the end.
_MOST_FILES = 10_000


@dataclass(frozen=True)
class Remains:
    """The files that a replica left in its working directory: bytes of each, by relative path."""

    replica_id: str
    files: Sequence[tuple[str, int]]


@dataclass(frozen=True)
class Evidence:
    """Everything known about the writes of one job.

    Attributes:
        base: Its output directory, ``gs://…/``; empty without one.
        outputs: Bytes of each object that it has written there and that is left, by ``gs://`` URI.
        written: ``gs://`` URI of an object, to the replicas that wrote it.
        trial_id: Set when the job is a trial; its siblings' folders lie beside its own.
        made_buckets: Names of the buckets it used that nobody had created.
    """

    succeeded: bool
    base: str = ""
    outputs: Mapping[str, int] = field(default_factory=dict)
    remains: Sequence[Remains] = ()
    written: Mapping[str, set[str]] = field(default_factory=dict)
    trial_id: str = ""
    made_buckets: Sequence[str] = ()


@dataclass(frozen=True)
class Line:
    """One line of the audit."""

    text: str
    severity: str = "WARNING"


def look_at(replica_id: str, folder: Path) -> Remains:
    """Look at a working directory."""
    found = []
    for path in sorted(itertools.islice(folder.rglob("*"), _MOST_FILES)):
        if path.is_file() and not path.is_symlink():
            found.append((str(path.relative_to(folder)), path.stat().st_size))
    return Remains(replica_id, found)


def audit(evidence: Evidence) -> list[Line]:
    """Return the lines to write, most important first."""
    return [
        *_output_directory(evidence),
        *itertools.chain.from_iterable(_left_behind(one) for one in evidence.remains),
        *_shared(evidence.written),
        *_of_workers(evidence),
        *_foreign(evidence),
        *_made(evidence.made_buckets),
    ]


def _output_directory(evidence: Evidence) -> Iterator[Line]:
    if not evidence.base:
        return
    count = len(evidence.outputs)
    if count:
        noun = "object" if count == 1 else "objects"
        size = _size(sum(evidence.outputs.values()))
        yield Line(f"Written under {evidence.base}: {count} {noun}, {size}.", "DEBUG")
    elif evidence.succeeded:
        yield Line(
            f"Nothing was written under {evidence.base}, the job's output directory. Write to "
            "AIP_MODEL_DIR, AIP_CHECKPOINT_DIR or AIP_TENSORBOARD_LOG_DIR: what lies elsewhere on "
            "the machine is gone with it."
        )


def _left_behind(remains: Remains) -> Iterator[Line]:
    literal = [one for one in remains.files if one[0].startswith(_LITERAL)]
    if literal:
        yield Line(
            f"{remains.replica_id} wrote {_listed(literal)} in its working directory: the gs:// "
            "path was opened as a plain file. Nothing of it is in Cloud Storage. Use "
            "tf.io.gfile, fsspec, or /gcs/<bucket>/ in place of gs://<bucket>/."
        )
    lost = [
        one
        for one in remains.files
        if one not in literal and not set(Path(one[0]).parts) & set(_NOT_LOST)
    ]
    if lost:
        yield Line(
            f"{remains.replica_id} left {_listed(lost)} in its working directory, which is lost. "
            "Write what is to be kept under the output directory."
        )


def _shared(written: Mapping[str, set[str]]) -> Iterator[Line]:
    shared = ((uri, replicas) for uri, replicas in sorted(written.items()) if len(replicas) > 1)
    for uri, replicas in itertools.islice(shared, _MOST_NAMES):
        yield Line(
            f"{_joined(sorted(replicas))} wrote the same object, {uri}; the last one won. Let "
            "the chief alone write it, and the others elsewhere."
        )


def _of_workers(evidence: Evidence) -> Iterator[Line]:
    """Yield a line if a worker wrote objects of the model alone, and left them there.

    Parameter servers may write the shards they hold, and an evaluator may export the best model. A
    worker's temporary files are gone at the end.
    Source: TensorFlow, "Multi-worker training with Keras", model saving and loading.
    """
    if not evidence.base:
        return
    model = Directories.under(evidence.base).model_dir
    found = {
        uri: replicas
        for uri, replicas in sorted(evidence.written.items())
        if uri.startswith(model)
        and uri in evidence.outputs
        and len(replicas) == 1
        and all(one.startswith(_WORKERS) for one in replicas)
    }
    if found:
        who = _joined(sorted(set().union(*found.values())))
        shown = ", ".join(itertools.islice(found, _MOST_NAMES))
        more = f" and {len(found) - _MOST_NAMES} more" if len(found) > _MOST_NAMES else ""
        yield Line(
            f"{who} wrote to AIP_MODEL_DIR without being the chief: {shown}{more}. Write there "
            "only if environment.current().is_chief of vertex_jobs.runtime; its write_to() gives "
            "the others a scratch folder."
        )


def _foreign(evidence: Evidence) -> Iterator[Line]:
    """Yield a line for each object in the folder of another trial."""
    if not evidence.trial_id or not evidence.base:
        return
    parent = evidence.base.rstrip("/").removesuffix(evidence.trial_id)
    owners = (
        (uri, uri.removeprefix(parent).partition("/")[0])
        for uri in sorted(evidence.written)
        if uri.startswith(parent)
    )
    foreign = (
        (uri, owner) for uri, owner in owners if owner.isdigit() and owner != evidence.trial_id
    )
    for uri, owner in itertools.islice(foreign, _MOST_NAMES):
        yield Line(
            f"Trial {evidence.trial_id} wrote {uri}, which lies in the folder of trial {owner}. "
            "Write under AIP_MODEL_DIR, which every trial has for itself."
        )


def _made(buckets: Sequence[str]) -> Iterator[Line]:
    for bucket in buckets:
        yield Line(
            f"The bucket gs://{bucket} did not exist and came into being with the first write to "
            "it. On Vertex AI it must be there before the job."
        )


def _listed(files: Sequence[tuple[str, int]]) -> str:
    count, size = len(files), _size(sum(size for _, size in files))
    shown = ", ".join(name for name, _ in files[:_MOST_NAMES])
    more = ", …" if count > _MOST_NAMES else ""
    return f"{count} file{'' if count == 1 else 's'} ({shown}{more}; {size})"


def _joined(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def _size(count: int) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count} bytes"
