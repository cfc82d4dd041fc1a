"""The measurements of Vizier's trials: what is refused in one, and their order.

Source: Measurement, Trial protos.
"""

import math
from collections import Counter

from google.protobuf import timestamp_pb2

from vertex_jobs.emulator import protos

Faults = list[tuple[str, str]]


def measurement_faults(
    study_spec: protos.Message, measurement: protos.Message, path: str, *, final: bool
) -> Faults:
    """Return the faults of a client's measurement.

    A final one has every metric of the study, each a finite number. One on the way may have some
    and may be endless: a curve that diverges is reported as it is, and is never final.
    """
    names = [metric.metric_id for metric in study_spec.metrics]
    listed = ", ".join(names)
    counts = Counter(metric.metric_id for metric in measurement.metrics)
    texts = [
        f"{name!r} is not in the study, whose metrics are {listed}: leave it out."
        for name in counts
        if name not in names
    ]
    texts += [
        f"{name!r} is given {count} times; a measurement has one value of each metric: keep one."
        for name, count in counts.items()
        if count > 1
    ]
    if measurement.step_count < 0:
        texts.append(f"step_count {measurement.step_count} is negative; count from 0.")
    if final:
        texts += [
            f"{name!r} is missing; a final measurement has all of the study's metrics, which are "
            f"{listed}: add it."
            for name in names
            if name not in counts
        ]
        texts += [
            f"{metric.metric_id!r} is {metric.value}, which is not finite: give a number, or "
            "complete the trial as infeasible."
            for metric in measurement.metrics
            if not math.isfinite(metric.value)
        ]
    return [(path, text) for text in texts]


def set_elapsed(
    trial: protos.Message, measurement: protos.Message, now: timestamp_pb2.Timestamp
) -> None:
    """Let a measurement be taken now."""
    elapsed = now.ToNanoseconds() - trial.start_time.ToNanoseconds()
    measurement.elapsed_duration.FromNanoseconds(max(elapsed, 0))


def add_measurement(trial: protos.Message, measurement: protos.Message) -> None:
    """Put a measurement where it belongs: they are strictly ordered by step, then by time."""
    place = _place(measurement)
    others = [one for one in trial.measurements if _place(one) != place]
    ordered = sorted([*others, measurement], key=_place)
    del trial.measurements[:]
    trial.measurements.extend(ordered)


def _place(measurement: protos.Message) -> tuple[int, int]:
    return measurement.step_count, measurement.elapsed_duration.ToNanoseconds()
