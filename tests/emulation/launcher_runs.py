"""Runs small modules through a launcher of their own, for the launcher's tests."""

import asyncio
import os
import sys
import textwrap
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from vertex_jobs.emulator.launcher.launched_replica import Replica
from vertex_jobs.emulator.launcher.launcher_client import Launcher
from vertex_jobs.emulator.launcher.launcher_values import Exit, ReplicaSpec

MODULE = "task_under_test"


@dataclass
class Run:
    """What one replica did."""

    exit: Exit
    replica: Replica
    lines: list[tuple[str, str]] = field(default_factory=list)

    def text(self, stream: str) -> str:
        return "\n".join(line for name, line in self.lines if name == stream)


def spec(folder: Path, source: str, **changes: object) -> ReplicaSpec:
    """A replica that runs ``source``; the fields of ReplicaSpec may be given otherwise."""
    module = str(changes.get("module", MODULE))
    (folder / f"{module}.py").write_text(textwrap.dedent(source))
    settings: dict[str, object] = {
        "replica_id": "workerpool0-0",
        "interpreter": sys.executable,
        "module": module,
        "arguments": (),
        "search_path": (str(folder),),
        "environment": {"PATH": os.environ["PATH"]},
        "working_directory": str(folder),
        "preload": (),
        "warm": True,
        **changes,
    }
    return ReplicaSpec(**settings)  # type: ignore[arg-type]


async def run_replica(launcher: Launcher, replica_spec: ReplicaSpec) -> Run:
    lines: list[tuple[str, str]] = []
    replica = await launcher.launch(
        replica_spec, lambda stream, line, _: lines.append((stream, line.decode()))
    )
    return Run(await replica.wait(), replica, lines)


def with_launcher(
    folder: Path, body: Callable[[Launcher], Awaitable[None]], **settings: object
) -> None:
    """Run a coroutine with a launcher that is closed afterwards."""

    async def run() -> None:
        launcher = await Launcher.start(folder, **settings)  # type: ignore[arg-type]
        try:
            await body(launcher)
        finally:
            await launcher.close()

    asyncio.run(run())


def run_module(folder: Path, source: str, *, private_root: bool = True, **changes: object) -> Run:
    """Start a launcher, run one replica to its end, close the launcher."""
    runs: list[Run] = []

    async def body(launcher: Launcher) -> None:
        runs.append(await run_replica(launcher, spec(folder, source, **changes)))

    with_launcher(folder, body, private_root=private_root)
    return runs[0]
