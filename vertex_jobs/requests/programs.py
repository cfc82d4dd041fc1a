"""What a replica runs: the package in a prebuilt image, the package in any other, or the image.

For ``job_specs``. Source: ContainerSpec, PythonPackageSpec.
"""

import shlex
from collections.abc import Sequence
from typing import Any

from vertex_jobs.catalog.container_images import is_prebuilt
from vertex_jobs.spec import WorkerPoolSpec

__all__ = ["container_command", "program"]


def container_command(package_uris: Sequence[str], module: str) -> list[str]:
    """The command by which an image of the user's installs the package and runs its module.

    The bucket is mounted under ``/gcs`` in every job. The arguments, and those that a trial adds,
    follow as ``args`` and reach the module through ``"$@"``, so the shell reads no character of
    them; the SDK joins them into the command, which splits them at white space and loses a trial's.
    ``exec`` lets the module receive the container's signals. The variable permits pip to install
    into an image whose Python is marked as externally managed; older pips ignore it.
    """
    archives = shlex.join(uri.replace("gs://", "/gcs/", 1) for uri in package_uris)
    install = f"PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip install --quiet {archives}"
    return ["sh", "-c", f'{install} && exec python3 -m {shlex.quote(module)} "$@"', module]


def program(pool: WorkerPoolSpec, package_uris: Sequence[str], module: str) -> dict[str, Any]:
    """The pool's ``pythonPackageSpec`` or ``containerSpec``, keyed by that name.

    Args:
        pool: What the pool runs.
        package_uris: ``gs://`` addresses of the package; unused where the image runs by itself.
        module: The package's module.
    """
    env = [{"name": name, "value": value} for name, value in pool.environment_variables.items()]
    shared = {"args": list(pool.args), "env": [_without_empty(variable) for variable in env]}
    if pool.package_uris or (pool.runs_package and is_prebuilt(pool.container_uri)):
        spec = {
            "executorImageUri": pool.container_uri,
            "packageUris": list(pool.package_uris) or list(package_uris),
            "pythonModule": pool.python_module if pool.package_uris else module,
            **shared,
        }
        return {"pythonPackageSpec": _without_empty(spec)}
    command = container_command(package_uris, module) if pool.runs_package else list(pool.command)
    spec = {"imageUri": pool.container_uri, "command": command, **shared}
    return {"containerSpec": _without_empty(spec)}


def _without_empty(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if value not in ("", [])}
