"""The cost of one suggestion after 100, 1,000 and 2,000 trials, and the search process's memory.

    OMP_NUM_THREADS=1 python benchmarks/search_cost.py --results benchmarks/search_cost.jsonl

The process is the one that Local Vertex runs. It is told the trials, so that its first suggestion
fits the model again; the mean is over that one and the following ones, each told its result.
"""

import argparse
import asyncio
import json
import os
import time
import warnings
from dataclasses import asdict
from pathlib import Path

import numpy as np
from search_functions import FUNCTIONS
from search_table import Cost

from vertex_jobs.emulator.study_search.search_client import SearchClient

_SUGGESTIONS = 10
#: Target in CPU milliseconds per suggestion, by the number of trials.
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
    """Return milliseconds per suggestion, and the peak in megabytes."""
    source = np.random.default_rng(0)
    problem = FUNCTIONS["hart6"](source, True)
    study_spec = {
        "metrics": [{"metricId": "y", "goal": "MINIMIZE"}],
        "parameters": [
            {"parameterId": f"x{i}", "doubleValueSpec": {"minValue": 0.0, "maxValue": 1.0}}
            for i in range(6)
        ],
    }
    search = SearchClient()
    await search.open("study", study_spec, 0)

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
    await search.open("other", study_spec, 0)
    await search.tell("other", told[:20])
    await search.ask("other", [21], [])  # then the process has imported everything
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


def _gp_sampler(trials: int) -> float:
    """Return milliseconds per suggestion of Optuna's GPSampler after as many trials.

    One thread each: ``OMP_NUM_THREADS=1``, as ``make bench-search`` sets it.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")
    source = np.random.default_rng(0)
    problem = FUNCTIONS["hart6"](source, True)
    study = optuna.create_study(sampler=optuna.samplers.GPSampler(seed=0))
    space = {f"x{i}": optuna.distributions.FloatDistribution(0.0, 1.0) for i in range(6)}
    for point in source.random((trials, 6)):
        told = {f"x{i}": float(value) for i, value in enumerate(point)}
        value = problem.value(told)
        study.add_trial(optuna.create_trial(params=told, distributions=space, value=value))
    before = time.process_time()
    for _ in range(_SUGGESTIONS):
        trial = study.ask(space)
        study.tell(trial, problem.value(trial.params))
    return 1e3 * (time.process_time() - before) / _SUGGESTIONS


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--results", type=Path, help="write the rows here, for search.py")
    options = parser.parse_args()
    rows = []
    for trials, limit in TARGETS.items():
        spent, peak = asyncio.run(_measure(trials))
        theirs = _gp_sampler(trials) if limit else None
        rows.append(Cost(trials, spent, limit, theirs, peak, _MOST_MB))
        print(rows[-1])
    if options.results:
        options.results.write_text("".join(f"{json.dumps(asdict(row))}\n" for row in rows))


if __name__ == "__main__":
    main()
