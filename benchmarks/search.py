"""The quality and the cost of search engines: ours and its peers.

    python benchmarks/search.py --functions branin hart6 --engines ours random tpe --seeds 10

Simple regret is the best true value seen minus the known optimum. Every seed moves the optimum, so
that an engine does not gain by starting at the centre; ``--fixed`` keeps its published place. In
the noisy functions an engine sees noise, and its regret is that of the point that looked best. A
run has 50 trials one at a time, or 100 in batches of 10.

Each run is appended to ``--results`` and never repeated, so a campaign can be interrupted, and
another Python can run some of the engines; ``search_results.jsonl`` has the runs of
``docs/search.md``. The engines take turns. ``search_table.py`` makes the table and its statistics.
"""

import argparse
import importlib.util
import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from search_engines import ENGINES, Engine
from search_functions import FUNCTIONS, Problem
from search_table import Cost, page

#: Trials of a run by the size of its batches.
TRIALS = {1: 50, 10: 100}
#: An engine that takes seconds per suggestion.
_SLOW = {"vizier": 3}


@dataclass(frozen=True)
class Course:
    """One run.

    Attributes:
        regret: True regret of the best point after the last trial.
        milliseconds: CPU time per trial, ask and tell, on average.
        last_milliseconds: The same for the last batch.
    """

    engine: str
    function: str
    batch: int
    seed: int
    regret: float
    milliseconds: float
    last_milliseconds: float


def run(engine: Engine, problem: Problem, batch: int, seed: int) -> tuple[float, list[float]]:
    """Run an engine on a function; return its regret and each batch's milliseconds per trial."""
    noise = np.random.default_rng(100 + seed)
    seen: list[float] = []
    true: list[float] = []
    spent: list[float] = []
    while len(true) < TRIALS[batch]:
        started = time.process_time()
        asked = engine.ask(batch)
        suggested = time.process_time() - started
        values = [problem.value(assignment) for assignment in asked]
        losses = [value + problem.noise * noise.normal() for value in values]
        started = time.process_time()
        engine.tell(losses)
        spent.append(1e3 * (suggested + time.process_time() - started) / batch)
        true += values
        seen += losses
    return true[int(np.argmin(seen))] - problem.optimum, spent


def course(name: str, function: str, batch: int, seed: int, fixed: bool) -> Course:
    """Build the engine and the function, and run."""
    problem = FUNCTIONS[function](np.random.default_rng(seed), not fixed)
    regret, spent = run(ENGINES[name][1](problem.space, seed), problem, batch, seed)
    return Course(name, function, batch, seed, regret, float(np.mean(spent)), spent[-1])


def installed(names: list[str]) -> list[str]:
    """Return the engines that can be imported, and print the others."""
    there = []
    for name in names:
        if importlib.util.find_spec(ENGINES[name][0]) is None:
            print(f"{name}: left out, {ENGINES[name][0]} is not installed", file=sys.stderr)
        else:
            there.append(name)
    return there


def read(results: Path) -> list[Course]:
    """Return the runs done so far."""
    if not results.exists():
        return []
    return [Course(**json.loads(line)) for line in results.read_text().splitlines()]


def main() -> None:
    """Do the missing runs, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--functions", nargs="+", choices=FUNCTIONS, default=list(FUNCTIONS))
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--batches", nargs="+", type=int, choices=TRIALS, default=list(TRIALS))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--fixed", action="store_true", help="optima where they are published")
    parser.add_argument("--results", type=Path, help="file of runs, added to; none by default")
    parser.add_argument("--cost", type=Path, help="file of rows written by search_cost.py")
    parser.add_argument("--write", type=Path, help="write the page here, too")
    options = parser.parse_args()
    courses = read(options.results) if options.results else []
    done = {(one.engine, one.function, one.batch, one.seed) for one in courses}
    names = installed(options.engines)
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        for function in options.functions:
            for batch in options.batches:
                for name in names:
                    if (name, function, batch, seed) in done or seed >= _SLOW.get(name, seed + 1):
                        continue
                    if name == "vizier" and function == "conditional":
                        continue  # it takes flat spaces only
                    one = course(name, function, batch, seed, options.fixed)
                    courses.append(one)
                    if options.results:
                        with options.results.open("a") as file:
                            print(json.dumps(asdict(one)), file=file)
    rows = options.cost.read_text().splitlines() if options.cost else []
    text = page(courses, [Cost(**json.loads(row)) for row in rows])
    print(text)
    if options.write:
        options.write.write_text(text)


if __name__ == "__main__":
    main()
