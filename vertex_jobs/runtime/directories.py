"""The three directories of a job: model, checkpoints and TensorBoard logs.

It creates none of them, except the scratch directory of a replica whose output nobody keeps; Cloud
Storage has no directories to create.
"""

import atexit
import functools
import os
import shutil
import tempfile
from dataclasses import dataclass

from vertex_jobs.names import GcsUri


@dataclass(frozen=True)
class Directories:
    """A job's directories, each a ``gs://`` URI or a local path that ends in one slash.

    Attributes:
        model_dir: The trained model, AIP_MODEL_DIR.
        checkpoint_dir: Checkpoints, AIP_CHECKPOINT_DIR.
        tensorboard_log_dir: TensorBoard logs, AIP_TENSORBOARD_LOG_DIR.

    Source: message CustomJobSpec, base_output_directory.
    """

    model_dir: str
    checkpoint_dir: str
    tensorboard_log_dir: str

    @classmethod
    def under(cls, base_output_dir: str, trial_id: str | None = None) -> "Directories":
        """Return the directories of a job, or of one trial, below its base output directory."""
        above = () if trial_id is None else (trial_id,)
        return cls(
            model_dir=_directory(base_output_dir, *above, "model"),
            checkpoint_dir=_directory(base_output_dir, *above, "checkpoints"),
            tensorboard_log_dir=_directory(base_output_dir, *above, "logs"),
        )

    def subdirectory_of_logs(self, name: str) -> str:
        """Return a directory below the TensorBoard logs, ending in one slash."""
        return _directory(self.tensorboard_log_dir, name)


@functools.cache
def scratch_directories() -> Directories:
    """Return directories of this process that are removed when it exits."""
    root = tempfile.mkdtemp(prefix="vertex-jobs-scratch-")
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    return Directories.under(root)


def _directory(base: str, *parts: str) -> str:
    if base.startswith("gs://"):
        return str(GcsUri.parse(base).directory(*parts))
    return os.path.join(base, *parts, "")
