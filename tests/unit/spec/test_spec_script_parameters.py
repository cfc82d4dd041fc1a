"""Parameters that a script's fields declare, read into a config without running the script."""

from pathlib import Path
from typing import Any

import pytest

from vertex_jobs.errors import InvalidJobError
from vertex_jobs.spec import HyperparameterTuningJob, load, script_parameters

SCRIPT = """
import nothing_that_is_installed
from dataclasses import dataclass, field
from typing import Literal

raise SystemExit("a script that is read does not run")

@dataclass
class Options:
    rate: float = field(default=0.1, metadata={"range": (1e-6, 10), "tune": {"max": 0.1}})
    units: int = field(default=8, metadata={"range": (1, 2**10), "tune": True})
    batch: int = field(default=32, metadata={"tune": {"values": [16, 32]}})
    rounds: Literal[3, 1, 2] = field(default=1, metadata={"tune": True})
    optimizer: Literal["sgd", "adam"] = field(default="sgd", metadata={"tune": True})
    nesterov: bool = field(
        default=False, metadata={"tune": {"when": {"optimizer": ["sgd"]}}}
    )
    warmth: str = field(default="a", metadata={"tune": {"type": "categorical", "values": ["a"]}})
    epochs: int = field(default=1, metadata={"range": (1, 10)})
"""
CONFIG = """
kind: hyperparameter_tuning_job
display_name: study
script_path: train.py
metric_spec: {accuracy: maximize}
parameter_spec: PARAMETERS
max_trial_count: 4
parallel_trial_count: 2
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(SCRIPT)
    return tmp_path


def config(root: Path, parameters: str) -> Path:
    path = root / "study.yaml"
    path.write_text(CONFIG.replace("PARAMETERS", parameters))
    return path


def space(root: Path, parameters: str, *overrides: str) -> dict[str, dict[str, Any]]:
    job = load(config(root, parameters), overrides)
    assert isinstance(job, HyperparameterTuningJob)
    return {
        name: one.model_dump(exclude_defaults=True, exclude={"type"}) | {"type": one.type}
        for name, one in job.parameter_spec.items()
    }


def faults(root: Path, parameters: str) -> list[tuple[str, str]]:
    with pytest.raises(InvalidJobError) as caught:
        load(config(root, parameters))
    return [(fault.path, f"{fault.rule}; {fault.remedy}") for fault in caught.value.faults]


def test_every_field_with_tune_is_a_parameter(root: Path) -> None:
    assert space(root, "from_script") == {
        "rate": {"type": "double", "min": 1e-6, "max": 0.1},
        "units": {"type": "integer", "min": 1, "max": 1024},
        "batch": {"type": "discrete", "values": (16, 32)},
        "rounds": {"type": "discrete", "values": (1, 2, 3)},
        "optimizer": {"type": "categorical", "values": ("sgd", "adam")},
        "nesterov": {
            "type": "categorical",
            "values": ("true", "false"),
            "when": {"optimizer": ("sgd",)},
        },
        "warmth": {"type": "categorical", "values": ("a",)},
    }


def test_a_config_chooses_parameters_and_writes_others_itself(root: Path) -> None:
    written = "{units: from_script, rate: {type: double, min: 1, max: 2}}"
    assert space(root, written) == {
        "units": {"type": "integer", "min": 1, "max": 1024},
        "rate": {"type": "double", "min": 1, "max": 2},
    }


def test_an_override_reaches_into_what_the_script_says(root: Path) -> None:
    changed = space(root, "from_script", "parameter_spec.rate.scale=log")
    assert changed["rate"] == {"type": "double", "min": 1e-6, "max": 0.1, "scale": "log"}


def test_an_override_asks_for_the_script(root: Path) -> None:
    written = "{rate: {type: double, min: 1, max: 2}}"
    whole = space(root, written, "parameter_spec=from_script")
    assert (len(whole), space(root, written, "parameter_spec.units=from_script").keys()) == (
        7,
        {"rate", "units"},
    )


def test_a_program_reads_the_same(root: Path) -> None:
    job = load(config(root, "from_script"))
    assert isinstance(job, HyperparameterTuningJob)
    assert script_parameters(root / "train.py") == job.parameter_spec


def test_a_package_is_read_whole(root: Path) -> None:
    (root / "trainer").mkdir()
    (root / "trainer" / "task.py").write_text("from trainer import options")
    (root / "train.py").rename(root / "trainer" / "options.py")
    path = config(root, "{units: from_script}")
    path.write_text(path.read_text().replace("train.py", "trainer\npython_module_name: task"))
    job = load(path)
    assert isinstance(job, HyperparameterTuningJob)
    assert list(job.parameter_spec) == ["units"]


def test_a_field_that_is_not_there_names_the_nearest(root: Path) -> None:
    (found,) = faults(root, "{unit: from_script}")
    assert found[0] == "parameter_spec.unit"
    assert "train.py has no field of that name with tune" in found[1]
    assert "units" in found[1]


def test_a_field_that_is_not_tuned_is_none(root: Path) -> None:
    assert [path for path, _ in faults(root, "{epochs: from_script}")] == ["parameter_spec.epochs"]


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ('rate: float = field(metadata={"tune": LIMITS})', "is not written out in the script"),
        ('rate: list = field(metadata={"tune": True})', "its type list says no kind of parameter"),
        ('rate: float = field(metadata={"tune": 3})', "its tune is 3, and must be True"),
        ('rate: float = field(metadata={"tune": {"type": "float"}})', "its type is 'float'"),
        ('rate: int = field(metadata={"tune": {"max": 2**99999}})', "is not written out"),
        ("rate: int = field(metadata=META)", "its metadata is not written out in the script: META"),
        ("rate: int = field(metadata=dict(META))", "is not written out in the script: dict(META)"),
        ("rate: int = field(metadata={**META})", "its metadata is not written out"),
        ("rate: int = field(metadata=dict(help='x', **META))", "its metadata is not written out"),
        ("rate: int = field(metadata={TUNE: True})", "its metadata is not written out"),
        ('rate: int | str = field(metadata={"tune": True})', "its type int | str says no kind"),
        ('rate: "int |" = field(metadata={"tune": True})', "its type 'int |' says no kind"),
    ],
)
def test_what_cannot_be_understood_says_where(root: Path, field: str, expected: str) -> None:
    (root / "train.py").write_text(f"class Options:\n    {field}\n")
    with pytest.raises(InvalidJobError) as caught:
        load(config(root, "from_script"))
    (fault,) = caught.value.faults
    assert (fault.path, fault.place.rpartition("/")[2]) == ("parameter_spec.rate", "train.py:2")
    assert expected in fault.rule


def test_metadata_may_be_a_call_of_dict(root: Path) -> None:
    metadata = "dict(range=(1, 5), tune=dict(scale='log'))"
    (root / "train.py").write_text(f"class A:\n    n: int = field(metadata={metadata})\n")
    expected = {"n": {"type": "integer", "min": 1, "max": 5, "scale": "log"}}
    assert space(root, "from_script") == expected


def test_metadata_that_cannot_be_read_is_no_matter_to_other_fields(root: Path) -> None:
    more = "class More:\n    a: int = field(metadata=META)\n    b: int = field(metadata=None)\n"
    (root / "train.py").write_text(f"{SCRIPT}\n{more}")
    assert list(space(root, "{units: from_script}")) == ["units"]
    assert [path for path, _ in faults(root, "from_script")] == ["parameter_spec.a"]


DOUBLE = {"type": "double", "min": 1, "max": 9}
INTEGER = {"type": "integer", "min": 1, "max": 9}


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("float | None", DOUBLE),
        ("None | int", INTEGER),
        ("Optional[float]", DOUBLE),
        ("typing.Union[int, None]", INTEGER),
        ("Annotated[float, 'in volts']", DOUBLE),
        ('"int"', INTEGER),
        ('"float | None"', DOUBLE),
        ('Optional["int"]', INTEGER),
        ("Literal[2, 0.5]", {"type": "discrete", "values": (0.5, 2)}),
        ("Literal[0.5, -0.5] | None", {"type": "discrete", "values": (-0.5, 0.5)}),
        ("\"Literal['a', 'b']\"", {"type": "categorical", "values": ("a", "b")}),
        ("bool | None", {"type": "categorical", "values": ("true", "false")}),
    ],
)
def test_types_are_those_that_the_runtime_takes(
    root: Path, annotation: str, expected: dict[str, Any]
) -> None:
    field = f'x: {annotation} = field(metadata={{"range": (1, 9), "tune": True}})'
    (root / "train.py").write_text(f"class Options:\n    {field}\n")
    assert space(root, "from_script") == {"x": expected}


def test_limits_are_checked_as_if_they_stood_in_the_config(root: Path) -> None:
    line = 'rate: float = field(metadata={"range": (0, 1), "tune": {"scale": "log"}})'
    (root / "train.py").write_text(f"class Options:\n    {line}\n")
    assert faults(root, "from_script")[0][0] == "parameter_spec.rate.min"


def test_two_fields_of_one_name_must_agree(root: Path) -> None:
    again = 'class More:\n    units: int = field(metadata={"range": (1, 2), "tune": True})\n'
    (root / "train.py").write_text(f"{SCRIPT}\n{again}")
    (found,) = faults(root, "from_script")
    assert found[1].startswith("is declared twice in the script")


def test_a_script_without_such_fields_says_how_to_write_one(root: Path) -> None:
    (root / "train.py").write_text("print('trained')")
    assert faults(root, "from_script") == [
        (
            "parameter_spec",
            "finds no field with tune in its metadata in train.py; "
            'write metadata={"range": (low, high), "tune": True}',
        ),
    ]


def test_a_script_that_is_no_python_is_a_fault_of_the_config(root: Path) -> None:
    (root / "train.py").write_text("def:")
    (found,) = faults(root, "from_script")
    assert "is no Python source" in found[1]


def test_without_a_script_there_is_nothing_to_read(root: Path) -> None:
    path = config(root, "from_script")
    path.write_text(path.read_text().replace("script_path: train.py", "container_uri: image"))
    with pytest.raises(InvalidJobError, match="there is none; add script_path"):
        load(path)
