"""``tensorboard JOB``: TensorBoard on a job's logs where they lie, in Cloud Storage.

A study's trials are written beside their logs for the HParams page, each once. TensorBoard runs in
a child, so that the variables which point its storage library at the endpoint are the child's
alone.
"""

import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from vertex_jobs.cli.endpoint_access import open_endpoint
from vertex_jobs.cli.options import option
from vertex_jobs.cli.shared_options import JobOptions
from vertex_jobs.cli.terminal import say, say_prose, warn
from vertex_jobs.cli.verb import Verb
from vertex_jobs.errors import EndpointError, UnsupportedHereError

if TYPE_CHECKING:
    from vertex_jobs.client import JobHandle
    from vertex_jobs.endpoints import Endpoint


@dataclass(frozen=True, kw_only=True)
class TensorBoardOptions(JobOptions):
    """The options of ``tensorboard``."""

    port: int = option(
        "--port N", "on this machine's loopback address (default: any free port)", default=0
    )


def tensorboard(options: TensorBoardOptions) -> int:
    """Run TensorBoard until it is interrupted.

    Raises:
        UnsupportedHereError: If TensorBoard is not installed, or the job has no logs.
    """
    if find_spec("tensorboard") is None:
        raise UnsupportedHereError(
            "TensorBoard is not installed; install it with: pip install 'vertex-jobs[train]'"
        )
    from vertex_jobs.cli.details import log_directory

    with open_endpoint(options.where) as endpoint:
        handle = endpoint.job(options.job, say_prose)
        directory = log_directory(handle.last_seen)
        endpoint.hold()
        environment = os.environ | _storage(endpoint)
        say(f"TensorBoard on {directory}; Ctrl-C ends it")
        if handle.last_seen.is_study:
            writing = threading.Thread(target=_write_hparams, args=(endpoint, handle), daemon=True)
            writing.start()
        return _run_board(directory, options.port, environment)


VERB = Verb(
    description="Of a study: every trial is a run. Needs the extra 'train'. Ctrl-C ends it.",
    examples=("tensorboard digits-search", "tensorboard digits-search --port 6007"),
    options=TensorBoardOptions,
    handler=tensorboard,
)


def _run_board(directory: str, port: int, environment: dict[str, str]) -> int:
    words = [sys.executable, "-m", "vertex_jobs.cli.tensorboard_server"]
    with subprocess.Popen([*words, directory, str(port)], env=environment) as child:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            code = child.wait()
        except KeyboardInterrupt:  # the way to end it
            child.terminate()
            return 0
    return code if code >= 0 else 128 - code


def _write_hparams(endpoint: "Endpoint", handle: "JobHandle") -> None:
    """Write the study's HParams beside its logs, and those of each trial when it has ended."""
    from vertex_jobs.cli.hparams import writer_for

    writer = writer_for(endpoint, handle)
    if writer is None:
        return
    try:
        for snapshot in handle.watch():
            writer.update(snapshot)
    except EndpointError as error:
        warn(f"the HParams page stays without later trials: {error}")


def _storage(endpoint: "Endpoint") -> dict[str, str]:
    """Return the variables by which gcsfs finds the endpoint's Cloud Storage; none for Google's."""
    url = endpoint.connection.storage_endpoint
    if url is None:
        return {}
    # gcsfs would ask for the bucket's type over gRPC first, and wait a minute for no answer.
    return {"STORAGE_EMULATOR_HOST": url, "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false"}
