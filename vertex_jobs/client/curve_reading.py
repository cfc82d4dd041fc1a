"""Reads the learning curves of a study from its trials' outputs.

For handles. A curve of a trial that has ended is read once.
"""

from vertex_jobs.client.api_connection import Connection
from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.outputs import Outputs, StorageConnection
from vertex_jobs.study import Study
from vertex_jobs.study.curves import curve_uri, read_curve, with_curves
from vertex_jobs.study.trial_records import Measurement, Trial


class CurveReader:
    """Reads over one connection."""

    def __init__(self, connection: Connection) -> None:
        """Connect at the first curve."""
        self._outputs = Outputs(
            StorageConnection(
                connection.storage_endpoint, connection.place.project, connection.credentials
            )
        )
        self._ended: dict[tuple[str, str], tuple[Measurement, ...]] = {}

    def study(self, snapshot: Snapshot) -> Study:
        """Return a tuning job's trials with their measurements.

        Raises:
            EndpointError: If the outputs cannot be read.
            UnsupportedHereError: If the job is of another kind.
        """
        study = snapshot.study
        unread = [
            trial
            for trial in study.trials
            if not trial.measurements and (snapshot.name, trial.id) not in self._ended
        ]
        curves = self._read(unread)
        for trial in unread:
            if trial.finished:
                self._ended[snapshot.name, trial.id] = curves.get(trial.id, ())
        known = {trial: curve for (name, trial), curve in self._ended.items() if name == study.name}
        return with_curves(study, {**known, **curves})

    def _read(self, trials: list[Trial]) -> dict[str, tuple[Measurement, ...]]:
        uris = {trial.id: uri for trial in trials if (uri := curve_uri(trial)) is not None}
        found = self._outputs.read_several(uris.values())
        return {
            trial: read_curve(found[uri].decode(errors="replace"))
            for trial, uri in uris.items()
            if uri in found
        }
