"""One replica of a job in the foreground of a terminal: what it runs, and with which variables.

For ``run --debug``. No job is created: the replica belongs to the person who started it, with a
terminal and a debugger. What it sees is what the service would tell the chief of a job, or of a
study's first trial; ``gs://`` is that of the running server.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vertex_jobs.catalog.container_images import parse_image
from vertex_jobs.emulator import protos
from vertex_jobs.emulator.client_environment.certificates import Certificates
from vertex_jobs.emulator.client_environment.client_variables import (
    google_variables,
    plain_variables,
)
from vertex_jobs.emulator.joining import LocalServer
from vertex_jobs.emulator.launcher import postmortem
from vertex_jobs.emulator.replicas.gcs_paths import mentions_gcs
from vertex_jobs.emulator.replicas.packages import Package
from vertex_jobs.emulator.replicas.ports import Ports
from vertex_jobs.emulator.replicas.preparation import Trial
from vertex_jobs.emulator.replicas.replica_variables import Variables
from vertex_jobs.emulator.replicas.tasks import PoolTask, pool_task
from vertex_jobs.emulator.resources import study
from vertex_jobs.emulator.study_search.session import first_assignment
from vertex_jobs.runtime.cluster import Cluster
from vertex_jobs.runtime.directories import Directories
from vertex_jobs.runtime.environment import Environment
from vertex_jobs.spec.local import LocalSettings

__all__ = ["Foreground", "foreground"]

#: What a terminal program needs and a replica never has.
_OF_TERMINAL = ("COLORTERM", "PYTHONBREAKPOINT", "TERM")


@dataclass(frozen=True)
class Foreground:
    """A replica that is ready to start.

    Attributes:
        command: The program and its arguments.
        environment: Its whole environment.
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
    body: Mapping[str, Any],
    local: LocalSettings,
    packages: list[Path],
    folder: Path,
) -> Iterator[Foreground]:
    """The chief of a job, or of a study's first trial, alone in its cluster.

    Args:
        server: Answers for ``gs://`` and Google's APIs.
        body: Of the request, its placeholder replaced.
        local: The first trial's assignment and the seed of the search.
        packages: Folders of the job's packages, unpacked.
        folder: An empty one: the working directory and the trial's reports.
    """
    job_spec, study_spec = _specs(body)
    task = pool_task(job_spec.worker_pool_specs[0], "worker_pool_specs[0]", LocalSettings())
    trial = None
    if study_spec is not None:
        arguments = _trial_arguments(study_spec, local)
        trial = Trial("1", arguments, folder / "output.metrics", parallel=1)
        base = job_spec.base_output_directory.output_uri_prefix.rstrip("/")
        job_spec.base_output_directory.output_uri_prefix = f"{base}/1"
    with Ports().reserve(1) as ports:
        service = _service(server, job_spec, trial, ports[0])
        variables = _variables(server, task, service)
        arguments = task.arguments + (trial.arguments if trial else ())
        work = folder / "work"
        work.mkdir()
        yield Foreground(
            command=postmortem.command(packages, work, task.module, arguments),
            environment=variables,
            arguments=arguments,
            output_directory=f"{job_spec.base_output_directory.output_uri_prefix.rstrip('/')}/",
            metric_file=trial.metric_file if trial else None,
            uses_gcs_folder=mentions_gcs(task, [Package(path, ()) for path in packages]),
        )


def _specs(body: Mapping[str, Any]) -> tuple[protos.Message, protos.Message | None]:
    """The CustomJobSpec of any kind of job, and the StudySpec of a study."""
    form = body.get("jobSpec") or body.get("trialJobSpec") or body.get("trainingTaskInputs")
    job_spec = protos.from_json(form, protos.CustomJobSpec())
    if "studySpec" not in body:
        return job_spec, None
    return job_spec, protos.from_json(body["studySpec"], protos.StudySpec())


def _trial_arguments(study_spec: protos.Message, local: LocalSettings) -> tuple[str, ...]:
    """Return those of the first trial: the first that the config names, else the search's own."""
    if local.initial_trials:
        assignment = dict(local.initial_trials[0])
    else:
        assignment = first_assignment(study_spec, local.seed or 0)
    return tuple(f"--{name}={study.argument_text(value)}" for name, value in assignment.items())


def _service(
    server: LocalServer, job_spec: protos.Message, trial: Trial | None, port: int
) -> Environment:
    address, form = f"127.0.0.1:{port}", protos.to_json(job_spec)
    pool = job_spec.worker_pool_specs[0]
    return Environment(
        directories=Directories.under(job_spec.base_output_directory.output_uri_prefix),
        cluster=Cluster({"chief": (address,)}, job=form, cloud_id="debug"),
        trial_id=trial.trial_id if trial else None,
        metric_file=str(trial.metric_file) if trial else None,
        project_number=server.record.project,
        region=server.record.location,
        job_id="0",
        accelerator_count=pool.machine_spec.accelerator_count,
    )


def _variables(server: LocalServer, task: PoolTask, service: Environment) -> dict[str, str]:
    record = server.record
    certificates = Certificates.load_or_make(server.directory.certificates, record.project)
    google = google_variables(record.port, certificates, record.project)
    terminal = {name: os.environ[name] for name in _OF_TERMINAL if name in os.environ}
    return Variables(
        surroundings=plain_variables() | google | terminal,
        image=parse_image(task.image),
        job=dict(task.environment),
        place={},
        devices={},
        service=service,
        host_name=os.uname().nodename,
    ).render()
