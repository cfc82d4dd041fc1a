"""The evaluator: a replica that evaluates the chief's checkpoints while training continues.

It trains nothing and belongs to no collective. When the chief ends, the service stops every other
replica at once, so the chief waits at its end until the last checkpoint is evaluated.
"""

import logging
import time
from collections.abc import Callable, Iterator

from vertex_jobs.runtime.directories import Directories
from vertex_jobs.runtime.environment import Environment
from vertex_jobs.runtime.resume import Progress

__all__ = ["follow", "wait_for_evaluator"]

_log = logging.getLogger(__name__)

#: File below the evaluator's logs with the newest epoch that it has evaluated.
_DONE = "evaluated_epoch"
_POLL_SECONDS = 0.5


def follow(
    progress: Progress, directories: Directories, last_epoch: int, timeout: float = 3600
) -> Iterator[int]:
    """Restore each new checkpoint of the job, and yield its number of finished epochs.

    Of several checkpoints that come during an evaluation it takes the newest. It ends after the
    evaluation of the last epoch.

    Args:
        progress: Holds the evaluator's own model.
        directories: The job's.
        last_epoch: Number of epochs of the whole training.
        timeout: Longest wait for a next checkpoint, in seconds.

    Raises:
        TimeoutError: If no checkpoint comes for that long.
    """
    import tensorflow as tf

    for prefix in tf.train.checkpoints_iterator(
        directories.checkpoint_dir, min_interval_secs=0, timeout=timeout
    ):
        try:
            progress.restore(prefix)
        except tf.errors.NotFoundError:
            continue  # the chief has removed it meanwhile; there is a newer one
        yield progress.epoch
        _mark(directories, progress.epoch)
        if progress.epoch >= last_epoch:
            return
    raise TimeoutError(
        f"no new checkpoint in {directories.checkpoint_dir} for {timeout} seconds; has the chief "
        "ended?"
    )


def wait_for_evaluator(
    here: Environment,
    directories: Directories,
    last_epoch: int,
    timeout: float = 600,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Wait on the chief until the last checkpoint is evaluated; not at all without an evaluator.

    Args:
        here: The chief's environment.
        directories: The job's.
        last_epoch: Number of epochs of the whole training.
        timeout: Longest wait, in seconds.
        clock: Returns seconds that never decrease.
        sleep: Waits a number of seconds.

    Returns:
        True if the last checkpoint is evaluated or there is no evaluator, False after the timeout.
    """
    if here.cluster is None or not here.cluster.count("evaluator"):
        return True
    deadline = clock() + timeout
    while _evaluated(directories) < last_epoch:
        if clock() >= deadline:
            _log.warning("the evaluator has not seen epoch %s in %s s", last_epoch, timeout)
            return False
        sleep(_POLL_SECONDS)
    return True


def _mark(directories: Directories, epoch: int) -> None:
    import tensorflow as tf

    tf.io.gfile.makedirs(directories.subdirectory_of_logs("eval"))
    with tf.io.gfile.GFile(directories.subdirectory_of_logs("eval") + _DONE, "w") as file:
        file.write(str(epoch))


def _evaluated(directories: Directories) -> int:
    """Return the newest epoch that was evaluated; 0 for none."""
    import tensorflow as tf

    path = directories.subdirectory_of_logs("eval") + _DONE
    if not tf.io.gfile.exists(path):
        return 0
    with tf.io.gfile.GFile(path) as file:
        return int(file.read() or 0)
