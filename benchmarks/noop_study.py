"""Claims about the cost of a trial that does nothing, through the whole API path.

The peer is a bare loop that starts the same script as a fresh process, two at a time: the code that
a user would write instead. It records and checks nothing, and does not survive a crash.
"""

import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from pathlib import Path

from measuring import Claim, alternate, at_least, at_most, seconds_of

from vertex_jobs import DoubleParameterSpec, HyperparameterTuningJob, local

__all__ = ["measure", "random_study"]

_PARALLEL = 2
_TRIALS = 300
_LONG = 2000
_SCRIPT = """\
import json, os, sys, time

print("first line", flush=True)
if sys.argv[1].startswith("--mark="):
    open(sys.argv[1].partition("=")[2], "a").write(f"{time.time()}\\n")
value = float(sys.argv[-1].partition("=")[2])
path = os.environ.get("CLOUD_ML_HP_METRIC_FILE", os.devnull)
os.makedirs(os.path.dirname(path), exist_ok=True)
line = {"timestamp": 0.0, "trial": "0", "score": str(value), "global_step": "1"}
with open(path, "w") as file:
    print(json.dumps(line), file=file)
"""
_SDK = "the SDK's import"


def random_study(
    script: Path, trials: int, parallel: int = _PARALLEL, **args: float
) -> HyperparameterTuningJob:
    """Return a study of one number by random search; its script may take arguments.

    Submit it unchecked: the script reads its command line by hand, to cost nothing.
    """
    return HyperparameterTuningJob(
        display_name="noop",
        script_path=str(script),
        args=args,
        metric_spec={"score": "maximize"},
        parameter_spec={"x": DoubleParameterSpec(min=0, max=1)},
        search_algorithm="random",
        max_trial_count=trials,
        parallel_trial_count=parallel,
    )


def _bare_loop(script: Path) -> float:
    command = [sys.executable, str(script), "--x=0.5"]
    started = time.perf_counter()
    with ThreadPoolExecutor(_PARALLEL) as pool:
        list(
            pool.map(
                lambda _: subprocess.run(command, check=True, capture_output=True), range(_TRIALS)
            )
        )
    return time.perf_counter() - started


def _through_the_api(script: Path, state: Path) -> float:
    endpoint = local(state_dir=state)
    started = time.perf_counter()
    study = endpoint.submit(random_study(script, _TRIALS), check=False, seed=0).result(timeout=600)
    taken = time.perf_counter() - started
    assert sum(trial.state == "SUCCEEDED" for trial in study.trials) == _TRIALS
    return taken


def _to_the_first_line(config: Path) -> float:
    """Measure from the command to the first trial's first line, with nothing running before."""
    with tempfile.TemporaryDirectory() as folder:
        mark, state = Path(folder) / "mark", Path(folder) / "state"
        command = [str(Path(sys.executable).with_name("vertex-jobs")), "run", str(config)]
        started = time.time()
        seconds_of([*command, "--state-dir", str(state), "--set", f"args.mark={mark}"])
        taken = float(mark.read_text().split()[0]) - started
        _stop(state)
    return taken


def _stop(state: Path) -> None:
    server = local(state_dir=state).server
    server.stop()


def _memory_mib(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+)", status)
    assert found is not None
    return int(found[1]) / 1024


def _long_study(script: Path, state: Path) -> tuple[float, float]:
    """Return the last trials' time relative to the first ones', and the server's peak in MiB."""
    endpoint = local(state_dir=state)
    study = endpoint.submit(random_study(script, _LONG), check=False, seed=0).result(timeout=1800)
    ends = sorted(datetime.fromisoformat(trial.end_time[:19]) for trial in study.trials)
    tenth = _LONG // 10
    first, last = ends[tenth] - ends[0], ends[-1] - ends[-1 - tenth]
    return last / first, _memory_mib(endpoint.server.record.pid)


def measure(rounds: int) -> list[Claim]:
    """Measure throughput, the first line, and the cost of a long study at its end."""
    with tempfile.TemporaryDirectory() as folder:
        script, state = Path(folder) / "noop.py", Path(folder) / "state"
        script.write_text(_SCRIPT)
        config = Path(folder) / "noop.yaml"
        config.write_text(
            "kind: hyperparameter_tuning_job\ndisplay_name: noop\nscript_path: noop.py\n"
            "metric_spec: {score: maximize}\n"
            "parameter_spec: {x: {type: double, min: 0, max: 1, scale: linear}}\n"
            "search_algorithm: random\nmax_trial_count: 2\nparallel_trial_count: 2\n"
        )
        throughput = alternate(
            {"bare": partial(_bare_loop, script), "ours": partial(_through_the_api, script, state)},
            rounds,
        )
        first_line = alternate(
            {
                _SDK: partial(seconds_of, [sys.executable, "-c", "import google.cloud.aiplatform"]),
                "first line": partial(_to_the_first_line, config),
            },
            rounds,
        )
        growth, memory = _long_study(script, state)
        _stop(state)
    return [
        at_least(
            f"{_TRIALS} no-op trials, two at a time, per second, against a bare subprocess loop",
            throughput.ratios("bare", "ours"),
            0.85,
        ),
        at_most(
            "From `vertex-jobs run`, nothing running, to the first trial's first line, against "
            "`import google.cloud.aiplatform`",
            first_line.ratios("first line", _SDK),
            1.0,
        ),
        at_most(f"{_LONG} no-op trials: the last tenth's time against the first's", [growth], 2.0),
        at_most(
            f"{_LONG} no-op trials: the server's peak memory in units of 250 MB",
            [memory * 2**20 / 250e6],
            1.0,
        ),
    ]
