"""The Keras callbacks of ``metrics`` and ``uploads``, which import this module at first use.

Their base classes come from the Keras that TensorFlow uses: the installed ``keras``, or the legacy
``tf_keras`` where TF_USE_LEGACY_KERAS is set before the first import.
"""

import atexit
import logging
import math
import time
from collections.abc import Mapping
from typing import Any

from vertex_jobs.runtime.keras_choice import keras_in_use
from vertex_jobs.runtime.metric_reports import check_tag, report
from vertex_jobs.runtime.mirrors import Mirror

_log = logging.getLogger(__name__)


class ReportMetrics(keras_in_use().callbacks.Callback):  # type: ignore[misc]
    """Report chosen logs of ``fit`` after every epoch, under the study's metric ids.

    On NaN or infinity in a chosen log or in ``loss`` it ends training after that epoch without an
    exception, so that earlier reports count and the script continues and saves.
    """

    def __init__(self, logs_by_tag: Mapping[str, str]) -> None:
        """Choose the logs to report.

        Args:
            logs_by_tag: Metric id to the name in Keras's logs, e.g.
                ``{"accuracy": "val_accuracy"}``.

        Raises:
            ValueError: If there is none, or a tag is empty, reserved or holds white space.
        """
        super().__init__()
        if not logs_by_tag:
            raise ValueError("no metric to report; pass e.g. {'accuracy': 'val_accuracy'}")
        for tag in logs_by_tag:
            check_tag(tag)
        self.logs_by_tag = dict(logs_by_tag)
        self._missing = set(logs_by_tag.values())
        self._epochs_seen = 0

    def on_epoch_end(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        """Report the epoch's values; the step is the epoch counted from 1.

        Raises:
            ValueError: If a training log of that name does not exist.
        """
        logs = logs or {}
        self._epochs_seen += 1
        self._missing -= logs.keys()
        # Validation logs may first come at a later epoch (validation_freq); the others may not.
        self._refuse({name for name in self._missing if not name.startswith("val_")}, logs)
        finite = [
            report(tag, logs[name], epoch + 1)
            for tag, name in self.logs_by_tag.items()
            if name in logs
        ]
        loss = float(logs.get("loss", 0.0))
        if not (all(finite) and math.isfinite(loss)):
            _log.warning("epoch %s: loss %s; training ends, earlier reports stay", epoch + 1, loss)
            self.model.stop_training = True

    def on_train_end(self, logs: Mapping[str, Any] | None = None) -> None:
        """Refuse to end a training that never produced a chosen log.

        Raises:
            ValueError: If a log of that name never came.
        """
        # A resumed training may have no epoch left; then nothing can be missing.
        if self._epochs_seen:
            self._refuse(self._missing, logs or {})

    def _refuse(self, missing: set[str], logs: Mapping[str, Any]) -> None:
        if missing:
            raise ValueError(
                f"Keras logs no {', '.join(sorted(missing))}; it logs "
                f"{', '.join(sorted(logs)) or 'nothing'}. Name a compiled metric, and give fit "
                "validation data for val_ names"
            )


class TensorBoard(keras_in_use().callbacks.TensorBoard):  # type: ignore[misc]
    """Keras's own callback, but it writes on this machine and uploads every few seconds.

    Keras writes its event files directly to ``gs://``, where nothing can be appended: each write
    uploads a whole file again, three times an epoch. Everything is uploaded at the latest when the
    process ends, unless it is killed.
    """

    def __init__(self, log_dir: str, *, seconds: float = 10.0, **settings: Any) -> None:
        """Choose the directory; a local one is written directly.

        Args:
            log_dir: A ``gs://`` URI or a local path.
            seconds: Time between uploads, at the ends of epochs.
            **settings: Arguments of ``keras.callbacks.TensorBoard``.
        """
        self._mirror = Mirror(log_dir) if log_dir.startswith("gs://") else None
        super().__init__(log_dir if self._mirror is None else self._mirror.folder, **settings)
        self._seconds = seconds
        self._due = time.monotonic() + seconds
        if self._mirror is not None:
            atexit.register(self._finish)

    def on_epoch_end(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        """Write as Keras does, and upload when it is time."""
        super().on_epoch_end(epoch, logs)
        if self._mirror is not None and time.monotonic() >= self._due:
            self._mirror.upload()
            self._due = time.monotonic() + self._seconds

    def on_train_end(self, logs: Mapping[str, Any] | None = None) -> None:
        """Write as Keras does, and upload the rest."""
        super().on_train_end(logs)
        if self._mirror is not None:
            self._mirror.upload()

    def _finish(self) -> None:
        """Upload what an exception has left behind."""
        assert self._mirror is not None
        self._mirror.upload()
        self._mirror.close()
