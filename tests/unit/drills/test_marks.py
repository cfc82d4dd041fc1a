"""Steps and metric values in lines of output and in event files."""

import struct

import pytest
from tensorboard.compat.proto import event_pb2

from vertex_jobs.drills.marks import Mark, chosen_counter, marks_in, metrics_in, scalars_in


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("Epoch 3/10", [("epoch", 3)]),
        ("step=40 loss=0.31", [("step", 40)]),
        ("global_step: 7", [("global_step", 7)]),
        ("Epoch [2] iteration 14", [("epoch", 2), ("iteration", 14)]),
        ("Step 100 of 300", [("step", 100)]),
        ('{"epoch": 3, "seconds": 0.3}', [("epoch", 3)]),
        ("10/10 - 0s - 1ms/step - loss: 0.2", []),
        ("took 3 steps, step 1.5", []),
        ("{not json} epoch 2", [("epoch", 2)]),
        ('{"epoch": "three"}', []),
    ],
)
def test_the_steps_of_a_line(text: str, marks: list[tuple[str, int]]) -> None:
    assert [(one.counter, one.step) for one in marks_in(text, 1.0)] == marks


@pytest.mark.parametrize(
    ("text", "metrics"),
    [
        (
            "10/10 - 0s - 1ms/step - accuracy: 0.9100 - loss: 0.2 - val_loss: 3e-1",
            {"accuracy": 0.91, "loss": 0.2, "val_loss": 0.3},
        ),
        ("loss 4.0 ... loss 2.0", {"loss": 2.0}),
        ("final accuracy is 0.93.", {"accuracy": 0.93}),
        ('{"step": 3, "val_accuracy": 0.3, "seconds": 3}', {"val_accuracy": 0.3}),
        ("loss=0.5s, 3 errors, glossary 7", {}),
    ],
)
def test_the_metrics_of_a_line(text: str, metrics: dict[str, float]) -> None:
    assert metrics_in(text) == metrics


def event(step: int, value: float) -> bytes:
    written = event_pb2.Event(wall_time=float(step), step=step)
    written.summary.value.add(tag="epoch_loss", simple_value=value)
    record = written.SerializeToString()
    return struct.pack("<Q", len(record)) + b"crc4" + record + b"crc4"


def test_the_scalars_of_an_event_file() -> None:
    found = list(scalars_in(event(1, 0.5) + event(2, 0.25)))
    assert found == [
        (Mark(1.0, "TensorBoard's epoch_loss", 1), 0.5),
        (Mark(2.0, "TensorBoard's epoch_loss", 2), 0.25),
    ]


def test_an_event_file_may_be_cut_off() -> None:
    assert len(list(scalars_in(event(1, 0.5) + event(2, 0.25)[:-1]))) == 1


def counted(counter: str, *steps: int) -> list[Mark]:
    return [Mark(float(time), counter, step) for time, step in enumerate(steps)]


def test_the_finest_counter_that_rises_is_chosen() -> None:
    marks = counted("epoch", 1, 1, 2, 2) + counted("step", 1, 2, 3, 4) + counted("iter", 1, 2, 1, 2)
    assert chosen_counter(marks, []) == "step"


def test_a_counter_may_begin_again_with_a_restart() -> None:
    assert chosen_counter(counted("step", 1, 2, 1, 2), [1.5]) == "step"


def test_a_counter_that_begins_again_by_itself_is_none() -> None:
    assert chosen_counter(counted("step", 1, 2, 1, 2), []) == ""


def test_steps_are_named_as_they_were_printed() -> None:
    named = [str(Mark(0.0, "epoch", 3)), str(Mark(0.0, "TensorBoard's epoch_loss", 3))]
    assert named == ["epoch 3", "step 3 of TensorBoard's epoch_loss"]
