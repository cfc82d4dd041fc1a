"""The rules that stop a study before its last trial.

For tuning jobs and Vizier's studies, which ask before new suggestions. Rules are tested from top to
bottom: the two minima let the study go on whatever the others say.

Source: StudySpec.StudyStoppingConfig, StudyTimeConstraint protos.
"""

import math
from collections.abc import Sequence

from google.protobuf import timestamp_pb2

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.study_rules import is_finished, maximized


def reason_to_stop(
    study_spec: protos.Message,
    trials: Sequence[protos.Message],
    started: timestamp_pb2.Timestamp,
    now: timestamp_pb2.Timestamp,
) -> str:
    """Return the rule that stops the study, in words; empty while it goes on.

    ``trials`` are all of them, the finished ones in the order of completion.
    """
    config = study_spec.study_stopping_config
    if not _may_stop(study_spec, trials, started, now):
        return ""
    maximum = config.maximum_runtime_constraint
    if config.HasField("maximum_runtime_constraint") and _passed(maximum, started, now):
        return "maximum_runtime_constraint has passed"
    most = config.max_num_trials.value
    if config.HasField("max_num_trials") and len(trials) >= most:
        return f"max_num_trials is {most}"
    finished = [one for one in trials if is_finished(one)]
    if len(study_spec.metrics) > 1 or not finished:
        return ""
    return _stagnation(study_spec, finished, now)


def _stagnation(
    study_spec: protos.Message,
    finished: Sequence[protos.Message],
    now: timestamp_pb2.Timestamp,
) -> str:
    """Return the rule on progress that stops a study of one metric; empty for none."""
    config = study_spec.study_stopping_config
    since, best_end = _without_progress(study_spec, finished)
    limit = config.max_num_trials_no_progress.value
    if config.HasField("max_num_trials_no_progress") and since >= limit:
        return f"no progress in {since} trials"
    patience = config.max_duration_no_progress.ToNanoseconds()
    waited = now.ToNanoseconds() - best_end.ToNanoseconds()
    if config.HasField("max_duration_no_progress") and waited >= patience:
        return f"no progress in {patience / 1e9:g} s"
    return ""


def trial_limit(
    study_spec: protos.Message,
    trials: Sequence[protos.Message],
    started: timestamp_pb2.Timestamp,
    now: timestamp_pb2.Timestamp,
) -> float:
    """Return how many trials the study may have in all, by its rules now; infinite without one.

    The arguments are those of `reason_to_stop`. The rules are tested before every suggestion, so
    several suggestions at once stop at the same number.
    """
    config = study_spec.study_stopping_config
    is_bound = config.HasField("max_num_trials") and _may_stop(study_spec, trials, started, now)
    return float(config.max_num_trials.value) if is_bound else math.inf


def _may_stop(
    study_spec: protos.Message,
    trials: Sequence[protos.Message],
    started: timestamp_pb2.Timestamp,
    now: timestamp_pb2.Timestamp,
) -> bool:
    """Return whether there are rules, and the two minima are reached."""
    if not study_spec.HasField("study_stopping_config"):
        return False
    config = study_spec.study_stopping_config
    minimum = config.minimum_runtime_constraint
    if config.HasField("minimum_runtime_constraint") and not _passed(minimum, started, now):
        return False
    finished = sum(is_finished(one) for one in trials)
    return not (config.HasField("min_num_trials") and finished < config.min_num_trials.value)


def _passed(
    constraint: protos.Message, started: timestamp_pb2.Timestamp, now: timestamp_pb2.Timestamp
) -> bool:
    if constraint.HasField("end_time"):
        return bool(now.ToNanoseconds() >= constraint.end_time.ToNanoseconds())
    ran = now.ToNanoseconds() - started.ToNanoseconds()
    return bool(ran >= constraint.max_duration.ToNanoseconds())


def _without_progress(
    study_spec: protos.Message, finished: Sequence[protos.Message]
) -> tuple[int, timestamp_pb2.Timestamp]:
    """Return the number of trials since the last best one, and when that ended.

    Before any success, since the first.
    """
    sign = 1.0 if maximized(study_spec)[0] else -1.0
    metric = study_spec.metrics[0].metric_id
    best, since, ended = float("-inf"), 0, finished[0].end_time
    for trial in finished:
        values = [one.value for one in trial.final_measurement.metrics if one.metric_id == metric]
        since += 1
        if trial.state == protos.TrialState.SUCCEEDED and values and sign * values[0] > best:
            best, since, ended = sign * values[0], 0, trial.end_time
    return since, ended
