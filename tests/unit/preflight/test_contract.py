"""Real scripts with real parsers, asked in a child process: what they accept, and what they do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from configs_to_check import SOUND, STUDY

from vertex_jobs.preflight import RULES, Report

Checked = Callable[..., Report]

#: Would leave a mark if anything after the parser ran.
TRAINS = """
open("trained", "w").write("yes")
raise SystemExit("it trained")
"""
REPORTS = """
import hypertune
hypertune.HyperTune().report_hyperparameter_tuning_metric("accuracy", 0.5)
"""
ARGPARSE = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--units", type=int)
parser.add_argument("--epochs", type=int, default=1)
{more}
options = parser.parse_args()
"""
CLICK = """
import click
@click.command()
@click.option("--units", type=int)
@click.option("--epochs", default=1)
{more}
def train(**options):
    raise SystemExit("it trained")
train()
"""
ABSL = """
from absl import app, flags
flags.DEFINE_integer("units", 1, "width")
flags.DEFINE_integer("epochs", 1, "passes")
{more}
def train(_):
    raise SystemExit("it trained")
app.run(train)
"""
DATACLASS = """
from dataclasses import dataclass, field
from argparse_dataclass import ArgumentParser
@dataclass
class Options:
    units: int = 1
    epochs: int = 1
    {more}
options = ArgumentParser(Options).parse_args()
"""
RUNTIME = """
from dataclasses import dataclass, field
from vertex_jobs.runtime import arguments
@dataclass
class Options:
    units: int = field(default=1, metadata={{"range": (1, 64)}})
    epochs: int = 1
    {more}
options = arguments.parse(Options)
"""
PARSERS = {
    "argparse": ARGPARSE,
    "click": CLICK,
    "absl": ABSL,
    "argparse-dataclass": DATACLASS,
    "runtime": RUNTIME,
}
#: What makes an argument required in each.
REQUIRED = {
    "argparse": 'parser.add_argument("--data", required=True)',
    "click": '@click.option("--data", required=True)',
    "absl": 'flags.DEFINE_string("data", None, "data"); flags.mark_flag_as_required("data")',
    "argparse-dataclass": 'data: str = field(metadata={"required": True}, kw_only=True)',
    "runtime": "data: str = field(kw_only=True)",
}


@pytest.fixture
def asked(tmp_path: Path, checked: Checked) -> Callable[..., Report]:
    """Checks a study of a script."""

    def check_script(script: str, **config: Any) -> Report:
        (tmp_path / "train.py").write_text(script + TRAINS + REPORTS)
        study = {**STUDY, **SOUND, "script_path": "train.py", **config}
        report = checked({key: value for key, value in study.items() if key != "container_uri"})
        assert not (tmp_path / "trained").exists()
        return report

    return check_script


def said(report: Report) -> dict[str, str]:
    """Path to rule and remedy, images apart."""
    faults = [fault for fault in report.faults if fault.path != "container_uri"]
    return {fault.path: f"{fault.severity}: {fault.rule}; {fault.remedy}" for fault in faults}


@pytest.mark.parametrize("parser", PARSERS)
def test_a_script_that_takes_its_arguments_is_left_alone(parser: str, asked: Checked) -> None:
    script = PARSERS[parser].format(more="")
    assert said(asked(script, args={"epochs": 3}, requirements=["click"])) == {}


@pytest.mark.parametrize("parser", PARSERS)
def test_an_unknown_flag_is_named_with_the_nearest_one(parser: str, asked: Checked) -> None:
    found = said(asked(PARSERS[parser].format(more=""), args={"epoch_s": 3}))
    assert found["args.epoch_s"] == "error: the script has no --epoch_s; did you mean '--epochs'?"


@pytest.mark.parametrize("parser", PARSERS)
def test_a_tuned_parameter_is_a_flag_too(parser: str, asked: Checked) -> None:
    spec = {"width": {"type": "integer", "min": 1, "max": 4}}
    found = said(asked(PARSERS[parser].format(more=""), parameter_spec=spec))
    assert found["parameter_spec.width"].startswith("error: the script has no --width")


@pytest.mark.parametrize("parser", PARSERS)
def test_a_value_of_the_wrong_kind_is_refused(parser: str, asked: Checked) -> None:
    spec = {"units": {"type": "double", "min": 0.5, "max": 4}}
    found = said(asked(PARSERS[parser].format(more=""), parameter_spec=spec))
    assert found["parameter_spec.units"].startswith("error: the script refuses --units=")


