"""Execute the sliced cells of one notebook against a Local Vertex of its own, and write a record.

The record has each cell's error and the end of its output, and each job that exists at the end:
its state, its error, the end of its log.
"""

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import traceback
import urllib.error
import urllib.parse
import urllib.request
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from notebook_blanks import BUCKET, PROJECT, REGION
from notebook_data import PUBLIC_OBJECTS

from vertex_jobs.endpoints import Endpoint
from vertex_jobs.testing import google_clients, local_vertex

_LOG_LINES = 12
_ERROR_CHARACTERS = 2500
_COLLECTIONS = ("customJobs", "hyperparameterTuningJobs", "trainingPipelines", "studies")
#: A cell that only prepares may take this long: clients of absent services try again for minutes.
_PREPARING_SECONDS = 90
#: pip without its own program, for which another stands.
_PIP = re.compile(r"\S*python[\d.]*\s+-m\s+pip\b")
_AGAIN_SECONDS = 5.0
_FIRST_JOB_SECONDS = 20.0
#: A line that may say why a program failed.
_TELLING = re.compile(
    r"^(?!E\d{4} )(?:[\w.]*(?:Error|Exception|Exit|Interrupt)\b|.*(?:rror:|refused|cannot))"
)
_LIVE = ("QUEUED", "PENDING", "RUNNING", "CANCELLING")
_PLACE = re.compile(r"[a-z]+-[a-z]+\d")


class _TimeUpError(BaseException):
    """The notebook's time is over; no cell may catch it."""


def main(
    plan_path: Path, record_path: Path, folder: Path, output: Path, environment: dict[str, str]
) -> None:
    """Execute the plan in a folder and write the record; the rest goes to ``output``."""
    os.setsid()
    os.environ.update(environment)
    os.chdir(folder)
    with output.open("wb") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    plan = json.loads(plan_path.read_text())
    record: dict[str, Any] = {"cells": [], "jobs": [], "time_up": False}
    with (
        local_vertex(Path(plan["state"])) as endpoint,
        google_clients(endpoint),
    ):
        _fill_storage(endpoint)
        signal.signal(signal.SIGALRM, _time_up)
        end = time.monotonic() + plan["seconds"]
        names: dict[str, Any] = {}
        try:
            names = _execute(plan, endpoint, record, end)
            _allow(end - time.monotonic())
            _wait(endpoint, names)
        except _TimeUpError:
            record["time_up"] = True
        finally:
            _allow(0)
        record["jobs"] = [_job(endpoint, job) for job in _jobs(endpoint, names)]
        record_path.write_text(json.dumps(record))


def _time_up(*_: object) -> None:
    raise _TimeUpError


def _allow(seconds: float) -> None:
    """End what runs after that many seconds; 0 for never.

    It is tried again and again, for an exception in a callback may go unheard.
    """
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.0), _AGAIN_SECONDS)


def _execute(
    plan: dict[str, Any], endpoint: Endpoint, record: dict[str, Any], end: float
) -> dict[str, Any]:
    shell = InteractiveShell.instance(colors="NoColor")
    # What Google's own tests of its notebooks set, as the name of IS_TESTING says.
    # Cells that sign in or restart the kernel are left out, with what they import.
    shell.user_ns |= {"PROJECT_ID": PROJECT, "os": os, "sys": sys}
    shell.enable_gui = lambda gui=None: None  # of %matplotlib
    shell.register_magic_function(lambda line: _system(shell, f"pip {line}"), "line", "pip")
    shell.system = lambda command: _system(shell, command)
    images = Path(os.environ["NOTEBOOK_IMAGES"])
    for index, source in plan["cells"]:
        submits = index in plan["submitting"]
        left = end - time.monotonic()
        _allow(max(left if submits else min(left, _PREPARING_SECONDS), 0.1))
        error, output = _run_cell(shell, source)
        record["cells"].append(
            {"cell": index, "submits": submits, "error": error, "output": output}
        )
        if time.monotonic() >= end:
            raise _TimeUpError
        if images.exists():
            endpoint.server.hold(os.getpid(), settings={"images": _images(images)})
    return dict(shell.user_ns)


