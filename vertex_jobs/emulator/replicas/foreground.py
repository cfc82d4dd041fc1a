"""One replica of a job in the foreground of a terminal: its command and its environment.

For ``run --debug``. No job is created: the replica belongs to the person who started it, with a
terminal and a debugger. It is told what the service would tell the chief of a job, or of a study's
first trial; ``gs://`` is that of the running server.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.client_environment.certificates import Certificates
from vertex_jobs.emulator.client_environment.client_variables import (
    google_variables,
    plain_variables,
)
from vertex_jobs.emulator.joining import LocalServer
from vertex_jobs.emulator.launcher import postmortem
from vertex_jobs.emulator.replicas.accelerators import find_devices
from vertex_jobs.emulator.replicas.gcs_paths import mentions_gcs
from vertex_jobs.emulator.replicas.ports import Ports
from vertex_jobs.emulator.replicas.replica_environment import (
    JobEnvironment,
    Trial,
    loopback_addresses,
)
from vertex_jobs.emulator.replicas.tasks import pool_tasks
from vertex_jobs.emulator.resources import study_rules
from vertex_jobs.emulator.study_search.session import first_assignment
from vertex_jobs.job_kinds import CUSTOM_JOB, kind_of_collection
from vertex_jobs.names import ResourceName
from vertex_jobs.requests import Request
from vertex_jobs.runtime.cluster import ROLES
from vertex_jobs.spec.local import LocalSettings

#: What a terminal program needs and a replica never has.
_OF_TERMINAL = ("COLORTERM", "PYTHONBREAKPOINT", "TERM")
_CHIEF = "workerpool0-0"


@dataclass(frozen=True)
class Foreground:
    """A replica that is ready to start.

    Attributes:
        arguments: The script's own, a trial's included.
        output_directory: ``gs://…/`` that the AIP_* variables name.
        metric_file: Where a trial reports; None outside tuning.
        uses_gcs_folder: Whether it counts on ``/gcs``, which is not there.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    arguments: tuple[str, ...]
    output_directory: str
    metric_file: Path | None
    uses_gcs_folder: bool


@contextlib.contextmanager
def foreground(
    server: LocalServer,
    request: Request,
    local: LocalSettings,
    packages: list[Path],
    folder: Path,
) -> Iterator[Foreground]:
    """Prepare the chief of a job, or of a study's first trial, alone in its cluster.

    The request's placeholder is replaced and its packages are unpacked. ``folder`` is empty: it
    becomes the working directory and takes the trial's reports.
    """
    form = kind_of_collection(request.collection).job_spec(request.body)
    spec, trial = protos.from_json(form, protos.CustomJobSpec()), None
    if "studySpec" in request.body:
        assignment = _first_assignment(request.body["studySpec"], local)
        arguments = study_rules.trial_arguments(assignment)
        trial = Trial("1", arguments, folder / "hypertune", parallel=1)
        trial.metric_file(_CHIEF).parent.mkdir(parents=True)
        study_rules.set_trial_directory(spec, trial.trial_id)
    task = pool_tasks(spec, LocalSettings())[0]
    devices = find_devices(os.environ)
    count = spec.worker_pool_specs[0].machine_spec.accelerator_count
    with Ports().reserve(1) as ports:
        environment = JobEnvironment(
            name=ResourceName(
                server.record.project, server.record.location, CUSTOM_JOB.collection, "0"
            ),
            spec=spec,
            trial=trial,
            addresses=loopback_addresses({ROLES[0]: 1}, ports),
            surroundings=_surroundings(server),
            has_accelerators=bool(devices),
        )
        arguments, work = environment.arguments(task), folder / "work"
        work.mkdir()
        yield Foreground(
            command=postmortem.command(packages, work, task.module, arguments),
            environment=environment.variables(
                task, 0, 0, host_name=os.uname().nodename, place={}, devices=devices[:count]
            ),
            arguments=arguments,
            output_directory=f"{spec.base_output_directory.output_uri_prefix.rstrip('/')}/",
            metric_file=trial.metric_file(_CHIEF) if trial else None,
            uses_gcs_folder=mentions_gcs(task, packages),
        )


def _first_assignment(study_spec: Mapping[str, Any], local: LocalSettings) -> Mapping[str, Any]:
    """Return the assignment that the config names first, else the search's own."""
    if local.initial_trials:
        return local.initial_trials[0]
    return first_assignment(protos.from_json(study_spec, protos.StudySpec()), local.seed or 0)


def _surroundings(server: LocalServer) -> dict[str, str]:
    record = server.record
    certificates = Certificates.load_or_make(server.directory.certificates, record.project)
    google = google_variables(record.port, certificates, record.project)
    terminal = {name: os.environ[name] for name in _OF_TERMINAL if name in os.environ}
    return plain_variables() | google | terminal
