"""A drill: a worker of ``multiworker_fit.py`` is lost at a random step, five times.

    python benchmarks/lost_worker.py --kills 5 --epochs 20

First the job runs undisturbed, which also shows when its steps happen. Then, for each kill, it runs
again and loses its worker's machine at a random instant within training. Each run must succeed with
the same number of epochs and the same final loss. The drill stops at the first that does not.
"""

import argparse
import os
import random
import re
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import yaml

from vertex_jobs import local
from vertex_jobs.client import JobHandle
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.spec import from_mapping

CONFIG = Path(__file__).parents[1] / "configs" / "multiworker_fit.yaml"
WORKER = "workerpool1-0"
#: Floats are printed with six digits; a resumed run repeats the same additions in the same order.
TOLERANCE = 2e-6


@dataclass(frozen=True)
class Outcome:
    """The result of a run.

    Attributes:
        epochs: Finished epochs.
        loss: Loss on the held-back digits.
        window: First and last instant of training, in seconds after the worker's start.
        resumed: The epochs after which training was resumed.
    """

    epochs: int
    loss: float
    window: tuple[float, float]
    resumed: tuple[int, ...]


def run(endpoint: Endpoint, epochs: int, kill_after: float | None = None) -> JobHandle:
    """Run a job to its end; the fault is in seconds after the worker's start."""
    form = {**yaml.safe_load(CONFIG.read_text()), "args": {"epochs": epochs}}
    if kill_after is not None:
        fault = {"replica": WORKER, "fault": "kill", "after": f"{kill_after:.2f}s"}
        form["local"] = {"faults": [fault]}
    handle = endpoint.submit(
        from_mapping(form, source=CONFIG.name, base_directory=CONFIG.parents[1])
    )
    handle.result(timeout=600)
    return handle


def outcome(handle: JobHandle) -> Outcome:
    """Read it from the job's log."""
    entries = [(datetime.fromisoformat(entry.time), entry) for entry in handle.logs()]
    ((epochs, loss),) = [
        found.groups()
        for _, entry in entries
        if (found := re.match(r"2 replicas, (\d+) epochs: loss ([\d.]+),", entry.text))
    ]
    started = min(time for time, entry in entries if entry.text.startswith("Running command"))
    trained = [time for time, entry in entries if re.match(r"Epoch \d+/|\d+/\d+ - ", entry.text)]
    resumed = {
        int(found[1])
        for _, entry in entries
        if (found := re.match(r"going on after epoch (\d+)", entry.text))
    }
    window = ((trained[0] - started).total_seconds(), (trained[-1] - started).total_seconds())
    return Outcome(int(epochs), float(loss), window, tuple(sorted(resumed)))


def drill(endpoint: Endpoint, kills: int, epochs: int, source: random.Random) -> None:
    """Run the job undisturbed, then with each fault."""
    run(endpoint, 1)  # so that all later runs find TensorFlow warm
    whole = outcome(run(endpoint, epochs))
    first, last = whole.window
    print(f"undisturbed: {epochs} epochs from {first:.1f} s to {last:.1f} s, loss {whole.loss}")
    for number in range(1, kills + 1):
        instant, began = source.uniform(first, last), time.monotonic()
        handle = run(endpoint, epochs, instant)
        seen = outcome(handle)
        kinds = [one["kind"] for one in endpoint.server.incidents(handle.name)]
        assert kinds.count("restart") == 1, f"killed after {instant:.1f} s: {kinds}"
        assert (seen.epochs, handle.state) == (epochs, "JOB_STATE_SUCCEEDED")
        assert abs(seen.loss - whole.loss) <= TOLERANCE, (seen.loss, whole.loss)
        print(
            f"kill {number}: after {instant:.1f} s, went on after epoch {seen.resumed or 0}, "
            f"{seen.epochs} epochs, loss {seen.loss}, {time.monotonic() - began:.0f} s",
            flush=True,
        )


def main() -> None:
    """Run the drill."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=5, help="workers lost (default 5)")
    parser.add_argument("--epochs", type=int, default=20, help="of each run (default 20)")
    parser.add_argument("--seed", type=int, default=0, help="of the instants (default 0)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, local(state_dir=folder) as endpoint:
        endpoint.server.hold(os.getpid())
        drill(endpoint, options.kills, options.epochs, random.Random(options.seed))
        endpoint.server.stop()


if __name__ == "__main__":
    main()
