"""Steps and metric values in what a job prints and in its TensorBoard events.

The script is not asked: what it tells anybody is read as it is.
"""

import json
import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

_COUNTERS = r"global[ _-]?step|train[ _-]?step|step|epoch|iteration|iter|round"
#: ``Epoch 3/10``, ``step=40``, ``global_step: 7``; ``1ms/step - loss`` and ``step 1.5`` are none.
_STEP = re.compile(
    rf"(?<![\w/])({_COUNTERS})(?:\s*(?:[:=#]|is)?\s*|\s*\[\s*)(\d+)(?![\w.]*\d|[\w%])",
    re.IGNORECASE,
)
_METRIC = (
    r"loss|acc(?:uracy)?|err(?:or)?|mae|mse|rmse|auc|f1|score|precision|recall|perplexity|ppl|bleu|"
    r"reward|metric|r2|iou"
)
#: ``val_loss: 0.31``, ``accuracy=0.9``, ``loss 0.2``.
_VALUE = re.compile(
    rf"(?<![\w/])((?:\w+[_/-])*(?:{_METRIC})(?:[_-]\w+)*)(?:\s*[:=]\s*|\s+(?:is\s+)?)"
    r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?![\w%]|\.\d)",
    re.IGNORECASE,
)
_METRIC_KEY = re.compile(rf"(?:^|[_/-])(?:{_METRIC})(?:$|[_/-])", re.IGNORECASE)
_COUNTER_KEY = re.compile(rf"(?:{_COUNTERS})$", re.IGNORECASE)


@dataclass(frozen=True)
class Mark:
    """One step that was seen.

    Attributes:
        time: When, in seconds since 1970.
        counter: What counts, e.g. ``epoch``; steps of different counters are not compared. More
            than one word is whose steps they are.
    """

    time: float
    counter: str
    step: int

    def __str__(self) -> str:
        if " " in self.counter:
            return f"step {self.step} of {self.counter}"
        return f"{self.counter} {self.step}"


def marks_in(text: str, time: float) -> list[Mark]:
    """Return the steps that a line of output names."""
    written = _fields(text)
    if written is not None:
        named = ((key, value) for key, value in written.items() if _COUNTER_KEY.fullmatch(key))
        return [Mark(time, key.lower(), value) for key, value in named if type(value) is int]
    return [Mark(time, name.lower(), int(step)) for name, step in _STEP.findall(text)]


def metrics_in(text: str) -> dict[str, float]:
    """Return the values of what is named like a metric in a line of output, the last of each."""
    written = _fields(text)
    if written is not None:
        named = ((key, value) for key, value in written.items() if _METRIC_KEY.search(key))
        return {key: float(value) for key, value in named if isinstance(value, (int, float))}
    return {name: float(value) for name, value in _VALUE.findall(text)}


def _fields(text: str) -> dict[str, Any] | None:
    """Return a line that is one JSON object; None for any other."""
    if not text.startswith("{"):
        return None
    try:
        written = json.loads(text)
    except ValueError:
        return None
    return written if isinstance(written, dict) else None


def scalars_in(content: bytes) -> Iterator[tuple[Mark, float]]:
    """Yield the scalars of a TensorBoard event file; nothing where TensorBoard is not installed.

    Source: tensorflow/core/lib/io/record_writer.h (the frame), event.proto, summary.proto.
    """
    try:
        from tensorboard.compat.proto import event_pb2
    except ImportError:
        return
    for record in _records(content):
        event = event_pb2.Event.FromString(record)
        for value in event.summary.value:
            scalar = _scalar(value)
            if scalar is not None:
                yield Mark(event.wall_time, f"TensorBoard's {value.tag}", event.step), scalar


def _records(content: bytes) -> Iterator[bytes]:
    """Yield the records of a TFRecord file; one that was cut off ends it."""
    start, header, footer = 0, 12, 4
    while start + header <= len(content):
        (length,) = struct.unpack_from("<Q", content, start)
        end = start + header + length
        if end + footer > len(content):
            return
        yield content[start + header : end]
        start = end + footer


def _scalar(value: Any) -> float | None:
    if value.HasField("simple_value"):
        return float(value.simple_value)
    tensor = value.tensor
    if tensor.tensor_shape.dim or value.metadata.plugin_data.plugin_name not in ("", "scalars"):
        return None
    if tensor.float_val:
        return float(tensor.float_val[0])
    if tensor.dtype == 1 and len(tensor.tensor_content) == 4:  # DT_FLOAT
        return float(struct.unpack("<f", tensor.tensor_content)[0])
    return None


def chosen_counter(marks: Iterable[Mark], restarts: Iterable[float]) -> str:
    """Return the finest counter that only rises between restarts; empty if there is none.

    One that starts again by itself, as the steps within each epoch, does not say where a job is.
    """
    breaks = sorted(restarts)
    by_counter: dict[str, list[Mark]] = {}
    for mark in sorted(marks, key=lambda mark: mark.time):
        by_counter.setdefault(mark.counter, []).append(mark)
    rising = {
        counter: len({mark.step for mark in seen})
        for counter, seen in by_counter.items()
        if _rises(seen, breaks)
    }
    return max(rising, key=lambda counter: (rising[counter], counter), default="")


def _rises(seen: list[Mark], breaks: list[float]) -> bool:
    return all(
        before.step <= after.step or any(before.time < at <= after.time for at in breaks)
        for before, after in pairwise(seen)
    )
