"""A package's archive installed by pip into a folder of its own, beside the current environment.

The archive may hold code that its build runs, so pip runs as a replica does. Its requirements are
not installed. A build that finds what it needs in the current environment has no use for the
network; another one gets an environment of its own, as pip makes it, from the user's index.
"""

import ast
import configparser
import contextlib
import importlib.metadata
import os
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from vertex_jobs.emulator.environments.tool_runs import Run, Say, ToolRun, run_tool

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: Of a project that names none. Source: PEP 518.
_DEFAULT_BUILD_REQUIREMENTS = ("setuptools",)
_FLAGS = (
    *("--no-deps", "--ignore-installed", "--no-user", "--use-pep517", "--no-warn-script-location"),
    *("--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--no-color"),
    *("--root-user-action", "ignore"),
)
#: Settings that would make pip install elsewhere.
_ELSEWHERE = ("PIP_PREFIX", "PIP_ROOT", "PIP_TARGET", "PIP_USER")


@dataclass(frozen=True)
class PackageInstaller:
    """Runs pip of the current environment.

    Attributes:
        surroundings: Makes the variables of a replica that belong to no job.
        environ: The user's configuration of pip, for builds that need an index.
    """

    run: Run
    surroundings: Callable[[], Mapping[str, str]]
    environ: Mapping[str, str]

    async def install(
        self, archive: Path, prefix: Path, visible: Sequence[Path], absent: Sequence[str], say: Say
    ) -> ToolRun:
        """Install an archive below the prefix.

        Its build sees the ``visible`` folders of packages that were installed before. ``absent`` is
        what it needs and is not installed here.
        """
        alone = ("--no-index", "--no-cache-dir", "--no-build-isolation") if not absent else ()
        command = (sys.executable, "-m", "pip", "install", *_FLAGS, *alone)
        command += ("--prefix", str(prefix), str(archive))
        return await run_tool(self.run, command, self._variables(prefix, visible, absent), say)

    def _variables(
        self, prefix: Path, visible: Sequence[Path], absent: Sequence[str]
    ) -> dict[str, str]:
        of_pip = {name: text for name, text in self.environ.items() if name.startswith("PIP_")}
        for name in _ELSEWHERE:
            of_pip.pop(name, None)
        found = {**self.surroundings(), "TMPDIR": str(prefix.parent)}
        found |= of_pip if absent else {"PIP_CONFIG_FILE": os.devnull}
        if visible:
            found["PYTHONPATH"] = os.pathsep.join(map(str, visible))
        return found


def site_folders(prefix: Path) -> tuple[Path, ...]:
    """Return where modules lie below a prefix that pip installs into."""
    return tuple(dict.fromkeys(_folder(prefix, name) for name in ("purelib", "platlib")))


def programs_folder(prefix: Path) -> Path:
    """Return where console scripts lie below a prefix that pip installs into."""
    return _folder(prefix, "scripts")


def _folder(prefix: Path, name: str) -> Path:
    base = {"base": str(prefix), "platbase": str(prefix)}
    return Path(sysconfig.get_path(name, sysconfig.get_preferred_scheme("prefix"), base))


def absent_build_requirements(project: Path) -> list[str]:
    """Return what the build of an unpacked project needs and is not installed here.

    What cannot be read is for pip to refuse.
    """
    wanted: list[str] = []
    for read in (_declared, _setup_requires):
        with contextlib.suppress(OSError, ValueError, SyntaxError, configparser.Error):
            wanted += read(project)
    return [text for text in wanted if not _is_met(text)]


def _declared(project: Path) -> Iterable[str]:
    pyproject = project / "pyproject.toml"
    if not pyproject.is_file():
        return _DEFAULT_BUILD_REQUIREMENTS
    table = tomllib.loads(pyproject.read_text(encoding="utf-8")).get("build-system", {})
    requires = table.get("requires", _DEFAULT_BUILD_REQUIREMENTS)
    return [text for text in requires if isinstance(text, str)]


def _setup_requires(project: Path) -> list[str]:
    """Return what setuptools wants before it builds, as far as it is written out."""
    found: list[str] = []
    setup, config = project / "setup.py", project / "setup.cfg"
    if setup.is_file():
        for node in ast.walk(ast.parse(setup.read_bytes())):
            if isinstance(node, ast.keyword) and node.arg == "setup_requires":
                value = ast.literal_eval(node.value)
                found += value.splitlines() if isinstance(value, str) else list(value)
    if config.is_file():
        parser = configparser.RawConfigParser()
        parser.read_string(config.read_text(encoding="utf-8"))
        listed = parser.get("options", "setup_requires", fallback="")
        found += listed.replace(";", "\n").splitlines()
    return [text.strip() for text in found if text.strip()]


def _is_met(requirement: str) -> bool:
    try:
        wanted = Requirement(requirement)
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            return True
        version = importlib.metadata.version(wanted.name)
    except (InvalidRequirement, importlib.metadata.PackageNotFoundError):
        return False
    return wanted.specifier.contains(version, prereleases=True)
