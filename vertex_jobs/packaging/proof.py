"""The proof that a package works: unpacked into an empty folder, its module answers ``--help``.

It finds mistakes that otherwise show only in the cloud: a sibling that does not travel, a dropped
folder, a library that is not declared but happens to lie beside the script or to be installed here.
It proves nothing about versions: libraries come from the current interpreter, and those that
neither the image nor the requirements bring are hidden.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from vertex_jobs.packaging.brought_modules import not_brought
from vertex_jobs.packaging.clean_environments import clean_environment
from vertex_jobs.packaging.distribution import Package
from vertex_jobs.packaging.unpacking import unpack

#: Python's own hook, run before the program.
_HIDE = """\
import sys

NAMES = frozenset({names!r})


class Hidden:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in NAMES:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Hidden)
"""


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


def hidden_modules(package: Package, image: Iterable[str]) -> frozenset[str]:
    """Return the modules that are installed here and would not be beside the package.

    ``image`` are the requirements that its image satisfies.
    """
    wheels = (wheel.file_name.partition("-")[0] for wheel in package.wheels)
    own = {file.path.partition("/")[0].removesuffix(".py") for file in package.files}
    return not_brought((*image, *package.requirements, *wheels)) - own


def verify(
    path: Path,
    wheels: Sequence[Path] = (),
    *,
    hidden: Iterable[str] = (),
    interpreter: str = sys.executable,
    timeout_seconds: float = 120,
) -> Proof:
    """Unpack a package and run its module with ``--help`` in a clean environment.

    ``path`` is the archive that ``write`` wrote; ``wheels`` are private ones that a job installs
    before it and that are unpacked here. ``hidden`` are modules that it does not find, installed or
    not. The timeout is for a script that does not know ``--help`` and would train instead.

    Raises:
        PackagingError: If the file is not such an archive.
    """
    with tempfile.TemporaryDirectory(prefix="vertex-jobs-proof-") as scratch:
        search_path = [str(one) for one in unpack([path, *wheels], Path(scratch, "unpacked"))]
        module_name = path.name.rpartition("-")[0]
        empty = Path(scratch, "empty")
        empty.mkdir()
        starter = Path(scratch, "starter")
        starter.mkdir()
        names = sorted(hidden)
        (starter / "sitecustomize.py").write_text(_HIDE.format(names=names), encoding="utf-8")
        search_path = [*search_path, str(starter)]
        environment = clean_environment(empty) | {"PYTHONPATH": os.pathsep.join(search_path)}
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