def _run_cell(shell: Any, source: str) -> tuple[str, str]:
    """Execute one cell; return its error, empty when it has none, and the end of its output."""
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(output):
        try:
            result = shell.run_cell(source, store_history=False)
            error = result.error_before_exec or result.error_in_exec
        except BaseException as ended:  # the time, or an end of the interpreter
            error = ended
    text = "".join(traceback.format_exception_only(error)).strip() if error else ""
    return text[:_ERROR_CHARACTERS], output.getvalue()[-_ERROR_CHARACTERS:]


def _system(shell: Any, command: str) -> None:
    """Run a shell line of a cell; its output belongs to the cell's."""
    text = _PIP.sub("pip", shell.var_expand(command, depth=2))
    done = subprocess.run(
        ["/bin/bash", "-c", text],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    print(done.stdout)
    shell.user_ns["_exit_code"] = done.returncode


def _images(record: Path) -> dict[str, Any]:
    """Return what stands for the images that the notebook has built, as a config's local.images."""
    return {
        name: {"command": [_starter(image)]}
        for name, image in json.loads(record.read_text()).items()
    }


def _starter(image: dict[str, Any]) -> str:
    """Write the program that stands for an image's entry point; return its path."""
    folder = shlex.quote(image["folder"])
    variables = [
        f"export {name}={shlex.quote(value)}" for name, value in image["variables"].items()
    ]
    lines = ["#!/bin/sh", f"cd {folder}", *variables, f'exec {shlex.join(image["command"])} "$@"']
    path = Path(image["starter"])
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o755)
    return str(path)


def _wait(endpoint: Endpoint, names: dict[str, Any]) -> None:
    """Wait until all jobs have ended; the SDK creates some in a thread of its own."""
    first = time.monotonic() + _FIRST_JOB_SECONDS
    while True:
        jobs = _jobs(endpoint, names)
        if not any(job.get("state", "").endswith(_LIVE) for job in jobs) and (
            jobs or time.monotonic() > first
        ):
            return
        time.sleep(0.5)


def _fill_storage(endpoint: Endpoint) -> None:
    """Make the reader's bucket, and Google's public ones with what stands in for their files."""
    objects = PUBLIC_OBJECTS.items()
    # Courses name the reader's bucket after the project.
    for bucket in sorted({BUCKET, PROJECT, *(bucket for (bucket, _), _ in objects)}):
        body = json.dumps({"name": bucket, "location": REGION})
        _send(endpoint, f"storage/v1/b?project={PROJECT}", body)
    for (bucket, name), content in objects:
        query = urllib.parse.urlencode({"uploadType": "media", "name": name})
        _send(endpoint, f"upload/storage/v1/b/{bucket}/o?{query}", content)


def _send(endpoint: Endpoint, path: str, body: str) -> None:
    headers = {"Content-Type": "application/json", "Authorization": "Bearer reader"}
    url = f"{endpoint.server.record.url}/{path}"
    urllib.request.urlopen(urllib.request.Request(url, body.encode(), headers)).close()


def _jobs(endpoint: Endpoint, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the resources of all jobs and studies, wherever the notebook may have put them."""
    texts = {name: value for name, value in names.items() if isinstance(value, str) and value}
    projects = {PROJECT} | {v for k, v in texts.items() if "project" in k.lower() and "/" not in v}
    places = {REGION} | {value for value in texts.values() if _PLACE.fullmatch(value)}
    found = []
    for project in sorted(projects):
        for place in sorted(places):
            for collection in _COLLECTIONS:
                parent = f"projects/{project}/locations/{place}"
                url = f"{endpoint.server.record.url}/v1beta1/{parent}/{collection}"
                with suppress(urllib.error.URLError, ValueError):
                    answer = json.load(urllib.request.urlopen(url))
                    found += answer.get(collection, [])
    return list({job["name"]: job for job in found}.values())


def _job(endpoint: Endpoint, job: dict[str, Any]) -> dict[str, Any]:
    name = job["name"]
    log: list[str] = []
    if job.get("state", "").endswith("FAILED") and "/studies/" not in name:
        with suppress(Exception):
            lines = [entry.text for entry in endpoint.job(name).logs()]
            log = ([line for line in lines if _TELLING.search(line)] or lines)[-_LOG_LINES:]
    return {
        "kind": name.split("/")[-2],
        "state": job.get("state", ""),
        "error": job.get("error", {}).get("message", ""),
        "trials": [trial.get("state", "") for trial in job.get("trials", [])],
        "log": log,
    }
