"""The faults and the pace of the ``local:`` section, and what is wrong with them."""

from typing import Any

import pytest

from vertex_jobs.errors import InvalidJobError
from vertex_jobs.spec import CustomJob
from vertex_jobs.spec.local import LocalSettings

KILL = {"replica": "workerpool1-0", "fault": "kill"}


def only_fault(**written: Any) -> str:
    with pytest.raises(InvalidJobError) as caught:
        LocalSettings(**written)
    (fault,) = caught.value.faults
    return str(fault)


def test_what_goes_over_the_wire_reads_back_the_same() -> None:
    settings = LocalSettings(
        faults=[{"call": "*.Get*", "fault": 503, "times": None}, {**KILL, "after": "5s"}],
        pace={"queued": "5s"},
    )
    form = settings.model_dump(mode="json", exclude_defaults=True)
    assert LocalSettings(**form) == settings


def test_every_fault_is_reported_at_once() -> None:
    faults = [
        {"call": "*", "fault": 502},
        {"replica": "*", "fault": "kill", "log": "("},
        {"call": "*", "fault": 503, "times": 0, "probability": 2},
        {"replcia": "*", "fault": "kill"},
    ]
    with pytest.raises(InvalidJobError) as caught:
        LocalSettings(faults=faults)
    assert sorted(fault.path for fault in caught.value.faults) == [
        "faults.0.fault",
        "faults.1.log",
        "faults.2.probability",
        "faults.2.times",
        "faults.3.call",
        "faults.3.fault",
        "faults.3.replcia",
    ]


def test_a_fault_has_one_trigger() -> None:
    assert only_fault(faults=[{**KILL, "step": 1, "log": "x"}]) == (
        "faults.0: has the triggers step and log, and a fault has one; write one fault for each"
    )


def test_a_kind_of_fault_is_suggested() -> None:
    assert "did you mean 'kill'?" in only_fault(faults=[{**KILL, "fault": "kil"}])


def test_a_duration_has_a_unit_that_is_known() -> None:
    assert only_fault(faults=[{**KILL, "after": "5 days"}]).endswith(
        "must be a duration; write a number of seconds, or 500ms, 5s, 2m, 1h"
    )


def test_only_trials_have_steps(tmp_path: Any) -> None:
    (tmp_path / "train.py").write_text("")
    with pytest.raises(InvalidJobError) as caught:
        CustomJob(
            display_name="x",
            script_path=str(tmp_path / "train.py"),
            machine_type="n1-standard-4",
            local={"faults": [{**KILL, "step": 1}]},
        )
    assert [fault.path for fault in caught.value.faults] == ["local.faults.0.step"]


def test_a_jobs_local_section_is_checked_with_the_job(tmp_path: Any) -> None:
    (tmp_path / "train.py").write_text("")
    with pytest.raises(InvalidJobError) as caught:
        CustomJob(
            display_name="x" * 200,
            script_path=str(tmp_path / "train.py"),
            machine_type="n1-standard-4",
            local={"faults": [{**KILL, "after": 1, "log": "x"}]},
        )
    assert {fault.path for fault in caught.value.faults} == {"display_name", "local.faults.0"}
