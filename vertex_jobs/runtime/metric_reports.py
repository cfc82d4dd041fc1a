"""Reports of a trial's metrics through cloudml-hypertune, from the chief alone.

For the public module ``metrics`` and its Keras callback. Each report also goes to the trial's
``measurement_file``, for the learning curves.

Outside a tuning trial nothing is reported: without its variables cloudml-hypertune would write to
one file in ``/tmp`` that all processes of the machine share. The value then only goes to the log of
``metrics``, at level INFO.
"""

import functools
import json
import logging
import math
import os
import time
from pathlib import Path
from typing import Any

from vertex_jobs.runtime import environment
from vertex_jobs.runtime.measurement_file import measurement_file

#: Keys of cloudml-hypertune's own record: a metric of that name would overwrite the field, or be
#: overwritten by it. Source: hypertune.py of cloudml-hypertune 0.1.0.dev6.
RESERVED_TAGS = ("checkpoint_path", "global_step", "timestamp", "trial")

#: Scripts know the public module alone.
_log = logging.getLogger("vertex_jobs.runtime.metrics")


def report(tag: str, value: Any, step: int) -> bool:
    """Report one value of a metric.

    Call it on every replica, before anything that may fail, such as saving the model.

    Args:
        tag: The metric id in the study's metric spec.
        value: A number, a NumPy or TensorFlow scalar, or an array of one element.
        step: The place in the training, e.g. the epoch, counted from 1; not negative.

    Returns:
        Whether the value is finite. NaN and infinity are logged and left out: as a measurement
        they would make the trial useless, although earlier measurements may be good.

    Raises:
        ValueError: If the tag is empty, reserved or holds white space, or the step is not whole.
        TypeError: If the value is not one number.
    """
    check_tag(tag)
    whole = _whole(step)
    number = _number(tag, value)
    here = environment.current()
    if not math.isfinite(number):
        _log.warning("%s is %s at step %s: not reported", tag, number, whole)
        if here.is_chief and here.metric_file is not None:
            _note(here.metric_file, tag, number, whole)
        return False
    if here.is_chief:
        if here.trial_id is None and here.metric_file is None:
            _log.info("%s = %s at step %s", tag, number, whole)
        else:
            file = measurement_file()
            if file is not None:
                file.add(tag, number, whole)
            if here.metric_file is not None:
                _note(here.metric_file, tag, number, whole)
            _hypertune().report_hyperparameter_tuning_metric(
                hyperparameter_metric_tag=tag, metric_value=number, global_step=whole
            )
    return True


def check_tag(tag: str) -> None:
    """Refuse a tag that cloudml-hypertune or the study would reject or lose.

    Raises:
        ValueError: If the tag is empty, reserved or holds white space.

    Source: message StudySpec.MetricSpec, metric_id.
    """
    if not tag or any(character.isspace() for character in tag):
        raise ValueError(
            f"metric tag {tag!r} is empty or holds white space; use the id in the metric spec"
        )
    if tag in RESERVED_TAGS:
        raise ValueError(
            f"metric tag {tag!r} is a field of the metric file itself; choose another name, "
            f"not one of {', '.join(RESERVED_TAGS)}"
        )


def journal_of(metric_file: str | Path) -> Path:
    """Return the file beside the metric file in which Local Vertex expects every report.

    The metric file itself keeps 100 lines. Local Vertex creates the journal before a trial starts;
    where there is none, as on Vertex AI, nothing is written.
    """
    return Path(f"{metric_file}.journal")


def _note(metric_file: str, tag: str, value: float, step: int) -> None:
    """Append a report to the journal, if there is one, in a single write.

    Local Vertex counts no value that is not finite either, but explains by it.
    """
    line = json.dumps({tag: str(value), "global_step": str(step), "timestamp": time.time()})
    try:
        journal = os.open(journal_of(metric_file), os.O_WRONLY | os.O_APPEND)
    except FileNotFoundError:
        return
    try:
        os.write(journal, f"{line}\n".encode())
    finally:
        os.close(journal)


@functools.cache
def _hypertune() -> Any:
    """Return the process's only HyperTune; a second one would clear the metric file."""
    import hypertune

    return hypertune.HyperTune()


def _number(tag: str, value: Any) -> float:
    """Return the value as a float; it may be any object with exactly one number."""
    as_array = getattr(value, "numpy", None)
    if callable(as_array):
        value = as_array()
    if hasattr(value, "item") and getattr(value, "size", None) == 1:
        value = value.item()
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError("text is not a number")
        return float(value)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"metric {tag} got {value!r}, which is not one number; reduce it first, "
            "e.g. with float(...) or strategy.reduce(...)"
        ) from error


def _whole(step: int) -> int:
    whole = int(step)
    if whole != step or whole < 0:
        raise ValueError(f"step {step!r} is not a whole number from 0; pass the epoch or the step")
    return whole
