"""The Keras callback of ``metrics``; imported only when a script asks for it.

It cannot live without Keras. It follows the Keras that TensorFlow follows: the installed ``keras``,
or the legacy ``tf_keras`` where TF_USE_LEGACY_KERAS is set before the first import.
"""

import logging
import math
from collections.abc import Mapping
from typing import Any

from vertex_jobs.runtime import metrics
from vertex_jobs.runtime.keras_choice import keras_in_use

__all__ = ["ReportMetrics"]

_log = logging.getLogger(__name__)


class ReportMetrics(keras_in_use().callbacks.Callback):  # type: ignore[misc]
    """Report chosen logs of ``fit`` after every epoch, under the study's metric ids.

    On NaN or infinity in a chosen log or in ``loss`` it ends training after that epoch without an
    exception, so that what was reported before counts and the script goes on to save.
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
            metrics.check_tag(tag)
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
        # Validation logs may come at later epochs only (validation_freq); the others never do.
        self._refuse({name for name in self._missing if not name.startswith("val_")}, logs)
        finite = [
            metrics.report(tag, logs[name], epoch + 1)
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
