"""Trials as they are answered, made from trials as the store has them."""

from typing import Any

from google.protobuf import timestamp_pb2

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources import study_rules
from vertex_jobs.emulator.resources.trial_answers import tuning_trials


def stored(number: int, start: int, end: int, step: int = 3) -> Any:
    """A finished trial with all that the store keeps; times in nanoseconds."""
    trial = protos.Trial(
        id=str(number),
        name=f"projects/1/locations/l/studies/5/trials/{number}",
        state=protos.TrialState.SUCCEEDED,
        custom_job="projects/1/locations/l/customJobs/7",
        client_id="c",
    )
    trial.measurements.append(study_rules.measurement(step, {"score": 1.0}, 2.0))
    trial.final_measurement.CopyFrom(trial.measurements[0])
    for name, time in (("start_time", start), ("end_time", end)):
        stamp = timestamp_pb2.Timestamp()
        stamp.FromNanoseconds(time)
        getattr(trial, name).CopyFrom(stamp)
    return trial


def test_they_are_in_the_order_of_ids_whichever_ended_first() -> None:
    ended = [stored(number, 0, 10**9) for number in (10, 2, 1)]
    assert [trial.id for trial in tuning_trials(ended)] == ["1", "2", "10"]


def test_nothing_is_told_that_the_service_was_not_seen_to_tell() -> None:
    (trial,) = tuning_trials([stored(1, 0, 10**9)])
    assert {field.name for field, _ in trial.ListFields()} == {
        "id",
        "state",
        "final_measurement",
        "start_time",
        "end_time",
    }
    assert not trial.final_measurement.HasField("elapsed_duration")


def test_a_start_has_nanoseconds_though_our_clock_has_none() -> None:
    (trial,) = tuning_trials([stored(1, 5_123_456_000, 9 * 10**9)])
    assert trial.start_time.ToJsonString() == "1970-01-01T00:00:05.123456001Z"


def test_an_end_is_a_whole_second_that_is_not_before_the_start() -> None:
    second = 10**9
    long, short = stored(1, 5 * second, 9 * second - 1), stored(2, 5 * second + 1, 5 * second + 2)
    trials = tuning_trials([long, short])
    assert [trial.end_time.ToJsonString() for trial in trials] == [
        "1970-01-01T00:00:08Z",
        "1970-01-01T00:00:06Z",
    ]


def test_no_step_is_step_1() -> None:
    trials = tuning_trials([stored(1, 0, 10**9, step=0), stored(2, 0, 10**9, step=4)])
    assert [trial.final_measurement.step_count for trial in trials] == [1, 4]
