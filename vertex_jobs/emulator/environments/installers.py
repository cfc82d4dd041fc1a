"""The command lines of ``uv`` and of ``venv`` with ``pip``, and the choice between them.

Nothing is run here. Indexes, certificates and proxies are the user's own configuration, which both
tools read by themselves; no address passes through this project.
"""

import importlib.util
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: Variables after PIP_ and UV_ that say where packages come from.
_PIP_SOURCES = (
    *("CERT", "CLIENT_CERT", "CONFIG_FILE", "CONSTRAINT", "EXTRA_INDEX_URL", "FIND_LINKS"),
    *("INDEX_URL", "NO_INDEX", "PROXY", "TRUSTED_HOST"),
)
_UV_SOURCES = (
    *("CONFIG_FILE", "CONSTRAINT", "DEFAULT_INDEX", "EXTRA_INDEX_URL", "FIND_LINKS", "INDEX"),
    *("INDEX_URL", "INSECURE_HOST", "NO_INDEX", "OFFLINE"),
)
#: Source: pip's and uv's documentation, configuration files, on Unix.
_PIP_FILES = ((".config/pip/pip.conf", ".pip/pip.conf"), ("etc/pip.conf", "etc/xdg/pip/pip.conf"))
_UV_FILES = ((".config/uv/uv.toml",), ("etc/uv/uv.toml",))


@dataclass(frozen=True)
class Installer:
    """One way to make environments: ``uv``, called by that command, or ``pip``."""

    name: str
    uv: tuple[str, ...] = ()

    def create(self, python: str, folder: Path) -> tuple[str, ...]:
        """Return the command that makes an empty environment in the folder."""
        if self.uv:
            return (*self.uv, "venv", "--quiet", "--no-project", "--python", python, str(folder))
        return (python, "-m", "venv", str(folder))

    def install(self, python: str, *arguments: str) -> tuple[str, ...]:
        """Return the command that installs into the environment of that interpreter."""
        if self.uv:
            return (*self.uv, "pip", "install", "--no-progress", "--python", python, *arguments)
        quiet = ("--disable-pip-version-check", "--no-input", "--progress-bar", "off")
        return (python, "-m", "pip", "install", *quiet, *arguments)


def find_installer(environ: Mapping[str, str], root: Path = Path("/")) -> Installer:
    """Return ``uv`` if there is one and it knows the package index that the user gave pip.

    The machine's own configuration files lie below ``root``.
    """
    home = Path(environ.get("HOME", "/nonexistent"))
    knows_pip = _configured(environ, "PIP_", _PIP_SOURCES) or _exists(_PIP_FILES, home, root)
    knows_uv = _configured(environ, "UV_", _UV_SOURCES) or _exists(_UV_FILES, home, root)
    if knows_pip and not knows_uv:
        return Installer("pip")
    found = shutil.which("uv", path=environ.get("PATH"))
    if found is not None:
        return Installer("uv", (found,))
    if importlib.util.find_spec("uv") is not None:
        return Installer("uv", (sys.executable, "-m", "uv"))
    return Installer("pip")


def _configured(environ: Mapping[str, str], prefix: str, names: tuple[str, ...]) -> bool:
    """Return whether a variable tells a tool where packages come from."""
    return any(f"{prefix}{name}" in environ for name in names)


def _exists(files: tuple[tuple[str, ...], tuple[str, ...]], home: Path, root: Path) -> bool:
    """Return whether the user or the machine has one of these configuration files."""
    of_user, of_machine = files
    paths = [*(home / name for name in of_user), *(root / name for name in of_machine)]
    return any(path.is_file() for path in paths)
