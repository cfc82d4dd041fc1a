"""The checks of a Python program's jobs, and their cost."""

from pathlib import Path

from vertex_jobs import jobs, spec
from vertex_jobs.preflight import Report

SCRIPT = """
import argparse
from vertex_jobs.runtime import metrics

parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float)
options = parser.parse_args()
metrics.report("accuracy", options.rate, 1)
"""


def wrong(tmp_path: Path) -> jobs.HyperparameterTuningJob:
    """A study with a mistake of each sort: metric, flag, machine, money."""
    (tmp_path / "train.py").write_text(SCRIPT)
    return jobs.HyperparameterTuningJob(
        display_name="search",
        script_path=tmp_path / "train.py",
        args={"epochs": 3},
        machine_type="n1-standart-4",
        timeout=3600,
        staging_bucket="gs://mine",
        max_cost_usd=0.01,
        metric_spec={"acuracy": "maximize"},
        parameter_spec={"rate": spec.DoubleParameterSpec(min=0, max=1)},
        max_trial_count=2,
        parallel_trial_count=1,
    )


def severities(report: Report) -> dict[str, str]:
    return {fault.path: fault.severity for fault in report.faults if fault.path != "container_uri"}


def test_a_check_finds_every_mistake(tmp_path: Path) -> None:
    report = wrong(tmp_path).check()
    found = ("machine_type", "args.epochs", "metric_spec.acuracy", "max_cost_usd")
    assert (severities(report), report.ok) == (dict.fromkeys(found, "error"), False)


def test_a_check_for_this_machine_does_not_mind_the_cost(tmp_path: Path) -> None:
    assert severities(wrong(tmp_path).check("local")) == {
        "args.epochs": "error",
        "metric_spec.acuracy": "error",
        "machine_type": "error",
        "max_cost_usd": "warning",
    }


def test_a_check_takes_the_place_of_the_later_endpoint() -> None:
    container = jobs.CustomJob(display_name="job", container_uri="docker.io/me/x", timeout=3600)
    there = container.check(location="us-centrall1", staging_bucket="gs://mine")
    assert severities(there) == {"--location": "error"}


def test_a_check_in_words_names_each_mistake_and_the_cost() -> None:
    report = jobs.CustomJob(
        display_name="<job>", container_uri="docker.io/me/x", machine_type="n1-standart-4"
    ).check()
    assert repr(report) == (
        "<<job>: 1 error, 2 warnings; at worst 3.15 to 5.85 USD plus n1-standart-4 (price unknown)>"
    )
    assert "  error    machine_type = 'n1-standart-4'\n           is no machine" in str(report)
    html = report._repr_html_()
    assert "<caption>&lt;job&gt;: 1 error, 2 warnings</caption>" in html
    assert "<td>error</td><td><code>machine_type = &#x27;n1-standart-4&#x27;</code></td>" in html


def test_the_cost_is_the_one_that_a_check_shows(tmp_path: Path) -> None:
    job = wrong(tmp_path).model_copy(update={"machine_type": "n1-standard-4"})
    cost = job.cost()
    assert (cost, str(cost).splitlines()[-1], repr(cost)) == (
        job.check().cost,
        "worst case: 2 trials x 1 h = 0.474 to 0.507 USD, over within 2 h",
        "<at worst 0.474 to 0.507 USD>",
    )
