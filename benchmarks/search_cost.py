"""What one suggestion costs after 100, 1,000 and 2,000 trials, and the search process's memory.

    python benchmarks/search_cost.py

The process is the one that Local Vertex runs. The trials are told to it, so that its first
suggestion fits anew; the mean is over that one and those that follow, each with its result told.
"""

import asyncio
import os
from pathlib import Path

import numpy as np
from search_functions import FUNCTIONS

from vertex_jobs.emulator.search_client import SearchClient

_SUGGESTIONS = 10
#: Milliseconds of CPU per suggestion after so many trials.
TARGETS = {100: 50.0, 1000: 150.0, 2000: None}
_MOST_MB = 120


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    peak = next(line for line in lines if line.startswith("VmHWM"))
    return int(peak.split()[1]) * 1024 / 1e6


async def _measure(trials: int) -> tuple[float, float]:
    """Milliseconds per suggestion, and megabytes at the most."""
    source = np.random.default_rng(0)
    problem = FUNCTIONS["hart6"](source, True)
    space = [{"id": f"x{i}", "kind": "double", "low": 0.0, "high": 1.0} for i in range(6)]
    search = SearchClient()
    await search.open("study", space, "gaussian_process", [False], 0)

    def done(number: int, assignment: dict[str, float]) -> dict[str, object]:
        return {
            "trial_id": number,
            "assignment": assignment,
            "objectives": [problem.value(assignment)],
        }

    points = source.random((trials, 6))
    told = [
        done(number, {f"x{i}": float(value) for i, value in enumerate(point)})
        for number, point in enumerate(points, 1)
    ]
    await search.open("other", space, "gaussian_process", [False], 0)
    await search.tell("other", told[:20])
    await search.ask("other", [21], [])  # the process has then imported what it needs
    await search.tell("study", told)
    process = search._process
    assert process is not None
    before = _cpu_seconds(process.pid)
    for number in range(trials + 1, trials + 1 + _SUGGESTIONS):
        (assignment,) = await search.ask("study", [number], [])
        await search.tell("study", [done(number, assignment)])
    spent = 1e3 * (_cpu_seconds(process.pid) - before) / _SUGGESTIONS
    peak = _peak_mb(process.pid)
    await search.close()
    return spent, peak


def main() -> None:
    """Measure and print."""
    print("| trials | CPU ms per suggestion | target | peak MB | target |")
    print("| --- | --- | --- | --- | --- |")
    for trials, limit in TARGETS.items():
        spent, peak = asyncio.run(_measure(trials))
        target = f"≤ {limit:g}" if limit else ""
        print(f"| {trials} | {spent:.0f} | {target} | {peak:.0f} | ≤ {_MOST_MB} |")


if __name__ == "__main__":
    main()
