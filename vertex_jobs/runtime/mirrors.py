"""A local folder and its copy in Cloud Storage, for ``uploads`` and its Keras callback."""

import os
import shutil
import tempfile
from pathlib import Path


class Mirror:
    """A temporary folder and its copy in Cloud Storage.

    Attributes:
        folder: The folder, ending in a slash; `close` removes it.
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

        # The deepest first, so that a model's parts exist before the file that names them.
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
        """Return the mirror, whose folder exists already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the folder."""
        self.close()
