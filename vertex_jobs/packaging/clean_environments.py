"""The environment of a program that is started to answer a question, in place of a job.

For the proof of a package and for the questions to a script's parser. It has the variables of a
job's only replica, so that code which distinguishes training from launching trains, and nothing of
the caller's. Local Vertex, whose replicas run for real, has an environment of its own.
"""

import os
from pathlib import Path

from vertex_jobs import catalog
from vertex_jobs.runtime.cluster import Cluster
from vertex_jobs.runtime.directories import Directories
from vertex_jobs.runtime.environment import Environment

#: The caller's variables that Python and its libraries need to start; no others pass.
_PASSED_VARIABLES = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH")


def clean_environment(folder: Path) -> dict[str, str]:
    """Return the program's whole environment; its files go to the folder, which is empty."""
    service = Environment(
        directories=Directories.under("gs://no-bucket"),
        cluster=Cluster({"chief": ("127.0.0.1:2222",)}),
        metric_file=str(folder / "metrics"),
        project_number="1",
        region=catalog.load().limits.region_default,
        job_id="1",
    )
    return {
        **{name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ},
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "CUDA_VISIBLE_DEVICES": "",  # an answer needs no GPU, and it may be busy
        **service.to_variables(),
    }
