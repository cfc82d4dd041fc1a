"""A client that is killed at a line of its own code; run as a program, once for many lines.

    python crashing_client.py STATE_DIR DIRECTORY SCRIPT STRIDE [PLACE]

The submission is carried out again and again, each time in a forked process with a journal of its
own, ``DIRECTORY/N``, which SIGKILL ends before the N-th line of the client's code. N starts at 1
and grows by STRIDE until a submission gets through; the last N is printed. With a PLACE, the first
place refuses each for want of quota, and the submission falls back to that one.
"""

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from google.auth.credentials import AnonymousCredentials

# Imported before the first fork, so that a killed process has not spent its time on that.
from google.auth.transport import requests as _requests  # noqa: F401
from google.cloud import storage as _storage  # noqa: F401
from google.cloud.aiplatform_v1.services.job_service import JobServiceClient as _Jobs  # noqa: F401

from vertex_jobs import client as client_package
from vertex_jobs import packaging, requests  # noqa: F401
from vertex_jobs.client import Client, Connection
from vertex_jobs.emulator.joining import join
from vertex_jobs.headers import OPTIONS_HEADER
from vertex_jobs.requests import Place
from vertex_jobs.spec import CustomJob

CLIENT_CODE = str(Path(client_package.__file__).parent)


def job(directory: Path, script: Path, *places: str) -> CustomJob:
    """The job of one killed client."""
    return CustomJob(
        display_name="crash-elsewhere" if places else "crash",
        script_path=str(script),
        container_uri="docker.io/tensorflow/tensorflow:2.21.0",
        machine_type="n1-standard-4",
        labels={"crash": directory.name},
        fallback=[{"location": place} for place in places],
    )


def submit(api_endpoint: str, directory: Path, script: Path, *places: str) -> None:
    """What ``run --once --detach`` does, without a command line."""
    place = Place("local-project", "us-central1", "gs://local-staging")
    connection = Connection(
        place, api_endpoint, AnonymousCredentials(), directory, storage_endpoint=api_endpoint
    )
    headers = {OPTIONS_HEADER: '{"pace": "stepped"}'}
    with Client(connection) as client:
        client.submit(job(directory, script, *places), headers=headers, once=True)


def die_before(line: int) -> Any:
    """A tracer that kills this process before that line of the client's code."""
    seen = 0

    def of_line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal seen
        if event == "line":
            seen += 1
            if seen == line:
                os.kill(os.getpid(), signal.SIGKILL)
        return of_line

    def of_call(frame: FrameType, event: str, argument: Any) -> Any:
        return of_line if frame.f_code.co_filename.startswith(CLIENT_CODE) else None

    return of_call


def main(state_directory: Path, directory: Path, script: Path, stride: int, *places: str) -> None:
    """Kill one client after the other."""
    server = join(state_directory)
    line = 1
    while True:
        if places:
            server.clear_faults()
            server.inject([{"call": "JobService.CreateCustomJob", "fault": 429}])
        child = os.fork()
        if not child:
            sys.settrace(die_before(line))
            submit(server.record.url, directory / str(line), script, *places)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            print(line)
            sys.exit(os.WEXITSTATUS(status))
        line += stride


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:])
