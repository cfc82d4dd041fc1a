"""The proof that a package works: pip installs it into an empty environment, as the service does.

There its module answers ``--help``. That finds mistakes that otherwise show only in the cloud: a
sibling that does not travel, a dropped folder, a library that is not declared but happens to lie
beside the script or to be installed here. It proves nothing about versions: the libraries that the
image and the requirements bring are this interpreter's own, and no others of its are seen.
"""

import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging.brought_modules import INSTALLERS, brought_by
from vertex_jobs.packaging.clean_environments import clean_environment
from vertex_jobs.packaging.distribution import Package
from vertex_jobs.packaging.library_links import link_libraries
from vertex_jobs.packaging.unpacking import unpack

#: The package's own archive and wheels alone, by the setuptools that stand here.
_INSTALL = (
    *("-m", "pip", "install", "--no-index", "--no-deps", "--no-build-isolation", "--use-pep517"),
    *("--ignore-installed", "--no-user", "--no-cache-dir", "--no-compile", "--quiet"),
    *("--no-warn-script-location", "--disable-pip-version-check", "--no-input", "--no-color"),
    *("--root-user-action", "ignore"),
)


@dataclass(frozen=True)
class Proof:
    """The result of running the package's module with ``--help``.

    The exit code is None when it did not end in time; the output is stdout and stderr together.
    """

    module_name: str
    exit_code: int | None
    output: str

    @property
    def passed(self) -> bool:
        """True when the module started and printed its help."""
        return self.exit_code == 0


def seen_libraries(package: Package, image: Iterable[str]) -> frozenset[str]:
    """Return the distributions that would stand beside a package, as pip compares their names.

    ``image`` are the requirements that its image satisfies.
    """
    wheels = (wheel.file_name.partition("-")[0] for wheel in package.wheels)
    return brought_by((*image, *package.requirements, *wheels)).names | INSTALLERS


def verify(
    path: Path,
    wheels: Sequence[Path] = (),
    *,
    libraries: frozenset[str] | None = None,
    timeout_seconds: float = 120,
) -> Proof:
    """Install a package into an empty environment and run its module there with ``--help``.

    ``path`` is the archive that ``write`` wrote; ``wheels`` are private ones that a job installs
    before it. ``libraries`` are the distributions of this interpreter that stand in the environment
    as well, all for None. The timeout is for a script that does not know ``--help`` and would train
    instead.

    Raises:
        PackagingError: If the file is not such an archive, or pip refuses it.
    """
    with tempfile.TemporaryDirectory(prefix="vertex-jobs-proof-") as scratch:
        unpack([path], Path(scratch, "unpacked"))  # refuses what is no package of ours, in words
        interpreter = _make_environment(Path(scratch), [*wheels, path], libraries)
        module_name = path.name.rpartition("-")[0]
        environment = clean_environment(_make_folder(scratch, "empty"))
        try:
            done = _run([interpreter, "-m", module_name, "--help"], environment, timeout_seconds)
        except subprocess.TimeoutExpired as error:
            return Proof(module_name, None, (error.output or b"").decode(errors="replace"))
        return Proof(module_name, done.returncode, done.stdout.decode(errors="replace"))


def _make_environment(
    scratch: Path, archives: Sequence[Path], libraries: frozenset[str] | None
) -> str:
    """Make a virtual environment with the libraries and the archives; return its interpreter."""
    prefix = scratch / "environment"
    venv.EnvBuilder(with_pip=False, symlinks=True).create(prefix)
    command = [sys.executable, *_INSTALL, "--prefix", str(prefix)]
    command += [str(archive.resolve()) for archive in archives]
    environment = clean_environment(_make_folder(scratch, "building"))
    done = _run(command, environment | {"PIP_CONFIG_FILE": os.devnull}, None)
    if done.returncode:
        raise PackagingError(
            f"pip does not install {archives[-1].name}; its last words:\n"
            f"{done.stdout.decode(errors='replace').strip()}"
        )
    link_libraries(scratch / "libraries", libraries)
    site_packages = sysconfig.get_path("purelib", "venv", {"base": str(prefix)})
    hook = f"import site; site.addsitedir({str(scratch / 'libraries')!r})\n"
    Path(site_packages, "libraries.pth").write_text(hook, encoding="utf-8")
    return str(prefix / "bin" / "python")


def _make_folder(scratch: str | Path, name: str) -> Path:
    folder = Path(scratch, name)
    folder.mkdir()
    return folder


def _run(
    command: Sequence[str], environment: dict[str, str], timeout_seconds: float | None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command,
        cwd=environment["HOME"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=timeout_seconds,
        check=False,
    )
