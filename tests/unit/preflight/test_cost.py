"""What a job costs, from the catalog's prices: by the hour, at worst, and so far."""

import re
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from vertex_jobs import catalog
from vertex_jobs.errors import InvalidJobError
from vertex_jobs.preflight.cost import CostRange, estimate, priced_catalog, so_far
from vertex_jobs.spec import CustomJob, HyperparameterTuningJob

PRICES = catalog.load()
N1 = PRICES.machines["n1-standard-4"].price
T4 = PRICES.accelerators["NVIDIA_TESLA_T4"].price
DISK = PRICES.boot_disks["pd-ssd"].usd_per_gb_month
assert N1 is not None
assert T4 is not None
assert DISK is not None
DISK_HOUR = DISK * 100 / 730
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=timezone.utc)


def job(**fields: Any) -> CustomJob:
    return CustomJob(display_name="x", container_uri="docker.io/me/x", **fields)


def study(**fields: Any) -> HyperparameterTuningJob:
    counts = {"max_trial_count": 16, "parallel_trial_count": 3, **fields}
    return HyperparameterTuningJob(
        display_name="x",
        container_uri="docker.io/me/x",
        metric_spec={"accuracy": "maximize"},
        parameter_spec={"rate": {"type": "double", "min": 0.1, "max": 1}},
        **counts,
    )


def test_an_hour_is_machine_accelerators_and_disk() -> None:
    fields = {"accelerator_type": "NVIDIA_TESLA_T4", "accelerator_count": 2}
    hourly = estimate(job(**fields), "us-central1").hourly
    expected = N1.usd_per_hour + 2 * T4.usd_per_hour * 0.9 + DISK_HOUR * 0.7
    assert hourly.low == pytest.approx(expected)
    assert hourly.high == pytest.approx(
        N1.usd_per_hour + 2 * T4.usd_per_hour * 1.1 + DISK_HOUR * 1.3
    )


def test_every_replica_is_paid() -> None:
    one, three = (estimate(job(replica_count=n), "us-central1").hourly for n in (1, 3))
    assert three.high == pytest.approx(3 * one.high)


def test_a_bundled_accelerator_is_part_of_the_machine() -> None:
    fields = {
        "machine_type": "g2-standard-4",
        "accelerator_type": "NVIDIA_L4",
        "accelerator_count": 1,
    }
    lines = estimate(job(**fields), "us-central1").legs[0].rate.lines
    assert [line.item for line in lines] == ["g2-standard-4", "pd-ssd 100 GB"]


def test_an_unknown_price_is_named_and_not_counted_as_nothing() -> None:
    fields = {"machine_type": "a3-highgpu-1g", "accelerator_type": "NVIDIA_H100_80GB"}
    worst = estimate(job(**fields, accelerator_count=1), "us-central1").worst_case
    assert worst.unknown == ("a3-highgpu-1g",)
    assert str(worst).endswith("plus a3-highgpu-1g (price unknown)")


def test_the_worst_case_is_every_trial_at_its_timeout() -> None:
    found = estimate(study(timeout=1800), "us-central1")
    assert found.worst_case.high == pytest.approx(16 * 0.5 * found.hourly.high)


def test_rounds_of_parallel_trials_give_the_longest_time() -> None:
    assert estimate(study(timeout=1800), "us-central1").longest_hours == 6 * 0.5


def test_without_a_timeout_the_service_waits_seven_days() -> None:
    assert estimate(job(), "us-central1").timeout_hours == 7 * 24


def test_elsewhere_a_price_is_worth_less() -> None:
    here, there = (estimate(job(), place).hourly for place in ("us-central1", "europe-west4"))
    assert (there.low, there.high) != (here.low, here.high)
    assert there.low < here.low < here.high < there.high


def test_spot_may_cost_a_small_part_but_not_its_disk() -> None:
    hourly = estimate(job(scheduling_strategy="spot"), "us-central1").hourly
    assert hourly.low == pytest.approx(N1.usd_per_hour * 0.09 + DISK_HOUR * 0.7)
    assert hourly.high == pytest.approx(N1.usd_per_hour + DISK_HOUR * 1.3)


def test_the_dearest_fallback_is_the_worst_case() -> None:
    plain = estimate(job(timeout=3600), "us-central1").worst_case
    fallback = [{"machine_type": "n1-standard-16"}]
    worst = estimate(job(timeout=3600, fallback=fallback), "us-central1").worst_case
    assert worst.low == plain.low
    assert worst.high > 3 * plain.high


def resource(collection: str, **fields: Any) -> dict[str, Any]:
    return {"name": f"projects/1/locations/us-central1/{collection}/7", **fields}


POOLS = [{"machineSpec": {"machineType": "n1-standard-4"}, "replicaCount": "2"}, {}]


def test_a_running_job_has_cost_its_time_so_far() -> None:
    spec = {"workerPoolSpecs": POOLS}
    running = resource("customJobs", jobSpec=spec, startTime="2026-11-20T10:00:00.123456789Z")
    assert so_far(running, NOW).high == pytest.approx(2 * 2 * (N1.usd_per_hour + DISK_HOUR * 1.3))


