"""The command lines of ``docker`` and ``podman``, which run the image itself where one answers.

A container is one foreground ``run`` under the launcher: its output, its signals and its exit code
pass through the engine's own client. The only command run here asks whether the engine answers.
"""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

#: The server answers no request meanwhile.
_ANSWER_SECONDS = 5.0
#: Where a package job's archives lie in its container.
PACKAGES_FOLDER = "/var/vertex-jobs/packages"
#: As the service installs packages. Source: log of a real job, February 2026.
_INSTALL_AND_RUN = (
    'for package in {folder}/*; do pip3 install --user --no-deps "$package" && '
    'pip3 install --user "$package" || exit 1; done; exec python3 -m "$0" "$@"'
)


@dataclass(frozen=True)
class Container:
    """One replica as a container.

    Attributes:
        name: Unique on this machine.
        command: Replaces the image's entry point; empty for the image's own.
        arguments: Replace the image's default arguments; empty for the image's own.
        variables: Names of those that pass from the engine's client into the container.
        mounts: Folder or file here, to the place there.
        devices: GPUs.
    """

    image: str
    name: str
    command: Sequence[str] = ()
    arguments: Sequence[str] = ()
    variables: Sequence[str] = ()
    mounts: Mapping[str, str] = field(default_factory=dict)
    devices: Sequence[str] = ()


def package_command(module: str) -> tuple[str, ...]:
    """Return the command that installs the archives of a package job and runs its module."""
    return ("sh", "-c", _INSTALL_AND_RUN.format(folder=PACKAGES_FOLDER), module)


def run_command(engine: str, container: Container) -> tuple[str, ...]:
    """Return the engine's command line for a container.

    With a command the image's default arguments are ignored, as on the service. Source:
    "Configure container settings for training".
    """
    words = [engine, "run", "--rm", "--init", "--network", "host", "--name", container.name]
    for name in container.variables:
        words += ["--env", name]  # without a value: it never stands in a process list
    for here, there in container.mounts.items():
        words += ["--volume", f"{here}:{there}"]
    if container.devices:
        listed = ",".join(container.devices)
        words += (
            ["--gpus", f'"device={listed}"']
            if engine == "docker"
            else [f"--device=nvidia.com/gpu={device}" for device in container.devices]
        )
    if container.command:
        words += ["--entrypoint", container.command[0]]
    return (*words, container.image, *container.command[1:], *container.arguments)


def remove_command(engine: str, name: str) -> tuple[str, ...]:
    """Return the command that ends a container whose client was killed."""
    return (engine, "rm", "--force", name)


def why_no_engine(engine: str) -> str:
    """Return why an engine does not answer, with the remedy; empty if it does."""
    program = shutil.which(engine)
    if program is None:
        return f"{engine} is not installed here; install it, or use environment: isolated"
    try:
        asked = subprocess.run(
            [program, "info"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=_ANSWER_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{program} does not answer ({error}); use environment: isolated"
    if asked.returncode == 0:
        return ""
    said = asked.stderr.strip().splitlines()
    reason = said[-1] if said else f"exit code {asked.returncode}"
    return f"{program} has no engine ({reason}); start one, or use environment: isolated"
