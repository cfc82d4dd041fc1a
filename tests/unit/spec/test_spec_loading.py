"""Configs read from files: YAML, overrides, and where a script is looked for."""

from pathlib import Path
from typing import Any

import pytest

from vertex_jobs.errors import InvalidJobError
from vertex_jobs.spec import HyperparameterTuningJob, JobSpec, load

CONFIG = """
kind: hyperparameter_tuning_job
display_name: study
script_path: scripts/train.py
metric_spec: {accuracy: maximize}
parameter_spec:
  rate: {type: double, min: 1e-4, max: 1E-1, scale: log}
  my.id: {type: categorical, values: [yes, off, 2026-11-20, 12:30]}
max_trial_count: 4
parallel_trial_count: 2
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "train.py").write_text("print('trained')")
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "study.yaml").write_text(CONFIG)
    return tmp_path


def loaded(root: Path, *overrides: str) -> HyperparameterTuningJob:
    job = load(root / "configs" / "study.yaml", overrides)
    assert isinstance(job, HyperparameterTuningJob)
    return job


def message_of(root: Path, text: str, *overrides: str) -> str:
    path = root / "configs" / "wrong.yaml"
    path.write_text(text)
    with pytest.raises(InvalidJobError) as caught:
        load(path, overrides)
    return str(caught.value).replace(str(path), "wrong.yaml")


def parameters(job: HyperparameterTuningJob) -> dict[str, dict[str, Any]]:
    return {name: spec.model_dump() for name, spec in job.parameter_spec.items()}


def test_a_power_of_ten_without_a_dot_is_a_number(root: Path) -> None:
    assert parameters(loaded(root))["rate"]["min"] == 0.0001


def test_words_dates_and_times_are_text(root: Path) -> None:
    values = parameters(loaded(root))["my.id"]["values"]
    assert values == ("yes", "off", "2026-11-20", "12:30")


@pytest.mark.parametrize(
    ("text", "value"), [("1e3", 1000.0), ("010", 10.0), ("0x10", 16.0), (".5", 0.5), ("-1.", -1.0)]
)
def test_numbers_as_in_yaml_1_2(text: str, value: float, root: Path) -> None:
    job = loaded(root, f"parameter_spec.rate={{type: double, min: -9, max: {text}}}")
    assert parameters(job)["rate"]["max"] == value


def test_a_key_that_stands_twice_is_named_with_its_lines(root: Path) -> None:
    message = message_of(root, CONFIG + "max_trial_count: 8\n")
    assert "max_trial_count: stands twice, in line 9 and in line 11; remove one" in message


def test_a_repeated_key_hides_no_other_fault(root: Path) -> None:
    message = message_of(root, CONFIG + "max_trial_count: 8\ntimeout: 0\n")
    assert message.startswith("wrong.yaml: 2 faults")


def test_a_syntax_error_has_line_and_column(root: Path) -> None:
    message = message_of(root, "kind: custom_job\nargs: {epochs: 3\nlabels: {}\n")
    assert "line 3, column 7: is no YAML: expected ',' or '}', but got ':'" in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "config: must be a mapping of keys to values; start with kind:"),
        ("- a\n", "config = ['a']: must be a mapping"),
        ("a: 1\n---\nb: 1\n", "is no YAML: but found another document"),
        ("a: !!python/object:os.system {}\n", "could not determine a constructor"),
        ("1: 2\nkind: custom_job\n", "1 = 2: "),
        ("null: 2\nkind: custom_job\n", "null = 2: "),
        ("? [a]\n: 2\n", "is no YAML: a key that is no text"),
        ("a: !!int abc\n", "line 1, column 4: is no YAML: no value of the tag int"),
        (f"a: {'9' * 5000}\n", "no value of the tag int"),
        ("a: !!timestamp 2026-01-01\n", "could not determine a constructor"),
        ("a: &a [*a]\n", "an alias of a collection that it is in"),
        ("a: " + "[" * 60, "more than 40 collections in each other"),
        ('a: "\\0"\n', "line 1, column 4: is no YAML: the character U+0000, which is no text"),
        ('a: "\\ud800"\n', "the character U+D800, which is no text"),
        ("a: 1\nb: \x1b[2J\n", "line 2, column 4: is no YAML: the character U+001B"),
        ("a: " + "x" * 600_000, "has 600,003 characters, and a config 524,288 at most"),
    ],
)
def test_text_that_is_no_config(text: str, message: str, root: Path) -> None:
    assert message in message_of(root, text)


def test_an_alias_bomb_is_refused_before_it_goes_off(root: Path) -> None:
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))]
    assert "more than 100,000 values with its aliases" in message_of(root, "\n".join(lines))


def test_aliases_and_merges_are_read(root: Path) -> None:
    text = "labels: &a {team: x}\nenvironment_variables: {<<: *a, 1: one}\n"
    path = root / "configs" / "aliases.yaml"
    path.write_text("base: study.yaml\n" + text)
    assert load(path).environment_variables == {"team": "x", "1": "one"}


def test_a_config_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidJobError, match=r"cannot be read: .*No such file"):
        load(tmp_path / "none.yaml")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidJobError, match=r"cannot be read: 'utf-8'"):
        load(tmp_path / "bytes.yaml")


@pytest.mark.parametrize(
    ("override", "field", "value"),
    [
        ("max_trial_count=8", "max_trial_count", 8),
        ("display_name=a=b", "display_name", "a=b"),
        ("labels.team=digits", "labels", {"team": "digits"}),
        ("args=[--epochs, 3]", "args", ("--epochs", 3)),
        ("args.epochs=3", "args", {"epochs": 3}),
        ("search_algorithm=random", "search_algorithm", "random"),
        ("search_algorithm=", "search_algorithm", None),
    ],
)
def test_an_override_sets_a_value(override: str, field: str, value: object, root: Path) -> None:
    assert getattr(loaded(root, override), field) == value


def test_an_override_reaches_into_a_section_and_a_list(root: Path) -> None:
    job = loaded(root, "local.seed=3", "parameter_spec.my.id.values.0=maybe")
    assert (job.local.seed, parameters(job)["my.id"]["values"][0]) == (3, "maybe")


def test_the_last_override_of_a_path_wins(root: Path) -> None:
    assert loaded(root, "max_trial_count=8", "max_trial_count=9").max_trial_count == 9


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("max_trial_count", "--set max_trial_count: is no path=value; write max_trial_count=4"),
        ("max_trails=3", "max_trails = 3: is no key here; did you mean 'max_trial_count'?"),
        ("parameter_spec.rat.min=1", "there is no 'rat' to set; did you mean 'rate'?"),
        ("parameter_specs.rate.min=1", "there is no 'parameter_specs' to set; did you mean"),
        ("parameter_spec.rate.mi=1", "parameter_spec.rate.mi = 1: is no key here; did you mean"),
        ("parameter_spec.my.id.values.9=a", "there is no '9' to set"),
        ("display_name.x=1", "there is no 'x' to set"),
        ("args={", "is no YAML"),
        ("max_trial_count=1", "parallel_trial_count = 2: must not exceed max_trial_count = 1"),
    ],
)
def test_a_wrong_override(override: str, message: str, root: Path) -> None:
    assert message in message_of(root, CONFIG, override)


def script_of(job: JobSpec) -> Path:
    assert job.script_path is not None
    return Path(job.script_path)


def test_a_script_is_found_from_the_directory_above_the_config(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "scripts").mkdir()
    (elsewhere / "scripts" / "train.py").write_text("print('another')")
    monkeypatch.chdir(elsewhere)
    assert script_of(loaded(root)) == root / "scripts" / "train.py"


def test_a_script_beside_the_config_comes_first(root: Path) -> None:
    (root / "configs" / "scripts").mkdir()
    (root / "configs" / "scripts" / "train.py").write_text("")
    assert script_of(loaded(root)) == root / "configs" / "scripts" / "train.py"


def test_a_script_in_the_current_directory_comes_last(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "mine.py").write_text("")
    monkeypatch.chdir(tmp_path / "here")
    assert script_of(loaded(root, "script_path=mine.py")) == tmp_path / "here" / "mine.py"


def test_a_folder_needs_the_module_to_run(root: Path) -> None:
    message = message_of(root, CONFIG, "script_path=scripts")
    assert "add python_module_name, e.g. trainer.task" in message


@pytest.mark.parametrize("module", ["train", "scripts.train"])
def test_a_module_is_found_in_or_as_the_folder(module: str, root: Path) -> None:
    job = loaded(root, "script_path=scripts", f"python_module_name={module}")
    assert script_of(job) == root / "scripts"


def test_a_module_that_is_not_there(root: Path) -> None:
    message = message_of(root, CONFIG, "script_path=scripts", "python_module_name=trian")
    assert "python_module_name = 'trian': is no module in scripts" in message
