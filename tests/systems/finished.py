"""A config run by ``vertex-jobs run`` to its end, and what it left behind.

For the checks of the registry. The command runs as a process of its own, as a person would run it;
what it left is read through the public endpoint.
"""

import re
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from vertex_jobs.cli.details import base_output_directory
from vertex_jobs.client import JobHandle
from vertex_jobs.endpoints import Endpoint

__all__ = ["ROOT", "Finished", "run"]

ROOT = Path(__file__).parents[2]
#: The longest row takes a minute; this is for a machine that does other things as well.
PATIENCE_SECONDS = 600


@dataclass(frozen=True)
class Finished:
    """One ended ``vertex-jobs run``.

    Attributes:
        exit_code: Of the command.
        results: Its stdout.
        messages: Its stderr, which holds the job's log.
        seconds: From typing it to its end.
        endpoint: Where the job ran.
    """

    exit_code: int
    results: str
    messages: str
    seconds: float
    endpoint: Endpoint

    @cached_property
    def handle(self) -> JobHandle:
        """The job."""
        named = re.search(r"^\S+: (projects/\S+)$", self.messages, re.MULTILINE)
        assert named, f"nothing was submitted:\n{self.messages[-2000:]}"
        return self.endpoint.job(named[1])

    @property
    def resource(self) -> Any:
        """The API's JSON of the job."""
        return self.handle.last_seen.resource

    @cached_property
    def files(self) -> dict[str, str]:
        """``gs://`` URIs of what the job wrote, by path below its base output directory."""
        base = base_output_directory(self.handle.last_seen)
        found = self.endpoint.outputs().list_files(base)
        return {str(file.uri).removeprefix(base): str(file.uri) for file in found}

    def read(self, path: str) -> bytes:
        """One file that the job wrote, by its path below the base output directory."""
        return self.endpoint.outputs().read_bytes(self.files[path])

    def log(self, replica: str = "") -> str:
        """The job's log, or one replica's, e.g. ``workerpool1-0``."""
        return "\n".join(entry.text for entry in self.handle.logs(replica=replica))

    def values(self, name: str, replica: str = "") -> list[float]:
        """Every number logged as ``name: 0.97`` or ``name 0.97``, oldest first."""
        number = r"([-+]?\d[\d.]*(?:e[-+]?\d+)?)"
        found = re.findall(rf"(?<!\w){re.escape(name)}:? {number}", self.log(replica))
        return [float(text) for text in found]

    def succeeded(self) -> None:
        """Assert that the command ended with 0, and say what it said if not."""
        assert self.exit_code == 0, f"exit code {self.exit_code}:\n{self.messages[-3000:]}"


def run(endpoint: Endpoint, config: str, arguments: tuple[str, ...] = ()) -> Finished:
    """Run ``configs/<config>`` on the Local Vertex of that endpoint, and wait for its end."""
    state = str(endpoint.connection.state_directory)
    command = [sys.executable, "-m", "vertex_jobs", "run", f"configs/{config}", *arguments]
    began = time.monotonic()
    done = subprocess.run(
        [*command, "--state-dir", state],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    seconds = time.monotonic() - began
    return Finished(done.returncode, done.stdout, done.stderr, seconds, endpoint)
