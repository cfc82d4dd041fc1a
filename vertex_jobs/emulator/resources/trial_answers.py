"""Trials as the service was seen to answer them, made from what the store knows of them.

For the services. The store keeps more, which the search and a restart need: the custom job and the
measurements of a tuning job's trial, times to the microsecond, how long a measurement took.

Source: the example in "Create a hyperparameter tuning job"; statmike/vertex-ai-mlops, notebooks 05g
and 05i of "05 - TensorFlow"; ageron/handson-ml3, chapter 19; GoogleCloudPlatform/
training-data-analyst, gapic-vizier-multi-objective-optimization.ipynb.
"""

from collections.abc import Iterable

from vertex_jobs.emulator import protos


def tuning_trials(trials: Iterable[protos.Message]) -> list[protos.Message]:
    """Return the trials of a tuning job's answer, in the order of ids.

    Each has no other fields than those that the service was seen to send.
    """
    return [_tuning_trial(trial) for trial in sorted(trials, key=lambda one: int(one.id))]


def _tuning_trial(trial: protos.Message) -> protos.Message:
    shown = protos.Trial(
        id=trial.id,
        state=trial.state,
        parameters=trial.parameters,
        infeasible_reason=trial.infeasible_reason,
    )
    if trial.HasField("final_measurement"):
        final = trial.final_measurement
        # A script that gives no step was answered step 1; cloudml-hypertune writes 0 for it.
        shown.final_measurement.step_count = max(final.step_count, 1)
        shown.final_measurement.metrics.extend(final.metrics)
    if trial.HasField("start_time"):
        shown.start_time.CopyFrom(trial.start_time)
        if not shown.start_time.nanos % 1000:  # our clock's: the service shows nanoseconds
            shown.start_time.nanos += 1
    if trial.HasField("end_time"):
        # No trial ends before it starts.
        shown.end_time.seconds = max(trial.end_time.seconds, trial.start_time.seconds + 1)
    return shown


def vizier_trial(trial: protos.Message) -> protos.Message:
    """Return the answer for a trial of a Vizier study."""
    shown = protos.Trial()
    shown.CopyFrom(trial)
    for measurement in shown.measurements:
        measurement.ClearField("elapsed_duration")
    if shown.HasField("final_measurement"):
        shown.final_measurement.ClearField("elapsed_duration")
    for name in ("start_time", "end_time"):
        if shown.HasField(name):
            getattr(shown, name).nanos = 0
    return shown
