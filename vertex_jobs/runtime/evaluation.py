"""The evaluator: a replica that follows the chief's checkpoints while training goes on.

It trains nothing and belongs to no collective. When the chief ends, the service stops every other
replica, whatever it does; so the chief waits, at its end, until the last checkpoint is evaluated.
"""

import logging
import time
from collections.abc import Callable, Iterator

from vertex_jobs.runtime.directories import Directories
from vertex_jobs.runtime.environment import Environment
from vertex_jobs.runtime.resume import Progress

__all__ = ["follow", "wait_for_evaluator"]

_log = logging.getLogger(__name__)

#: Where the evaluator says which epoch it has evaluated, below its logs.
_DONE = "evaluated_epoch"
_POLL_SECONDS = 0.5


def follow(
    progress: Progress, directories: Directories, last_epoch: int, timeout: float = 3600
) -> Iterator[int]:
    """Restore each new checkpoint of the job; yields its number of finished epochs.

    Several checkpoints that come while one is evaluated count as the newest. It ends after the
    last epoch has been evaluated.

    Args:
        progress: Holds the evaluator's own model.
        directories: The job's.
        last_epoch: Number of epochs of the whole training.
        timeout: Longest wait for a next checkpoint, in seconds.

    Raises:
        TimeoutError: If no checkpoint came for so long.
    """
    import tensorflow as tf

    for prefix in tf.train.checkpoints_iterator(
        directories.checkpoint_dir, min_interval_secs=0, timeout=timeout
    ):
        try:
            progress.restore(prefix)
        except tf.errors.NotFoundError:
            continue  # the chief has removed it meanwhile; a newer one is there
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
    """Wait, on the chief, until the last checkpoint is evaluated; at once without an evaluator.

    Args:
        here: The chief's environment.
        directories: The job's.
        last_epoch: Number of epochs of the whole training.
        timeout: Longest wait, in seconds; after it the chief may end all the same.
        clock: Seconds that only grow.
        sleep: Waits so many seconds.

    Returns:
        Whether there was nothing left to wait for.
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
    """The newest epoch that was evaluated; 0 for none."""
    import tensorflow as tf

    path = directories.subdirectory_of_logs("eval") + _DONE
    if not tf.io.gfile.exists(path):
        return 0
    with tf.io.gfile.GFile(path) as file:
        return int(file.read() or 0)
