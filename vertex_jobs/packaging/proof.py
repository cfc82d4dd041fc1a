"""The proof that a package works: unpacked into an empty folder, its module answers ``--help``.

It finds mistakes that otherwise show only in the cloud: a sibling that does not travel, a dropped
folder, a library that is not declared but happens to lie beside the script. It proves nothing about
versions: libraries come from the current interpreter.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vertex_jobs.packaging.clean_environments import clean_environment
from vertex_jobs.packaging.unpacking import unpack


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


def verify(
    path: Path,
    wheels: Sequence[Path] = (),
    *,
    interpreter: str = sys.executable,
    timeout_seconds: float = 120,
) -> Proof:
    """Unpack a package and run its module with ``--help`` in a clean environment.

    ``path`` is the archive that ``write`` wrote; ``wheels`` are private ones that a job installs
    before it and that are unpacked here. The timeout is for a script that does not know ``--help``
    and would train instead.

    Raises:
        PackagingError: If the file is not such an archive.
    """
    with tempfile.TemporaryDirectory(prefix="vertex-jobs-proof-") as scratch:
        search_path = [str(one) for one in unpack([path, *wheels], Path(scratch, "unpacked"))]
        module_name = path.name.rpartition("-")[0]
        empty = Path(scratch, "empty")
        empty.mkdir()
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
