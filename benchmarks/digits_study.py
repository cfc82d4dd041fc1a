"""Claims about real trials: 40 trainings of the digits classifier, two at a time.

Peers: fresh ``python`` processes; Ray Tune, whose workers are not reused; submitit's local
executor; and an Optuna loop inside one process that has imported TensorFlow once. Each contender
runs in a process of its own and does the same work with one TensorFlow thread per trial: the
script's own defaults except the epochs. Short trials show the cost of a start; long ones show how
it vanishes when training takes most of the time.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from pathlib import Path

from digits_task import SCRIPT, THREADS, learning_rate, train
from measuring import ROOT, Claim, alternate, as_measured, at_least, at_most

__all__ = ["measure"]

_PARALLEL = 2
_TRIALS = 40
_EPOCHS, _MANY_EPOCHS = 3, 30
#: Slow peers run fewer trials: only their time per trial counts.
_FEW = 8
#: Trials after which the warm parent has imported everything.
_STEADY_AFTER = 4


def ours(trials: int, epochs: int) -> float:
    """Return the seconds per trial in steady state."""
    from vertex_jobs import DoubleParameterSpec, HyperparameterTuningJob, local

    job = HyperparameterTuningJob(
        display_name="digits",
        script_path=str(SCRIPT),
        args={"epochs": epochs},
        metric_spec={"accuracy": "maximize"},
        parameter_spec={"learning_rate": DoubleParameterSpec(min=1e-4, max=1e-1, scale="log")},
        search_algorithm="random",
        max_trial_count=trials,
        parallel_trial_count=_PARALLEL,
    )
    with tempfile.TemporaryDirectory() as folder:
        endpoint = local(state_dir=Path(folder) / "state")
        study = endpoint.submit(job, seed=0).result(timeout=600)
        endpoint.server.stop()
    ends = sorted(datetime.fromisoformat(one.end_time[:26].rstrip("Z")) for one in study.trials)
    return (ends[-1] - ends[_STEADY_AFTER - 1]).total_seconds() / (trials - _STEADY_AFTER)


def fresh(trials: int, epochs: int) -> None:
    """Run the trials in a loop over subprocesses."""

    def run(number: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, str(SCRIPT), f"--output_dir={folder}", f"--epochs={epochs}"]
            command += [f"--learning_rate={learning_rate(number)}"]
            subprocess.run(command, check=True, capture_output=True)

    with ThreadPoolExecutor(_PARALLEL) as pool:
        list(pool.map(run, range(trials)))


def ray_tune(trials: int, epochs: int) -> float:
    """Return seconds per trial of Ray Tune, a fresh worker for each, without Ray's own start."""
    import ray
    from ray import tune

    ray.init(num_cpus=_PARALLEL, include_dashboard=False, log_to_driver=False)
    started = time.perf_counter()
    tune.Tuner(
        lambda config: train(config["learning_rate"], epochs),
        param_space={"learning_rate": tune.loguniform(1e-4, 1e-1)},
        tune_config=tune.TuneConfig(
            num_samples=trials, max_concurrent_trials=_PARALLEL, reuse_actors=False
        ),
    ).fit()
    taken = time.perf_counter() - started
    ray.shutdown()
    return taken / trials


def submitit_local(trials: int, epochs: int) -> None:
    """Run the trials with submitit's local executor, two jobs at a time."""
    import submitit

    with tempfile.TemporaryDirectory() as folder:
        executor = submitit.LocalExecutor(folder)
        executor.update_parameters(timeout_min=10)

        def run(number: int) -> None:
            executor.submit(train, learning_rate(number), epochs).result()

        with ThreadPoolExecutor(_PARALLEL) as pool:
            list(pool.map(run, range(trials)))


