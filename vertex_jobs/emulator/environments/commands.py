"""An installer's commands, run under the launcher, so that none outlives the server."""

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from vertex_jobs.emulator.environments.tool_runs import Say
from vertex_jobs.emulator.launcher.launcher_client import Launcher
from vertex_jobs.emulator.launcher.launcher_values import Exit, ReplicaSpec

#: How often a command is run whose machine is lost, by the rules for replicas.
_ATTEMPTS = 3


class CommandRunner:
    """Runs one command at a time or many, each a process group of its own."""

    def __init__(self, launcher: Launcher, folder: Path) -> None:
        """Run commands in the folder, which is made when the first one is run."""
        self._launcher = launcher
        self._folder = folder

    async def __call__(self, command: Sequence[str], environ: Mapping[str, str], say: Say) -> int:
        """Run a command to its end and return its exit code, as a shell reports it.

        One that is killed, by nobody's memory running out, is run again.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        spec = ReplicaSpec(
            replica_id=os.path.basename(command[0]),
            interpreter=sys.executable,
            module="",
            arguments=(),
            search_path=(),
            environment=dict(environ),
            # Not the user's own folder: uv would take its configuration for this project's.
            working_directory=str(self._folder),
            preload=(),
            warm=False,
            command=tuple(command),
        )
        for _ in range(_ATTEMPTS):
            end = await self._run(spec, say)
            if end.signal != signal.SIGKILL or end.out_of_memory:
                break
        return end.code if end.code is not None else 128 + (end.signal or 0)

    async def _run(self, spec: ReplicaSpec, say: Say) -> Exit:
        replica = await self._launcher.launch(
            spec, lambda stream, line, time: say(line.decode("utf-8", errors="replace"))
        )
        try:
            return await replica.wait()
        except BaseException:
            replica.send_signal(signal.SIGKILL)
            raise