def test_an_ended_job_costs_no_more_later() -> None:
    times = {"startTime": "2026-11-20T10:00:00Z", "endTime": "2026-11-20T11:00:00Z"}
    ended = resource("customJobs", jobSpec={"workerPoolSpecs": POOLS}, **times)
    later = NOW.replace(year=2027)
    assert so_far(ended, NOW) == so_far(ended, later)


def test_a_job_that_never_ran_has_cost_nothing() -> None:
    queued = resource("customJobs", jobSpec={"workerPoolSpecs": POOLS})
    assert so_far(queued, NOW) == CostRange()


def test_a_study_costs_what_its_trials_cost() -> None:
    trials = [
        {"startTime": "2026-11-20T10:00:00Z", "endTime": "2026-11-20T10:30:00Z"},
        {"startTime": "2026-11-20T11:30:00Z"},
        {"state": "REQUESTED"},
    ]
    spec = {"workerPoolSpecs": POOLS}
    running = resource("hyperparameterTuningJobs", trialJobSpec=spec, trials=trials)
    assert so_far(running, NOW).low == pytest.approx(2 * (N1.usd_per_hour + DISK_HOUR * 0.7))


def test_a_pipeline_is_read_in_the_spelling_of_the_sdk() -> None:
    pools = [{"machine_spec": {"machine_type": "n1-standard-4"}, "replica_count": 1}]
    inputs = {"worker_pool_specs": pools}
    running = resource("trainingPipelines", trainingTaskInputs=inputs)
    running["startTime"] = "2026-11-20T11:00:00Z"
    assert so_far(running, NOW).low == pytest.approx(N1.usd_per_hour + DISK_HOUR * 0.7)


def test_what_is_no_job_has_no_cost() -> None:
    with pytest.raises(ValueError, match="holds no jobs; the collections are customJobs"):
        so_far(resource("models"), NOW)


def test_amounts_are_read_as_money() -> None:
    assert str(CostRange(1.5, 2.25)) == "1.50 to 2.25 USD"
    assert str(CostRange(0.219, 0.219)) == "0.219 USD"


def test_a_price_of_ones_own_counts_as_it_is() -> None:
    found = estimate(job(prices={"n1-standard-4": 0.5, "pd-ssd": 0}), "europe-west4")
    assert (found.hourly.low, found.hourly.high) == (0.5, 0.5)
    assert str(found.legs[0].rate.lines[0]) == "1 x n1-standard-4: 0.5 USD/h (a price of your own)"
    assert found.legs[0].rate.notes == ()


def test_a_price_of_ones_own_lifts_what_is_unknown() -> None:
    machine = {"machine_type": "a3-highgpu-1g", "accelerator": "H100:1"}
    assert not estimate(job(**machine), "us-central1").hourly.is_complete
    priced = estimate(job(**machine, prices={"a3-highgpu-1g": 4.1}), "us-central1")
    assert priced.hourly.is_complete
    assert 4.1 < priced.hourly.high < 4.2


def test_a_list_price_says_where_it_holds() -> None:
    line = estimate(job(), "europe-west4").legs[0].rate.lines[0]
    assert "0.2185 USD/h in us-central1 (high confidence, checked" in str(line)


def test_each_machine_of_a_tpu_slice_is_paid() -> None:
    fields = {"machine_type": "ct5lp-hightpu-4t", "tpu_topology": "4x4"}
    line = (
        estimate(job(**fields, prices={"ct5lp-hightpu-4t": 2}), "us-central1").legs[0].rate.lines[0]
    )
    assert line.quantity == 4


def test_the_users_file_of_prices(tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text("NVIDIA_TESLA_T4: 0.35\n")
    price = priced_catalog({"n1-standard-4": 0.2}, tmp_path / "prices.yaml")
    t4, n1 = price.accelerators["NVIDIA_TESLA_T4"].price, price.machines["n1-standard-4"].price
    assert t4 is not None
    assert n1 is not None
    assert (t4.usd_per_hour, n1.usd_per_hour) == (0.35, 0.2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- 1\n", "must be a mapping of names to prices; write g2-standard-4: 0.71"),
        ("n1-standard-44: 1\n", "is no machine type, accelerator or boot disk; did you mean"),
        ("NVIDIA_L4: 1\n", "is part of the price of its machine; give the price of the machine"),
        ("n1-standard-4: cheap\n", "is no price; write US dollars per hour, as 4.40"),
        ("n1-standard-4: [\n", "is no YAML"),
    ],
)
def test_a_file_that_is_no_prices_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text(text)
    with pytest.raises(InvalidJobError, match=re.escape(message)):
        priced_catalog(file=tmp_path / "prices.yaml")


def test_each_resubmission_is_in_the_worst_case() -> None:
    once, thrice = (estimate(job(timeout=3600, max_resubmissions=n), "us-central1") for n in (0, 2))
    assert thrice.worst_case.high == pytest.approx(3 * once.worst_case.high)
    assert "worst case, with 2 resubmissions: " in str(thrice)
