"""A dataclass as a command line: accepted values, refused values and their messages."""

from __future__ import annotations  # resolved by the parser, although argparse-dataclass cannot

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Optional

import pytest

from vertex_jobs.runtime import arguments


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Options:
    """Train something."""

    learning_rate: float = field(
        default=0.1, metadata={"help": "100% of a step", "unit": "1/s", "range": (1e-4, 1.0)}
    )
    n_units: int = 8
    optimizer: Literal["sgd", "adam"] = "sgd"
    width: Literal[32, 64] = 32
    momentum: Literal[0.5, 1.0] = 0.5  # type: ignore[valid-type]  # mypy knows no floats in a Literal
    colour: Colour = Colour.RED
    maybe: Optional[int] = None
    limit: int | None = 3
    verbose: bool = False
    shuffle: bool = True
    unsure: Optional[bool] = None
    sizes: list[int] = field(default_factory=lambda: [1])
    rates: tuple[float, ...] = ()
    output: Path = Path("out")
    name: str = "digits"


@dataclass
class Needs:
    rate: float
    fast: bool


def refusal(argv: Sequence[str], capsys: pytest.CaptureFixture[str], kind: Any = Options) -> str:
    with pytest.raises(SystemExit, match="2"):
        arguments.parse(kind, argv)
    return capsys.readouterr().err.splitlines()[-1].partition("error: ")[2]


def test_without_arguments_the_defaults_hold() -> None:
    assert arguments.parse(Options, []) == Options()


@pytest.mark.parametrize(
    ("argv", "name", "value"),
    [
        (["--learning_rate=0.5"], "learning_rate", 0.5),
        (["--learning-rate", "0.5"], "learning_rate", 0.5),
        (["--learning_rate=1e-4"], "learning_rate", 0.0001),
        (["--n_units=128"], "n_units", 128),
        (["--n_units=128.0"], "n_units", 128),
        (["--n_units=1", "--n_units=2"], "n_units", 2),
        (["--optimizer=adam"], "optimizer", "adam"),
        (["--width=64"], "width", 64),
        (["--width=64.0"], "width", 64),
        (["--momentum=1"], "momentum", 1.0),
        (["--colour=blue"], "colour", Colour.BLUE),
        (["--maybe=4"], "maybe", 4),
        (["--limit=none"], "limit", None),
        (["--verbose"], "verbose", True),
        (["--verbose=true"], "verbose", True),
        (["--verbose", "false"], "verbose", False),
        (["--verbose=False"], "verbose", False),
        (["--shuffle=0"], "shuffle", False),
        (["--no-shuffle"], "shuffle", False),
        (["--no_shuffle"], "shuffle", False),
        (["--no-shuffle", "--shuffle"], "shuffle", True),
        (["--unsure"], "unsure", True),
        (["--no-unsure"], "unsure", False),
        (["--sizes=64,32"], "sizes", [64, 32]),
        (["--sizes", "64", "32.0"], "sizes", [64, 32]),
        (["--sizes="], "sizes", []),
        (["--rates", "0.1", "1"], "rates", (0.1, 1.0)),
        (["--output=a/b"], "output", Path("a/b")),
        (["--name=--odd=1"], "name", "--odd=1"),
    ],
)
def test_accepted(argv: list[str], name: str, value: object) -> None:
    assert getattr(arguments.parse(Options, argv), name) == value


def test_an_integer_stays_an_integer() -> None:
    assert isinstance(arguments.parse(Options, ["--n_units=128.0"]).n_units, int)


def test_the_process_arguments_are_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["script.py", "--n_units=9"])
    assert arguments.parse(Options).n_units == 9


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--n_units=128.5"], "argument --n_units/--n-units: '128.5' is not a whole number"),
        (["--n_units=many"], "argument --n_units/--n-units: 'many' is not a number"),
        (["--n_units=inf"], "argument --n_units/--n-units: 'inf' is not a whole number"),
        (
            ["--learning_rate=3"],
            "argument --learning_rate/--learning-rate: '3' is outside 0.0001 to 1.0",
        ),
        (
            ["--learning_rate=nan"],
            "argument --learning_rate/--learning-rate: 'nan' is outside 0.0001 to 1.0",
        ),
        (["--optimizer=adm"], "argument --optimizer: 'adm' is not one of {sgd,adam}"),
        (["--width=65.0"], "argument --width: '65.0' is not one of {32,64}"),
        (["--width=wide"], "argument --width: 'wide' is not one of {32,64}"),
        (["--colour=green"], "argument --colour: 'green' is not one of {red,blue}"),
        (["--verbose=maybe"], "argument --verbose: 'maybe' is neither true nor false"),
        (
            ["--output=gs://bucket/x"],
            "argument --output: 'gs://bucket/x' is a URI, not a local path; annotate it as str",
        ),
        (
            ["--lerning_rate=1"],
            "unknown arguments: --lerning_rate=1 (did you mean --learning_rate?); see --help",
        ),
        (
            ["--learn=1"],
            "unknown arguments: --learn=1 (did you mean --learning_rate?); see --help",
        ),
        (["--zzz", "left"], "unknown arguments: --zzz, left; see --help"),
    ],
)
def test_refused(argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(argv, capsys) == message


def test_a_field_without_default_is_required(capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal([], capsys, Needs) == "the following arguments are required: --rate"


def test_a_flag_without_default_is_off() -> None:
    assert arguments.parse(Needs, ["--rate=1"]) == Needs(rate=1.0, fast=False)


@pytest.mark.parametrize(
    "line",
    [
        "--learning_rate FLOAT, --learning-rate FLOAT",
        "100% of a step, in 1/s, from 0.0001 to 1.0 (default:",
        "--optimizer {sgd,adam}",
        "(default: red)",
        "--no_shuffle, --no-shuffle",
        "the same as --shuffle=false",
        "Train something.",
    ],
)
def test_help_says(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        arguments.parse(Options, ["--help"])
    assert line in capsys.readouterr().out


def test_a_class_that_is_no_dataclass_is_refused() -> None:
    with pytest.raises(TypeError, match=r"int'> is not a dataclass; decorate it with @dataclass"):
        arguments.parse(int, [])


@pytest.mark.parametrize(
    "hint", [dict[str, int], int | str, tuple[int, str], list, complex, list[list[int]]]
)
def test_a_type_without_command_line_form_is_refused(hint: Any) -> None:
    kind: Any = dataclass(type("Odd", (), {"__annotations__": {"odd": hint}}))
    with pytest.raises(TypeError, match=r"odd: .* has no command-line form; use"):
        arguments.parse(kind, [])
