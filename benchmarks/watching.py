"""Claims about waiting: the delay of a log line, and of a trial's end, at a local watcher.

A script prints the time; a follower of its log notes when each line arrives. A watcher of a study
of 100 trials notes when it sees each one ended, against the end that the service has recorded.
"""

import statistics
import tempfile
import time
from datetime import datetime
from pathlib import Path

from measuring import Claim, at_most
from noop_study import random_study

from vertex_jobs import CustomTrainingJob, local
from vertex_jobs.endpoints import Endpoint

__all__ = ["measure"]

#: A delay that a person does not notice.
_AT_ONCE_SECONDS = 0.05
_LINES, _TRIALS = 40, 100
_PRINTER = f"""\
import time

for _ in range({_LINES}):
    print(f"said {{time.time()}}", flush=True)
    time.sleep(0.05)
"""
_TRIAL = """\
import json, os, sys, time

time.sleep(0.1)
os.makedirs(os.path.dirname(os.environ["CLOUD_ML_HP_METRIC_FILE"]), exist_ok=True)
line = {"timestamp": 0.0, "trial": "0", "score": sys.argv[-1][4:], "global_step": "1"}
with open(os.environ["CLOUD_ML_HP_METRIC_FILE"], "w") as file:
    print(json.dumps(line), file=file)
"""


def _lines(endpoint: Endpoint, script: Path) -> float:
    """Return the median seconds from the print of a line to its arrival."""
    job = endpoint.submit(CustomTrainingJob(display_name="lines", script_path=str(script)))
    waits = [
        time.time() - float(entry.text.split()[1])
        for entry in job.logs(follow=True)
        if entry.text.startswith("said ")
    ]
    assert len(waits) == _LINES
    return statistics.median(waits)


def _ends(endpoint: Endpoint, script: Path) -> float:
    """Return the median seconds from a trial's recorded end until a watcher sees it."""
    waits: dict[str, float] = {}
    for snapshot in endpoint.submit(random_study(script, _TRIALS), check=False).watch():
        now = time.time()
        for trial in snapshot.resource.get("trials", ()):
            if "endTime" in trial and trial["id"] not in waits:
                ended = datetime.fromisoformat(trial["endTime"][:26].rstrip("Z") + "+00:00")
                waits[trial["id"]] = now - ended.timestamp()
    assert len(waits) == _TRIALS
    return statistics.median(waits.values())


def measure(rounds: int) -> list[Claim]:
    """Measure lines and ends, in units of the unnoticed delay."""
    lines, ends = [], []
    with tempfile.TemporaryDirectory() as folder:
        printer, trial = Path(folder, "printer.py"), Path(folder, "trial.py")
        printer.write_text(_PRINTER)
        trial.write_text(_TRIAL)
        endpoint = local(state_dir=Path(folder) / "state")
        for _ in range(rounds):
            lines.append(_lines(endpoint, printer) / _AT_ONCE_SECONDS)
            ends.append(_ends(endpoint, trial) / _AT_ONCE_SECONDS)
        endpoint.server.stop()
    return [
        at_most("A log line's way to a local follower, median, in units of 50 ms", lines, 1),
        at_most(
            f"A trial's end until a watcher of {_TRIALS} trials sees it, median, in units of 50 ms",
            ends,
            1,
        ),
    ]
