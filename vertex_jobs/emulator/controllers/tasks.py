"""What a worker pool runs: a Python module from packages, whichever way the job says it.

A container's command is never run on this machine as it stands: the SDK itself sends
``pip install --upgrade pip && pip3 install --user /gcs/… && python3 -m …``. That command is
understood and carried out as the package job that it is; any other is refused.
"""

import re
import shlex
from dataclasses import dataclass

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.status import ApiError

__all__ = ["PoolTask", "pool_task"]

_INSTALL = re.compile(
    r"(?:[A-Z_]+=\w+ )?(?:pip3?|python3? -m pip) install (?:[^&;|]*\s)?(?P<package>/gcs/\S+)"
)


@dataclass(frozen=True)
class PoolTask:
    """One pool's program.

    Attributes:
        image: The container image that would run it.
        package_uris: ``gs://`` URIs of its packages.
        module: Run as ``python -m module``.
        arguments: The fixed arguments.
        environment: The job's own variables.
        takes_trial_arguments: Whether what a tuning job appends reaches the program. The service
            appends to the container's arguments, which the SDK's own ``sh -c`` command never
            looks at.
    """

    image: str
    package_uris: tuple[str, ...]
    module: str
    arguments: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    takes_trial_arguments: bool = True


def pool_task(pool: protos.Message, path: str) -> PoolTask:
    """The program of a pool.

    Args:
        pool: A WorkerPoolSpec whose task is set.
        path: Where it stands in the request, for the message.

    Raises:
        ApiError: UNIMPLEMENTED, if it is a container whose command is not understood.
    """
    if pool.WhichOneof("task") == "python_package_spec":
        spec = pool.python_package_spec
        return PoolTask(
            spec.executor_image_uri,
            tuple(spec.package_uris),
            spec.python_module,
            tuple(spec.args),
            tuple((variable.name, variable.value) for variable in spec.env),
        )
    spec = pool.container_spec
    understood = _package_command([*spec.command], [*spec.args])
    if understood is None:
        raise ApiError(
            "UNIMPLEMENTED",
            f"{path}.container_spec: Local Vertex does not run the command of a container "
            f"({spec.image_uri}: {shlex.join([*spec.command, *spec.args])}) on this machine; "
            "submit a script or a Python package, or submit to Vertex AI.",
        )
    package, module, arguments, takes_more = understood
    return PoolTask(
        spec.image_uri,
        (package.replace("/gcs/", "gs://", 1),),
        module,
        arguments,
        tuple((variable.name, variable.value) for variable in spec.env),
        takes_more,
    )


def _package_command(
    command: list[str], arguments: list[str]
) -> tuple[str, str, tuple[str, ...], bool] | None:
    """What ``sh -c "pip install … && python3 -m …"`` runs, or None if it is anything else.

    Package, module, arguments, and whether the container's further arguments reach the module.
    """
    if len(command) < 3 or command[0] not in ("sh", "bash", "/bin/sh") or command[1] != "-c":
        return None
    *setup, run = [step.strip() for step in command[2].split("&&")]
    packages = [match["package"] for step in setup if (match := _INSTALL.fullmatch(step))]
    upgrades = {"pip install --upgrade pip"}
    if len(packages) != 1 or any(
        not _INSTALL.fullmatch(step) and step not in upgrades for step in setup
    ):
        return None
    try:
        tokens = shlex.split(run)
    except ValueError:
        return None
    if tokens[:1] == ["exec"]:
        tokens = tokens[1:]
    if len(tokens) < 3 or tokens[0] not in ("python", "python3") or tokens[1] != "-m":
        return None
    module, rest = tokens[2], tokens[3:]
    takes_more = rest == ["$@"]
    if takes_more:
        # The command's own extra words begin with the shell's $0.
        rest = [*command[4:], *arguments]
    elif len(command) > 3 or arguments:
        return None
    return packages[0], module, tuple(rest), takes_more
