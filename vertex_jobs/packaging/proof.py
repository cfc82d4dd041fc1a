"""The proof that a package works: unpacked into an empty folder, its module answers ``--help``.

That shows what fails only in the cloud otherwise: a sibling that did not travel, a folder that
was dropped, a library that is not declared but happens to lie beside the script. It proves
nothing about versions: libraries come from the interpreter at hand.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vertex_jobs.errors import PackagingError

__all__ = ["Proof", "verify"]

#: Of the caller's environment only these pass: what Python and its libraries need to start.
_PASSED_VARIABLES = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "TMPDIR")


@dataclass(frozen=True)
class Proof:
    """What the package's module did when asked for its help.

    Attributes:
        module_name: The module that ran.
        exit_code: Its exit status; None when it did not end in time.
        output: stdout and stderr together.
    """

    module_name: str
    exit_code: int | None
    output: str

    @property
    def passed(self) -> bool:
        """Whether the module started and printed its help."""
        return self.exit_code == 0


def verify(
    path: Path,
    wheels: Sequence[Path] = (),
    *,
    interpreter: str = sys.executable,
    timeout_seconds: float = 120,
) -> Proof:
    """Unpack a package and run its module with ``--help`` in a clean environment.

    Args:
        path: The archive that ``package`` wrote.
        wheels: Private wheels that are installed before it; here they are unpacked.
        interpreter: The Python to prove it with.
        timeout_seconds: For a script that does not know ``--help`` and would train instead.

    Raises:
        PackagingError: If the file is not such an archive.
    """
    with tempfile.TemporaryDirectory(prefix="vertex-jobs-proof-") as scratch:
        unpacked = _unpack(path, Path(scratch, "unpacked"))
        search_path = [str(unpacked), *(_unpack_wheel(one, Path(scratch)) for one in wheels)]
        module_name = path.name.rpartition("-")[0]
        empty = Path(scratch, "empty")
        empty.mkdir()
        environment = {
            name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ
        } | {"PYTHONPATH": os.pathsep.join(search_path), "HOME": str(empty)}
        try:
            # -s leaves out the user's own site-packages, which no container has.
            done = subprocess.run(
                [interpreter, "-s", "-m", module_name, "--help"],
                cwd=empty,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=timeout_seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            return Proof(module_name, None, (error.output or b"").decode(errors="replace"))
        return Proof(module_name, done.returncode, done.stdout.decode(errors="replace"))


def _unpack(path: Path, directory: Path) -> Path:
    """Unpack and return the folder that holds the top-level package."""
    try:
        with tarfile.open(path) as archive:
            for member in archive.getmembers():
                content = archive.extractfile(member)
                target = directory / member.name
                if content is None or not target.resolve().is_relative_to(directory.resolve()):
                    raise PackagingError(f"{path}: {member.name} does not belong in a package")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content.read())
    except (OSError, tarfile.TarError) as error:
        raise PackagingError(
            f"{path}: it is not a source distribution; build it with `vertex-jobs package`"
        ) from error
    return directory / path.name.removesuffix(".tar.gz")


def _unpack_wheel(path: Path, scratch: Path) -> str:
    directory = scratch / path.stem
    try:
        with zipfile.ZipFile(path) as wheel:
            wheel.extractall(directory)
    except (OSError, zipfile.BadZipFile) as error:
        raise PackagingError(f"{path}: it is not a wheel ({error}); build it again") from error
    return str(directory)
