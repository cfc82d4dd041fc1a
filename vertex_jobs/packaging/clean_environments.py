"""What a program sees that is started in place of a job, to be asked something.

For the proof of a package and for the questions to a script's parser. It is told what a job's only
replica is told, so code that tells training from launching trains, and finds nothing of the
caller's. Local Vertex, whose replicas run for real, has an environment of its own.
"""

import os
from pathlib import Path

from vertex_jobs.runtime.cluster import Cluster
from vertex_jobs.runtime.directories import Directories
from vertex_jobs.runtime.environment import Environment

__all__ = ["clean_environment"]

#: Of the caller's environment only these pass: what Python and its libraries need to start.
_PASSED_VARIABLES = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH")


def clean_environment(folder: Path) -> dict[str, str]:
    """The whole environment of such a program.

    Args:
        folder: An empty one, for whatever it writes.
    """
    service = Environment(
        directories=Directories.under("gs://no-bucket"),
        cluster=Cluster({"chief": ("127.0.0.1:2222",)}),
        metric_file=str(folder / "metrics"),
        project_number="1",
        region="us-central1",
        job_id="1",
    )
    return {
        **{name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ},
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "CUDA_VISIBLE_DEVICES": "",  # an answer needs none, and a GPU may be busy
        **service.to_variables(),
    }
