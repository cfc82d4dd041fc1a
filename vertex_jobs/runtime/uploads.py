"""Files made on this machine and copied to Cloud Storage whole.

Written straight to ``gs://``, a small SavedModel takes some sixty requests, one after the other:
TensorFlow looks for each file, writes it under another name, copies it and removes the first. Made
here and copied it takes two for each file.

    model.fit(..., callbacks=[uploads.TensorBoard(writing.tensorboard_log_dir)])
    with uploads.staged(writing.model_dir) as folder:
        model.export(folder)
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vertex_jobs.runtime.callbacks import TensorBoard

__all__ = ["Mirror", "TensorBoard", "staged"]


@contextlib.contextmanager
def staged(directory: str) -> Iterator[str]:
    """A local folder, ending in a slash, whose files are in ``directory`` after the block.

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


class Mirror:
    """A temporary folder and its copy in Cloud Storage.

    Attributes:
        folder: The folder, ending in a slash; it goes when the mirror is closed.
    """

    def __init__(self, directory: str) -> None:
        """Make the folder for one ``gs://`` directory."""
        self.folder = os.path.join(tempfile.mkdtemp(prefix="vertex-jobs-upload-"), "")
        self._directory = directory.rstrip("/")
        self._copied: dict[Path, tuple[int, int]] = {}

    def upload(self) -> None:
        """Copy the files that are new or have changed since the last call.

        Raises:
            tensorflow.errors.OpError: If a file cannot be written.
        """
        import tensorflow as tf

        # The deepest first: a model's parts are there before the file that names them.
        for path in sorted(Path(self.folder).rglob("*"), key=lambda path: -len(path.parts)):
            status = path.stat()
            version = status.st_mtime_ns, status.st_size
            if path.is_file() and self._copied.get(path) != version:
                name = path.relative_to(self.folder).as_posix()
                tf.io.gfile.copy(str(path), f"{self._directory}/{name}", overwrite=True)
                self._copied[path] = version

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "Mirror":
        """Nothing more to do than was done."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def __getattr__(name: str) -> Any:
    """Load the Keras callback on first use, since it imports Keras."""
    if name == "TensorBoard":
        from vertex_jobs.runtime.callbacks import TensorBoard

        return TensorBoard
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