def optuna_loop(jobs: int, trials: int, epochs: int) -> None:
    """Run the trials in Optuna's own loop: one process that has imported TensorFlow once."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial: optuna.Trial) -> float:
        train(trial.suggest_float("learning_rate", 1e-4, 1e-1, log=True), epochs)
        return 0.0

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=trials, n_jobs=jobs)


_CONTENDERS: dict[str, Callable[[int, int], object]] = {
    "ours": ours,
    "fresh": fresh,
    "ray": ray_tune,
    "submitit": submitit_local,
    "optuna 1": partial(optuna_loop, 1),
    "optuna 2": partial(optuna_loop, 2),
}


def _seconds_per_trial(
    name: str, trials: int, epochs: int, steady: dict[str, list[float]] | None = None
) -> float:
    """Run a contender in a process of its own.

    Args:
        name: One of ``_CONTENDERS``.
        trials: Number of trials.
        epochs: Epochs of each trial.
        steady: Whether to take the contender's own figure, without its start.
    """
    environment = {**os.environ, **THREADS, "PYTHONPATH": str(ROOT / "benchmarks")}
    command = [sys.executable, __file__, name, str(trials), str(epochs)]
    started = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    taken = (time.perf_counter() - started) / trials
    if done.returncode:
        sys.stderr.write(done.stderr)
        done.check_returncode()
    if steady is not None:
        steady.setdefault(f"{name} {epochs}", []).append(float(done.stdout.split()[-1]))
    return taken


def measure(rounds: int) -> list[Claim]:
    """Run all contenders; return their seconds per trial."""
    steady: dict[str, list[float]] = {}
    seen = alternate(
        {
            "ours": partial(_seconds_per_trial, "ours", _TRIALS, _EPOCHS, steady),
            "fresh": partial(_seconds_per_trial, "fresh", _FEW, _EPOCHS),
            "ray": partial(_seconds_per_trial, "ray", _FEW, _EPOCHS, steady),
            "submitit": partial(_seconds_per_trial, "submitit", _FEW, _EPOCHS),
            "optuna 1": partial(_seconds_per_trial, "optuna 1", _TRIALS, _EPOCHS),
            "optuna 2": partial(_seconds_per_trial, "optuna 2", _TRIALS, _EPOCHS),
            "ours, long": partial(_seconds_per_trial, "ours", _TRIALS // 2, _MANY_EPOCHS, steady),
            "fresh, long": partial(_seconds_per_trial, "fresh", _FEW, _MANY_EPOCHS),
        },
        rounds,
    ).seconds

    def divided(theirs: Sequence[float], mine: Sequence[float]) -> list[float]:
        return [their / my for their, my in zip(theirs, mine, strict=True)]

    mine = steady[f"ours {_EPOCHS}"]
    inside = [min(pair) for pair in zip(seen["optuna 1"], seen["optuna 2"], strict=True)]
    subject = f"Digits trials of {_EPOCHS} epochs, two at a time, one thread each: "
    return [
        at_least(
            f"{subject}trials per second in steady state, times fresh processes",
            divided(seen["fresh"], mine),
            5,
        ),
        as_measured(
            f"{subject}{_TRIALS} trials from start to end, times fresh processes",
            divided(seen["fresh"], seen["ours"]),
        ),
        at_least(
            f"{subject}in steady state, times Ray Tune without its start",
            divided(steady[f"ray {_EPOCHS}"], mine),
            5,
        ),
        at_least(f"{subject}in steady state, times submitit", divided(seen["submitit"], mine), 5),
        at_most(
            f"{subject}time of {_TRIALS} from start to end against an Optuna loop in one process",
            divided(seen["ours"], inside),
            1.15,
        ),
        as_measured(
            f"Digits trials of {_MANY_EPOCHS} epochs: in steady state, times fresh processes",
            divided(seen["fresh, long"], steady[f"ours {_MANY_EPOCHS}"]),
        ),
    ]


def main() -> None:
    """Run one contender, for `measure`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("contender", choices=_CONTENDERS)
    parser.add_argument("trials", type=int)
    parser.add_argument("epochs", type=int)
    options = parser.parse_args()
    print(_CONTENDERS[options.contender](options.trials, options.epochs))


if __name__ == "__main__":
    main()
