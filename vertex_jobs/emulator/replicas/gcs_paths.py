"""Finds out whether a job counts on ``/gcs/<bucket>``, which every real job has.

For admission, which refuses such a job where ``/gcs`` cannot be had, and for the preparation of
replicas, which waits for the mount. It looks at arguments, variables and the literal texts of the
job's own sources; a path that is put together from parts is not found.
"""

import ast
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path

from vertex_jobs.emulator.replicas.tasks import PoolTask

GCS_FOLDER = "/gcs"
_ROOT = f"{GCS_FOLDER}/"


def mentions_gcs(task: PoolTask, folders: Iterable[Path]) -> bool:
    """Return whether arguments, variables or sources in folders hold a path under ``/gcs``."""
    texts = [*task.command, *task.arguments, *(text for _, text in task.environment)]
    if any(_ROOT in text for text in texts):
        return True
    return any(_sources_mention(folder) for folder in folders)


@functools.lru_cache(maxsize=256)  # what was unpacked never changes; a study asks at every trial
def _sources_mention(folder: Path) -> bool:
    return any(_source_mentions(path) for path in sorted(folder.rglob("*.py")))


def _source_mentions(path: Path) -> bool:
    content = path.read_bytes()
    if _ROOT.encode() not in content:
        return False
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return True  # the program will say what is wrong with it
    return any(_ROOT in text for text in _literals(tree))


def _literals(tree: ast.AST) -> Iterator[str]:
    """Yield the texts in the code; documentation is a text that stands alone."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value