@pytest.mark.parametrize("parser", PARSERS)
def test_what_is_required_and_not_given_is_named(parser: str, asked: Checked) -> None:
    found = said(asked(PARSERS[parser].format(more=REQUIRED[parser])))
    assert "data" in found["args"]


@pytest.mark.parametrize(
    ("parser", "expected"),
    [("argparse", "warning: may arrive as --units=16.0"), ("runtime", None)],
)
def test_whole_discrete_values_may_arrive_as_floats(
    parser: str, expected: str | None, asked: Checked
) -> None:
    spec = {"units": {"type": "discrete", "values": [16, 32, 48, 64]}}
    found = said(asked(PARSERS[parser].format(more=""), parameter_spec=spec))
    assert found.get("parameter_spec.units", "").startswith(expected or "")
    assert bool(found) == bool(expected)


def test_an_end_of_the_range_that_the_script_refuses_is_found(asked: Checked) -> None:
    spec = {"units": {"type": "integer", "min": 1, "max": 100}}
    found = said(asked(RUNTIME.format(more=""), parameter_spec=spec))
    assert "'100' is outside 1 to 64" in found["parameter_spec.units"]


def test_every_category_is_tried(asked: Checked) -> None:
    more = 'parser.add_argument("--optimizer", choices=["sgd", "adam"])'
    spec = {"optimizer": {"type": "categorical", "values": ["sgd", "adamw"]}}
    found = said(asked(ARGPARSE.format(more=more), parameter_spec=spec))
    assert "invalid choice: 'adamw'" in found["parameter_spec.optimizer"]


def test_type_bool_reads_false_as_true(asked: Checked) -> None:
    more = 'parser.add_argument("--augment", type=bool)'
    found = said(asked(ARGPARSE.format(more=more), args={"augment": False}))
    assert "every text is true" in found["args.augment"]


def test_an_abbreviation_is_written_out(asked: Checked) -> None:
    found = said(asked(ARGPARSE.format(more=""), args={"epo": 3}))
    assert found["args.epo"] == "warning: --epo is short for --epochs; write epochs"


def test_a_required_flag_of_an_inactive_parameter_is_missing(asked: Checked) -> None:
    more = 'parser.add_argument("--momentum", type=float, required=True)'
    spec = {
        "units": {"type": "integer", "min": 1, "max": 4},
        "momentum": {"type": "double", "min": 0, "max": 1, "when": {"units": [1]}},
    }
    found = said(asked(ARGPARSE.format(more=more), parameter_spec=spec))
    assert "the following arguments are required: --momentum" in found["args"]


def test_a_parser_that_ignores_unknown_flags_is_asked_what_it_ignores(asked: Checked) -> None:
    script = ARGPARSE.format(more="").replace(
        "options = parser.parse_args()", "options, rest = parser.parse_known_args()"
    )
    found = said(asked(script, args={"batch": 3}))
    assert found["args.batch"].startswith("error: the script has no --batch")


def test_a_parser_after_a_first_one_is_the_one_that_is_asked(asked: Checked) -> None:
    first = 'early = argparse.ArgumentParser(add_help=False)\nearly.add_argument("--config")\n'
    first += "known, rest = early.parse_known_args()"
    assert said(asked(ARGPARSE.format(more=first), args={"epochs": 3})) == {}


def test_an_empty_command_line_of_the_scripts_own_is_found(asked: Checked) -> None:
    script = ARGPARSE.format(more="").replace("parse_args()", "parse_args([])")
    assert "every argument is ignored" in said(asked(script))["script_path"]


def test_subcommands_have_flags_of_their_own(asked: Checked) -> None:
    more = 'commands = parser.add_subparsers(required=True)\ntrain = commands.add_parser("train")\n'
    more += 'train.add_argument("--depth", type=int)'
    spec = {"depth": {"type": "integer", "min": 1, "max": 4}}
    found = said(asked(ARGPARSE.format(more=more), args=["train"], parameter_spec=spec))
    assert found == {}


def test_a_sibling_travels_and_is_found(tmp_path: Path, asked: Checked) -> None:
    (tmp_path / "layers.py").write_text("WIDTH = 3\n")
    assert said(asked("from layers import WIDTH\n" + ARGPARSE.format(more=""))) == {}


def test_a_library_that_is_not_here_is_named_and_the_flags_are_asked(asked: Checked) -> None:
    script = "import no_such_library\n" + ARGPARSE.format(more="")
    found = said(asked(script, args={"batch": 1}))
    assert found["requirements"].startswith("error: is imported by train.py:1, and neither")
    assert found["args.batch"].startswith("error: the script has no --batch")


