"""Finds out whether a program reports its metric at the literal path that a real trial has.

cloudml-hypertune takes the path from a variable; a program that does without it names the path.
"""

import functools
from collections.abc import Iterable
from pathlib import Path

from vertex_jobs.emulator.launcher.launcher_values import METRIC_FOLDER
from vertex_jobs.emulator.replicas.tasks import PoolTask


def names_metric_folder(task: PoolTask, folders: Iterable[Path]) -> bool:
    """Return whether command, arguments, variables or a file of the packages name the path."""
    texts = [*task.command, *task.arguments, *(text for _, text in task.environment)]
    return any(METRIC_FOLDER in text for text in texts) or any(map(_files_name_it, folders))


@functools.lru_cache(maxsize=256)  # what was unpacked never changes; a study asks at every trial
def _files_name_it(folder: Path) -> bool:
    wanted = METRIC_FOLDER.encode()
    return any(wanted in path.read_bytes() for path in folder.rglob("*") if path.is_file())
