"""A study's files for TensorBoard's HParams page, written beside its trials' own logs.

For the verbs that watch a study. Each trial is written once, when it has ended.
"""

import queue
import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING

from vertex_jobs.cli.details import base_output_directory
from vertex_jobs.cli.terminal import warn
from vertex_jobs.errors import EndpointError, UnsupportedHereError
from vertex_jobs.names import GcsUri

if TYPE_CHECKING:
    from vertex_jobs.client import JobHandle, Snapshot
    from vertex_jobs.endpoints import Endpoint


class HParamsWriter:
    """Writes from a thread of its own, so that nobody waits for an upload until the study's end."""

    def __init__(self, endpoint: "Endpoint", handle: "JobHandle", base: GcsUri) -> None:
        self._endpoint = endpoint
        self._handle = handle
        self._base = base
        self._snapshots: queue.SimpleQueue[Snapshot | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def update(self, snapshot: "Snapshot") -> None:
        """Let the trials that have ended be written."""
        self._snapshots.put(snapshot)

    def finish(self) -> None:
        """Wait for the last file."""
        self._snapshots.put(None)
        self._thread.join()

    def _run(self) -> None:
        try:
            self._write()
        except EndpointError as error:
            warn(f"the HParams page stays without some trials: {error}")

    def _write(self) -> None:
        from vertex_jobs.study.hparams_files import hparams_files

        outputs = self._endpoint.outputs()
        written: set[str] | None = None
        known = 0
        while (snapshot := self._snapshots.get()) is not None:
            ended = [trial.id for trial in snapshot.study.trials if trial.finished]
            if len(ended) == known:
                continue
            known = len(ended)
            if written is None:
                written = {str(file.uri) for file in outputs.list_files(str(self._base))}
            for path, content in hparams_files(self._handle.study_at(snapshot)):
                uri = str(self._base.join(path))
                if uri not in written:
                    outputs.write_bytes(uri, content)
                    written.add(uri)


def writer_for(endpoint: "Endpoint", handle: "JobHandle") -> HParamsWriter | None:
    """Return a writer for a study; None without TensorBoard, or without a base output directory."""
    if find_spec("tensorboard") is None:
        return None
    try:
        base = GcsUri.parse(base_output_directory(handle.last_seen))
        return HParamsWriter(endpoint, handle, base)
    except UnsupportedHereError:
        return None
