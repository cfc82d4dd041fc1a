"""A replica's place in its job, which outlives the process that runs there."""

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path

from vertex_jobs.emulator.launcher.launched_replica import Replica
from vertex_jobs.emulator.launcher.launcher_values import Exit, ReplicaSpec


@dataclass(eq=False)
class Worker:
    """One replica.

    Attributes:
        exit: Done when that has ended.
        handled: Whether its end was handled and nothing follows from it.
        machine_lost: Whether its machine is being taken away.
        out_of_memory: Whether its end is to count as memory that ran out.
        silent: Whether it was stopped, and no longer hears a signal but SIGKILL.
    """

    spec: ReplicaSpec
    replica: Replica
    exit: "asyncio.Task[Exit]"
    handled: bool = False
    machine_lost: bool = False
    out_of_memory: bool = False
    silent: bool = False


def empty_disk(spec: ReplicaSpec) -> None:
    """Remove everything that the replica wrote into its working directory, which stays."""
    for path in Path(spec.working_directory).iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
