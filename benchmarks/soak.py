"""A long campaign against Local Vertex: kills at random instants, many jobs at once, long studies.

    python benchmarks/soak.py --rounds 10

Each round kills the server five times, at random instants, inside a study of 40 trials and checks
that every trial counts once. Then 200 jobs are submitted from 4 threads, and a study of 1,000
no-op trials runs. It prints the server's memory on the way and stops at the first fault.
"""

import argparse
import os
import random
import signal
import tempfile
import threading
import time
from pathlib import Path

from noop_study import random_study

from vertex_jobs import CustomJob, local
from vertex_jobs.endpoints import Endpoint

SCRIPT = """
import argparse, time
import hypertune

parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float, default=0)
parser.add_argument("--sleep", type=float, default=0)
options = parser.parse_args()
time.sleep(options.sleep)
hypertune.HyperTune().report_hyperparameter_tuning_metric("score", options.x, 1)
"""
JOBS = 200


def server_pid(endpoint: Endpoint) -> int:
    """Return the process id of the endpoint's server."""
    return endpoint.server.record.pid


def memory_mib(endpoint: Endpoint) -> int:
    """Return the server's resident memory."""
    status = Path(f"/proc/{server_pid(endpoint)}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) // 1024


def kill_round(script: Path, state: Path, source: random.Random) -> None:
    """Run one study under five kills."""
    endpoint = local(state_dir=state)
    name = endpoint.submit(
        random_study(script, 40, 4, sleep=0.15), check=False, seed=source.randrange(1000)
    ).name
    for _ in range(5):
        time.sleep(source.uniform(0.05, 0.6))
        os.kill(server_pid(endpoint), signal.SIGKILL)
        os.waitpid(server_pid(endpoint), 0)
        endpoint = local(state_dir=state)
        endpoint.server.resume()
    study = endpoint.job(name).result(timeout=300)
    counted = [
        (trial.id, trial.metrics["score"] == trial.parameters["x"]) for trial in study.trials
    ]
    assert counted == [(str(number), True) for number in range(1, 41)], counted
    endpoint.server.stop()


def many_jobs(endpoint: Endpoint, script: Path) -> None:
    """Submit jobs from four threads and check that each succeeds."""
    job, handles = CustomJob(display_name="small", script_path=str(script)), []

    def submit() -> None:
        handles.extend(endpoint.submit(job, check=False) for _ in range(JOBS // 4))

    started = time.monotonic()
    threads = [threading.Thread(target=submit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for handle in handles:
        handle.result(timeout=300)
    assert len({handle.name for handle in handles}) == JOBS
    print(f"{JOBS} jobs in {time.monotonic() - started:.1f} s, server {memory_mib(endpoint)} MiB")


def long_study(endpoint: Endpoint, script: Path) -> None:
    """Run a thousand no-op trials."""
    before, started = memory_mib(endpoint), time.monotonic()
    study = endpoint.submit(random_study(script, 1000), check=False, seed=0).result(timeout=600)
    assert sum(trial.state == "SUCCEEDED" for trial in study.trials) == 1000
    rate = 1000 / (time.monotonic() - started)
    print(f"1,000 trials at {rate:.0f} per second, server {before} -> {memory_mib(endpoint)} MiB")


def main() -> None:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10, help="rounds of kills (default 10)")
    parser.add_argument("--seed", type=int, default=0, help="of the instants (default 0)")
    options = parser.parse_args()
    source = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "score.py"
        script.write_text(SCRIPT)
        for number in range(1, options.rounds + 1):
            kill_round(script, Path(folder) / f"state-{number}", source)
            print(f"round {number}: 40 trials through 5 kills, none lost, none twice", flush=True)
        endpoint = local(state_dir=Path(folder) / "state")
        many_jobs(endpoint, script)
        long_study(endpoint, script)
        endpoint.server.stop()


if __name__ == "__main__":
    main()
