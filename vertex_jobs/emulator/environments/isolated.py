"""Isolated environments: built from a job's packages and requirements, kept by their content.

Two layers, so that an edited script does not install TensorFlow again: the packages themselves,
installed by pip as the service installs them but without their requirements, in a folder for
``sys.path``; and below them an environment of their own with the requirements that the installed
packages declare. Nothing of the current environment is seen in either.
"""

import asyncio
import hashlib
import importlib.metadata
import json
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from vertex_jobs.emulator.environments.installers import Installer
from vertex_jobs.emulator.environments.tool_runs import Run, Say, run_tool
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.packaging import hash_file

_READY = "ready.json"


@dataclass(frozen=True)
class Recipe:
    """The ingredients of an isolated environment.

    Attributes:
        python: The interpreter to build it from.
        archives: The job's packages, each under its own file name.
        base: The requirements that the container image brings; a package's own requirement of
            the same distribution replaces one, as pip would in the image.
    """

    python: str
    archives: tuple[Path, ...] = ()
    base: tuple[str, ...] = ()


@dataclass(frozen=True)
class IsolatedEnvironment:
    """An environment that is ready.

    Attributes:
        folder: Of the virtual environment.
        packages: Of the installed packages, for ``sys.path``; None when there are none.
    """

    folder: Path
    packages: Path | None

    @property
    def python(self) -> str:
        """The interpreter."""
        return str(self.folder / "bin" / "python")


class IsolatedEnvironments:
    """The environments under one folder."""

    def __init__(
        self, folder: Path, installer: Installer, environ: Mapping[str, str], run: Run
    ) -> None:
        """Build below the folder, which is created with the first environment.

        ``environ`` holds the user's configuration of pip and uv.
        """
        self._folder = folder
        self._installer = installer
        # Variables that would make pip install elsewhere, or bring in the current environment.
        hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX", "PIP_USER")
        self._environ = {name: text for name, text in environ.items() if name not in hidden}
        self._environ["NO_COLOR"] = "1"
        self._run = run
        self._locks: dict[Path, asyncio.Lock] = {}

    async def get(self, recipe: Recipe, say: Say) -> IsolatedEnvironment:
        """Return the environment of that recipe; the first call builds it and says how it goes.

        Raises:
            UnsupportedHereError: If something cannot be installed; with the tool's last lines.
        """
        packages = await self._packages(recipe, say) if recipe.archives else None
        requirements = merged(recipe.base, _declared(packages) if packages else [])
        key = _digest(recipe.python, self._installer.name, *requirements)
        folder = self._folder / f"requirements-{key}"

        async def build() -> None:
            await self._do(self._installer.create(recipe.python, folder), say)
            if requirements:
                python = str(folder / "bin" / "python")
                await self._do(self._installer.install(python, *requirements), say)

        content = {"python": recipe.python, "requirements": requirements}
        await self._once(folder, build, content, say)
        return IsolatedEnvironment(folder, packages)

    async def _packages(self, recipe: Recipe, say: Say) -> Path:
        contents = await asyncio.to_thread(lambda: list(map(_content_hash, recipe.archives)))
        folder = self._folder / f"packages-{_digest(recipe.python, *contents)}"

        async def build() -> None:
            python = str(await self._tool(recipe.python, say) / "bin" / "python")
            for archive in recipe.archives:
                say(f"Installing the package: {archive.name}")
            target = ("--no-deps", "--target", str(folder))
            archives = map(str, recipe.archives)
            await self._do(self._installer.install(python, *target, *archives), say)

        content = {"archives": [path.name for path in recipe.archives]}
        await self._once(folder, build, content, say)
        return folder

    async def _tool(self, python: str, say: Say) -> Path:
        """Return an empty environment to install with: the given Python need not have pip."""
        folder = self._folder / f"installer-{_digest(python, self._installer.name)}"

        async def build() -> None:
            await self._do(self._installer.create(python, folder), say)

        await self._once(folder, build, {"python": python}, say)
        return folder

    async def _once(
        self,
        folder: Path,
        build: Callable[[], Awaitable[None]],
        content: Mapping[str, object],
        say: Say,
    ) -> None:
        """Build a folder unless it is ready; one that a crash left half built is rebuilt."""
        lock = self._locks.setdefault(folder, asyncio.Lock())
        if lock.locked():
            say("Waiting for the isolated environment, which another job of this server builds.")
        async with lock:
            if (folder / _READY).exists():
                return
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.mkdir(parents=True, exist_ok=True)
            try:
                await build()
                (folder / _READY).write_text(json.dumps(content), encoding="utf-8")
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise

    async def _do(self, command: Sequence[str], say: Say) -> None:
        done = await run_tool(self._run, command, self._environ, say)
        if done.code != 0:
            raise UnsupportedHereError(
                f"The isolated environment could not be built: {self._installer.name} ended with "
                f"exit code {done.code}. Correct the requirements, or use environment: current. "
                "Its last lines:\n" + "\n".join(done.last_lines)
            )


def _content_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hash_file(file)


def _declared(packages: Path) -> list[str]:
    """Return the requirements that installed packages declare, without extras and the installed."""
    found = list(importlib.metadata.distributions(path=[str(packages)]))
    brought = {canonicalize_name(distribution.name) for distribution in found}
    requirements = [text for distribution in found for text in distribution.requires or []]
    return [
        text
        for text in requirements
        if "extra ==" not in text and canonicalize_name(Requirement(text).name) not in brought
    ]


def merged(base: Sequence[str], declared: Sequence[str]) -> list[str]:
    """Return all requirements, sorted; a declared one replaces the image's."""
    named = {canonicalize_name(Requirement(text).name) for text in declared}
    kept = [text for text in base if canonicalize_name(Requirement(text).name) not in named]
    return sorted({*kept, *declared})


def _digest(*parts: str) -> str:
    total = hashlib.sha256("\n".join(parts).encode())
    return total.hexdigest()[:16]
