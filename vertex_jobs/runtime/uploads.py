"""Files written on this machine and copied to Cloud Storage whole.

Written directly to ``gs://``, a small SavedModel takes about sixty requests in sequence: TensorFlow
looks for each file, writes it under another name, copies it and removes the first. Written here and
copied it takes two for each file.

    model.fit(..., callbacks=[uploads.TensorBoard(writing.tensorboard_log_dir)])
    with uploads.staged(writing.model_dir) as folder:
        model.export(folder)
"""

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from vertex_jobs.runtime.mirrors import Mirror

if TYPE_CHECKING:
    from vertex_jobs.runtime.callbacks import TensorBoard

__all__ = ["TensorBoard", "staged"]


@contextlib.contextmanager
def staged(directory: str) -> Iterator[str]:
    """Give a local folder, ending in a slash, whose files are in ``directory`` after the block.

    Nothing is copied if the block raises. A local directory is its own folder.

    Args:
        directory: A ``gs://`` URI or a local path.

    Raises:
        tensorflow.errors.OpError: If a file cannot be written.
    """
    if not directory.startswith("gs://"):
        os.makedirs(directory, exist_ok=True)
        yield os.path.join(directory, "")
        return
    with Mirror(directory) as mirror:
        yield mirror.folder
        mirror.upload()


def __getattr__(name: str) -> Any:
    """Load the Keras callback on first use, since it imports Keras."""
    if name == "TensorBoard":
        from vertex_jobs.runtime.callbacks import TensorBoard

        return TensorBoard
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
