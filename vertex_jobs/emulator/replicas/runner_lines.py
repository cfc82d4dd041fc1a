"""What a prebuilt image's runner writes to the log before it hands over to the program.

Only lines that are true here: nothing is installed with gsutil and pip, so nothing says so.
Source: log of a real job, February 2026.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from vertex_jobs.emulator.replicas.tasks import PoolTask

__all__ = ["runner_lines"]


def runner_lines(
    task: PoolTask, arguments: Sequence[str], variables: Mapping[str, str]
) -> Iterator[str]:
    """The lines of one replica, in order; none for a container's own command.

    Args:
        task: The pool's program.
        arguments: The program's, a trial's included.
        variables: The replica's environment.
    """
    if not task.module:
        return
    if "MASTER_ADDR" in variables:
        yield f"Updating master address to local address {variables['MASTER_ADDR']}"
    spec = json.loads(variables["CLUSTER_SPEC"])
    described = {
        "python_module": task.module,
        "package_uris": list(task.package_uris),
        "job_args": list(arguments),
    }
    # As the service's runner spells it.
    job = json.dumps(described, separators=(",", ":")).replace("=", "\\u003d")
    yield (
        f"Running task with arguments: --cluster={json.dumps(spec['cluster'])} "
        f"--task={json.dumps(spec['task'])} --job={job}"
    )
    yield f"Running module {task.module}."
    yield f"Running command: {' '.join(['python3', '-m', task.module, *arguments])}"
