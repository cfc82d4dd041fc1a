"""Arguments as text: those of a job, and those of a trial."""

from typing import Any

import pytest

from vertex_jobs.spec.argument_forms import parameter_text, read_tokens


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (8, "8"),
        (8.0, "8"),
        (128.0, "128"),
        (0.001, "0.001"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e-05, "1e-05"),
        (1e15, "1000000000000000"),
        (1e16, "1e+16"),
        (-3.0, "-3"),
        ("adam", "adam"),
        ("true", "true"),
    ],
)
def test_parameter_text(value: float | int | str, text: str) -> None:
    assert parameter_text(value) == text


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (["--epochs=20", "--fast=true"], {"epochs": 20, "fast": True}),
        (["--id=007", "--fast=True", "--rate=1e-3"], {"id": "007", "fast": "True", "rate": "1e-3"}),
        (["--a=1", "--a=2"], ["--a=1", "--a=2"]),
        (["train", "--a=1"], ["train", "--a=1"]),
        (["--text={not: yaml"], {"text": "{not: yaml"}),
        (["--empty="], {"empty": ""}),
    ],
)
def test_tokens_are_read_as_the_mapping_that_gives_them(tokens: list[str], expected: Any) -> None:
    assert read_tokens(tokens) == expected
