"""Finds out whether a job counts on ``/gcs/<bucket>``, which every real job has, and on which.

For admission, which refuses such a job where ``/gcs`` cannot be had, and for the preparation of
replicas, which waits for the mount or asks for a copy. It looks at arguments, variables and the
literal texts of the job's own sources; a path that has no literal ``/gcs/`` is not found.
"""

import ast
import functools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from vertex_jobs import names
from vertex_jobs.emulator.replicas.tasks import PoolTask
from vertex_jobs.emulator.storage.gcs_copy import Buckets

GCS_FOLDER = "/gcs"
_ROOT = f"{GCS_FOLDER}/"
_URI = re.compile(r"gs://([a-z0-9][a-z0-9._-]+)")


def mentions_gcs(task: PoolTask, folders: Iterable[Path]) -> bool:
    """Return whether arguments, variables or sources in folders hold a path under ``/gcs``."""
    return bool(_mentions(task, folders))


def used_buckets(task: PoolTask, folders: Iterable[Path]) -> Buckets:
    """Return the buckets of these paths; a path may be put together, so that all are meant."""
    found = _mentions(task, folders)
    return Buckets(found - {""}, everything="" in found)


def buckets_of_uris(texts: Iterable[str]) -> frozenset[str]:
    """Return the buckets of all ``gs://`` URIs, which a program may turn into paths."""
    return frozenset(match[1] for text in texts for match in _URI.finditer(text))


def _mentions(task: PoolTask, folders: Iterable[Path]) -> frozenset[str]:
    """Return the buckets that are named after ``/gcs/``, and an empty one if that may not be all.

    A name that ends its text may go on in another text.
    """
    texts = [*task.command, *task.arguments, *(text for _, text in task.environment)]
    return frozenset(_buckets(texts)).union(*map(_sources_mention, folders))


@functools.lru_cache(maxsize=256)  # what was unpacked never changes; a study asks at every trial
def _sources_mention(folder: Path) -> frozenset[str]:
    sources = sorted(folder.rglob("*.py"))
    return frozenset(bucket for path in sources for bucket in _source_mentions(path))


def _source_mentions(path: Path) -> Iterable[str]:
    content = path.read_bytes()
    if _ROOT.encode() not in content:
        return ()
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return ("",)  # the program will say what is wrong with it
    return _buckets(_literals(tree))


def _buckets(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for after in text.split(_ROOT)[1:]:
            bucket, slash, _ = after.partition("/")
            is_name = names.is_gcs_uri(f"gs://{bucket}")
            if is_name:
                yield bucket
            if not (is_name and slash):
                yield ""


def _literals(tree: ast.AST) -> Iterator[str]:
    """Yield the texts in the code; documentation is a text that stands alone."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value
