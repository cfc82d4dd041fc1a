"""How rows are divided into three sets."""

from typing import Any

import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.data_splits import SETS, Row, check_split, split_rows
from vertex_jobs.emulator.status import ApiError

CONFIG = protos.message_class("InputDataConfig")


def counts(form: dict[str, Any], rows: int = 100) -> list[int]:
    config = protos.from_json(form, CONFIG())
    sets = split_rows([Row(str(number), {}) for number in range(rows)], config)
    return [len(sets[name]) for name in SETS]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({}, [80, 10, 10]),
        ({"fractionSplit": {"trainingFraction": 0.5, "testFraction": 0.5}}, [50, 0, 50]),
        ({"fractionSplit": {"trainingFraction": 0.6}}, [60, 20, 20]),
        ({"fractionSplit": {"trainingFraction": 1}}, [100, 0, 0]),
    ],
)
def test_fractions(form: dict[str, Any], expected: list[int]) -> None:
    assert counts(form) == expected


def test_rows_of_no_set_are_left_out() -> None:
    config = CONFIG(predefined_split={"key": "part"})
    parts = [Row("a", {"part": "TEST"}), Row("b", {"part": "other"}), Row("c", {})]
    assert [len(rows) for rows in split_rows(parts, config).values()] == [0, 0, 1]


def test_every_set_has_the_same_mix_of_a_columns_values() -> None:
    fractions = {"training_fraction": 0.8, "validation_fraction": 0.1, "test_fraction": 0.1}
    config = CONFIG(stratified_split={"key": "kind", **fractions})
    rows = [Row(str(n), {"kind": "a" if n < 60 else "b" if n < 90 else str(n)}) for n in range(100)]
    mixes = {
        name: [
            sum(row.columns["kind"] == "a" for row in part),
            sum(row.columns["kind"] == "b" for row in part),
            sum(row.columns["kind"] not in "ab" for row in part),
        ]
        for name, part in split_rows(rows, config).items()
    }
    assert mixes == {"training": [48, 24, 8], "validation": [6, 3, 1], "test": [6, 3, 1]}


def test_a_stratified_split_needs_its_column() -> None:
    with pytest.raises(ApiError, match=r"stratified_split\.key: The key is required"):
        check_split(CONFIG(stratified_split={"training_fraction": 0.5}))


@pytest.mark.parametrize("fraction", [-0.1, 1.1])
def test_fractions_that_make_no_sense(fraction: float) -> None:
    with pytest.raises(ApiError, match="must not be negative or exceed 1"):
        check_split(CONFIG(fraction_split={"training_fraction": fraction}))
