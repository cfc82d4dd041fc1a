"""The program of a worker pool: a Python module of packages, or a command that a person mapped.

A container's command is never run on this machine as it stands: the SDK itself sends
``pip install --upgrade pip && pip3 install --user /gcs/… && python3 -m …``. That command is
understood and carried out as the package job that it is; any other needs an entry under
``images:`` that says which environment and command stand for the image, or an engine that runs
the image itself.
"""

import re
import shlex
import shutil
from dataclasses import dataclass

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.spec.local import Environment, LocalImage, LocalSettings

#: Environments that are a container engine.
ENGINES: tuple[Environment, ...] = ("docker", "podman")

_INSTALL = re.compile(
    r"(?:[A-Z_]+=\w+ )?(?:pip3?|python3? -m pip) install (?P<words>[^&;|]*?)\s*(?P<packages>"
    r"/gcs/\S+(?:\s+/gcs/\S+)*)"
)


class NoProgramError(UnsupportedHereError):
    """A container that nothing on this machine stands for; the message says what can."""


@dataclass(frozen=True)
class PoolTask:
    """One pool's program.

    Attributes:
        module: Run as ``python -m module``; empty when there is a command or an engine runs the
            image.
        takes_trial_arguments: Whether what a tuning job appends reaches the program. The service
            appends to the container's arguments, which the SDK's own ``sh -c`` command never
            looks at.
        command: Run instead of a module; in an engine it replaces the image's entry point, and
            when it is empty the image's own runs.
        requirements: What an isolated environment holds beside the packages' own requirements.
    """

    image: str
    package_uris: tuple[str, ...]
    module: str
    arguments: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    takes_trial_arguments: bool = True
    place: Environment = "current"
    command: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()


def pool_tasks(spec: protos.Message, local: LocalSettings) -> dict[int, PoolTask]:
    """Return the programs of a CustomJobSpec's used pools by number.

    Raises:
        NoProgramError, ApiError: As ``pool_task``.
    """
    return {
        number: pool_task(pool, f"worker_pool_specs[{number}]", local)
        for number, pool in enumerate(spec.worker_pool_specs)
        if pool.WhichOneof("task") is not None
    }


def pool_task(pool: protos.Message, path: str, local: LocalSettings) -> PoolTask:
    """Return the program of a pool, a WorkerPoolSpec whose task is set.

    ``path`` says where it stands in the request, for the message.

    Raises:
        NoProgramError: If it is a container whose command is not understood and whose image is not
            mapped.
        ApiError: INVALID_ARGUMENT, if the mapping does not fit.
    """
    spec = getattr(pool, pool.WhichOneof("task"))
    variables = tuple((variable.name, variable.value) for variable in spec.env)
    if pool.WhichOneof("task") == "python_package_spec":
        image = spec.executor_image_uri
        mapping = local.images.get(image, LocalImage(environment=local.environment))
        if mapping.command:
            raise ApiError(
                "INVALID_ARGUMENT",
                f"images: {image}: the job runs a Python package, for which no command can stand; "
                "leave command out.",
            )
        return PoolTask(
            image,
            tuple(spec.package_uris),
            spec.python_module,
            tuple(spec.args),
            variables,
            place=mapping.environment,
            requirements=tuple(mapping.requirements),
        )
    image = spec.image_uri
    mapped = local.images.get(image)
    place = mapped.environment if mapped else local.environment
    requirements = tuple(mapped.requirements) if mapped else ()
    if place in ENGINES or (mapped and mapped.command):
        command = tuple(mapped.command) if mapped and mapped.command else tuple(spec.command)
        return PoolTask(
            image,
            (),
            "",
            tuple(spec.args),
            variables,
            place=place,
            command=command,
            requirements=requirements,
        )
    understood = _package_command([*spec.command], [*spec.args])
    if understood is None:
        raise _not_understood(spec, path)
    packages, module, arguments, takes_more = understood
    return PoolTask(
        image,
        tuple(package.replace("/gcs/", "gs://", 1) for package in packages),
        module,
        arguments,
        variables,
        takes_more,
        place,
        requirements=requirements,
    )


def _not_understood(spec: protos.Message, path: str) -> NoProgramError:
    """Return the error of a container, with each way in which it can run."""
    engines = [engine for engine in ENGINES if shutil.which(engine)]
    here = f"; or {' or '.join(engines)}, which is here and runs the image" if engines else ""
    return NoProgramError(
        f"{path}.container_spec: nothing on this machine stands for the image {spec.image_uri} "
        f"(command: {shlex.join([*spec.command, *spec.args]) or 'its own'}). Say in the config "
        "what does; the job's args are appended to the command:\n"
        "local:\n"
        "  images:\n"
        f"    {spec.image_uri}:\n"
        f"      environment: current      # or isolated, with requirements: [...]{here}\n"
        "      command: [python, /path/to/train.py]\n"
        "Or submit a script or a Python package, or submit to Vertex AI."
    )


def _package_command(
    command: list[str], arguments: list[str]
) -> tuple[list[str], str, tuple[str, ...], bool] | None:
    """Return what ``sh -c "pip install … && python3 -m …"`` runs; None for anything else.

    Packages, module, arguments, and whether the container's further arguments reach the module.
    """
    if len(command) < 3 or command[0] not in ("sh", "bash", "/bin/sh") or command[1] != "-c":
        return None
    *setup, run = [step.strip() for step in command[2].split("&&")]
    installs = [match["packages"] for step in setup if (match := _INSTALL.fullmatch(step))]
    upgrades = {"pip install --upgrade pip"}
    if len(installs) != 1 or any(
        not _INSTALL.fullmatch(step) and step not in upgrades for step in setup
    ):
        return None
    try:
        packages, tokens = shlex.split(installs[0]), shlex.split(run)
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
    return packages, module, tuple(rest), takes_more