def test_a_requirement_that_is_not_here_is_named(asked: Checked) -> None:
    requirements = ["pydantic>=2", "no-such-thing-at-all"]
    found = said(asked(ARGPARSE.format(more=""), requirements=requirements))
    assert list(found) == ["requirements.1"]


def test_a_script_that_fails_first_is_found(asked: Checked) -> None:
    found = said(asked("import json\njson.loads('{')\n" + ARGPARSE.format(more="")))
    assert "error: fails before it reads its command line: json.decoder" in found["script_path"]


def test_a_script_that_is_no_python_is_found(asked: Checked) -> None:
    assert "train.py:1: " in said(asked("def\n"))["script_path"]


def test_a_script_without_a_parser_is_not_run_at_all(asked: Checked) -> None:
    found = said(asked("raise SystemExit('it ran')"))
    assert "names neither argparse, click nor absl" in found["script_path"]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "connects to the network"),
        ("import subprocess; subprocess.run(['true'])", "starts another program"),
        ("open('/var/tmp/made-by-a-script', 'w')", "writes to /var/tmp/made-by-a-script"),
    ],
)
def test_a_script_does_nothing_that_only_a_job_may(action: str, words: str, asked: Checked) -> None:
    guarded = f"try:\n    {action}\nexcept Exception: pass\n"
    found = said(asked(guarded + ARGPARSE.format(more="")))
    assert words in found["script_path"]
    assert not Path("/var/tmp/made-by-a-script").exists()


def test_libraries_need_not_be_loaded(asked: Checked) -> None:
    script = """
import tensorflow as tf
from sklearn.base import BaseEstimator
class Model(tf.keras.Model):
    pass
class Other(BaseEstimator, tf.Module):
    pass
@tf.function(jit_compile=True)
def step(x: tf.Tensor | None):
    return x * 2
with tf.device("cpu"):
    scale = 2 * tf.constant(1) + 1
import sys
loaded = [name for name in sys.modules if name.startswith("tensorflow.python")]
if loaded:
    raise SystemExit("TensorFlow was loaded")
"""
    assert said(asked(script + ARGPARSE.format(more=""), requirements=["scikit-learn"])) == {}


def test_what_is_decided_by_a_library_is_asked_of_the_real_one(asked: Checked) -> None:
    more = """
import numpy
if numpy.arange(4).sum() == 6:
    parser.add_argument("--batch", type=int)
"""
    assert said(asked(ARGPARSE.format(more=more), args={"batch": 3})) == {}


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ('tune.report_hyperparameter_tuning_metric("acc", 1)', "error: the script reports no"),
        ('tune.report_hyperparameter_tuning_metric(hyperparameter_metric_tag="accuracy")', None),
        ('metrics.report("accuracy", 1, 1)', None),
        ('ReportMetrics({"accuracy": "val_accuracy"})', None),
        ('ReportMetrics({"loss": "val_loss"})', "error: the script reports no metric"),
        ("tune.report_hyperparameter_tuning_metric(tag, 1)", None),
        ("print(1)", "warning: no report of a metric is found"),
    ],
)
def test_metrics_are_looked_for_in_the_sources(
    report: str, expected: str | None, tmp_path: Path, checked: Checked
) -> None:
    (tmp_path / "train.py").write_text(ARGPARSE.format(more="") + report + "\n")
    study = {**STUDY, **SOUND, "script_path": "train.py"}
    found = said(checked(study)).get("metric_spec.accuracy", "")
    assert found.startswith(expected or "")
    assert bool(found) == bool(expected)


@pytest.mark.parametrize("junk", [None, 7, {}])
@pytest.mark.parametrize(
    "field", ["args", "parameter_spec", "metric_spec", "environment_variables", "worker_pools"]
)
def test_what_cannot_be_read_is_not_asked(field: str, junk: Any, asked: Checked) -> None:
    assert asked(ARGPARSE.format(more=""), **{field: junk}).source


def test_every_rule_on_scripts_is_known_to_these_tests() -> None:
    names = {rule.name for rule in RULES if rule.find.__module__.endswith("scripts")}
    assert names == {
        "script-packaged",
        "script-starts",
        "script-asked",
        "command-line-read",
        "flags-known",
        "values-accepted",
        "whole-numbers-as-floats",
        "truth-values-read",
        "flags-in-full",
        "required-flags-given",
        "metric-named-alike",
        "metric-reported",
    }
