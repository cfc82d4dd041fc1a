"""Claims about real trials: 40 trainings of the digits classifier, two at a time.

Peers: fresh ``python`` processes; Ray Tune, whose workers are not reused; submitit's local
executor; and an Optuna loop inside one process that has imported TensorFlow once. Each contender
runs in a process of its own and does the same work with one TensorFlow thread per trial.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from pathlib import Path

from digits_task import ARGUMENTS, SCRIPT, THREADS, learning_rate, train
from measuring import ROOT, Claim, alternate, at_least, at_most

__all__ = ["measure"]

_PARALLEL = 2
_TRIALS = 40
#: Slow peers run fewer trials; their time per trial is what counts.
_FEW = 8
#: Trials after which the warm parent's import is behind us.
_STEADY_AFTER = 4


def ours(trials: int) -> tuple[float, float]:
    """Seconds per trial, end to end and in steady state."""
    from vertex_jobs import DoubleParameterSpec, HyperparameterTuningJob, local

    job = HyperparameterTuningJob(
        display_name="digits",
        script_path=str(SCRIPT),
        args=ARGUMENTS,
        metric_spec={"accuracy": "maximize"},
        parameter_spec={"learning_rate": DoubleParameterSpec(min=1e-4, max=1e-1, scale="log")},
        search_algorithm="random",
        max_trial_count=trials,
        parallel_trial_count=_PARALLEL,
    )
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        endpoint = local(state_dir=Path(folder) / "state")
        study = endpoint.submit(job, seed=0).result(timeout=600)
        taken = time.perf_counter() - started
        assert endpoint.server is not None
        endpoint.server.stop()
    ends = sorted(datetime.fromisoformat(one.end_time[:26].rstrip("Z")) for one in study.trials)
    steady = (ends[-1] - ends[_STEADY_AFTER - 1]).total_seconds() / (trials - _STEADY_AFTER)
    return taken / trials, steady


def fresh(trials: int) -> None:
    """A loop over subprocesses."""

    def run(number: int) -> None:
        words = {**ARGUMENTS, "learning_rate": learning_rate(number)}
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, str(SCRIPT), f"--output_dir={folder}"]
            command += [f"--{name}={value}" for name, value in words.items()]
            subprocess.run(command, check=True, capture_output=True)

    with ThreadPoolExecutor(_PARALLEL) as pool:
        list(pool.map(run, range(trials)))


def ray_tune(trials: int) -> None:
    """Ray Tune with a fresh worker per trial, its default for functions."""
    import ray
    from ray import tune

    ray.init(num_cpus=_PARALLEL, include_dashboard=False, log_to_driver=False)
    tune.Tuner(
        lambda config: train(config["learning_rate"]),
        param_space={"learning_rate": tune.loguniform(1e-4, 1e-1)},
        tune_config=tune.TuneConfig(
            num_samples=trials, max_concurrent_trials=_PARALLEL, reuse_actors=False
        ),
    ).fit()
    ray.shutdown()


def submitit_local(trials: int) -> None:
    """Submitit's local executor, two jobs at a time."""
    import submitit

    with tempfile.TemporaryDirectory() as folder:
        executor = submitit.LocalExecutor(folder)
        executor.update_parameters(timeout_min=10)

        def run(number: int) -> None:
            executor.submit(train, learning_rate(number)).result()

        with ThreadPoolExecutor(_PARALLEL) as pool:
            list(pool.map(run, range(trials)))


def optuna_loop(jobs: int, trials: int) -> None:
    """Optuna's own loop, TensorFlow imported once, the trials in one process."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial: optuna.Trial) -> float:
        train(trial.suggest_float("learning_rate", 1e-4, 1e-1, log=True))
        return 0.0

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=trials, n_jobs=jobs)


_CONTENDERS: dict[str, Callable[[int], object]] = {
    "ours": ours,
    "fresh": fresh,
    "ray": ray_tune,
    "submitit": submitit_local,
    "optuna 1": partial(optuna_loop, 1),
    "optuna 2": partial(optuna_loop, 2),
}


def _seconds_per_trial(name: str, trials: int, steady: list[float]) -> float:
    """Run a contender in a process of its own."""
    environment = {**os.environ, **THREADS, "PYTHONPATH": str(ROOT / "benchmarks")}
    command = [sys.executable, __file__, name, str(trials)]
    started = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    taken = (time.perf_counter() - started) / trials
    if done.returncode:
        sys.stderr.write(done.stderr)
        done.check_returncode()
    if name == "ours":
        taken, in_steady_state = (float(word) for word in done.stdout.split()[-2:])
        steady.append(in_steady_state)
    return taken


def measure(rounds: int) -> list[Claim]:
    """All contenders, seconds per trial."""
    steady: list[float] = []
    few = ("ray", "submitit", "fresh")
    seen = alternate(
        {
            name: partial(_seconds_per_trial, name, _FEW if name in few else _TRIALS, steady)
            for name in _CONTENDERS
        },
        rounds,
    )
    both = seen.seconds["optuna 1"], seen.seconds["optuna 2"]
    inside = [min(pair) for pair in zip(*both, strict=True)]
    times_faster = {
        name: [theirs / mine for theirs, mine in zip(seen.seconds[name], steady, strict=True)]
        for name in few
    }
    subject = f"Digits trials of {ARGUMENTS['epochs']} epochs, two at a time, one thread each: "
    return [
        at_least(
            subject + "steady trials per second, times fresh processes", times_faster["fresh"], 5
        ),
        at_least(
            subject + f"{_TRIALS} trials end to end, times fresh processes",
            seen.ratios("fresh", "ours"),
            1,
        ),
        at_least(subject + "times Ray Tune", times_faster["ray"], 5),
        at_least(subject + "times submitit", times_faster["submitit"], 5),
        at_most(
            subject + f"time of {_TRIALS} against an Optuna loop in one process, imports included",
            [mine / theirs for mine, theirs in zip(seen.seconds["ours"], inside, strict=True)],
            1.15,
        ),
    ]


def main() -> None:
    """Be one contender, for `measure`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("contender", choices=_CONTENDERS)
    parser.add_argument("trials", type=int)
    options = parser.parse_args()
    found = _CONTENDERS[options.contender](options.trials)
    if isinstance(found, tuple):
        print(*found)


if __name__ == "__main__":
    main()
