"""``machines`` as a person and as a program see it."""

import json
from pathlib import Path

import pytest

from vertex_jobs.cli import main


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["machines", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_gpu_is_named_as_people_name_it(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = printed(capsys, "--gpu", "L4", "--format", "json")
    rows = json.loads(out)
    assert {name for row in rows for name in row["accelerators"]} == {"NVIDIA_L4"}


def test_an_added_gpu_is_part_of_the_price(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = printed(capsys, "--gpu", "T4", "--machine", "n1-standard-4", "--format", "json")
    one, two, four = json.loads(out)
    assert one["usd_per_hour_high"] == pytest.approx(0.21849885 + 1.1 * 0.4025, abs=1e-4)
    assert four["accelerators"] == {"NVIDIA_TESLA_T4": [4]}
    assert one["usd_per_hour_high"] < two["usd_per_hour_high"] < four["usd_per_hour_high"]


@pytest.mark.parametrize(
    ("gpu", "accelerators"),
    [
        ("H100", {"NVIDIA_H100_80GB", "NVIDIA_H100_MEGA_80GB"}),
        ("H200", {"NVIDIA_H200_141GB"}),
        ("b200", {"NVIDIA_B200"}),
        ("A100", {"NVIDIA_TESLA_A100", "NVIDIA_A100_80GB"}),
        ("NVIDIA_A100_80GB", {"NVIDIA_A100_80GB"}),
    ],
)
def test_a_family_of_gpus_has_one_name(
    gpu: str, accelerators: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = printed(capsys, "--gpu", gpu, "--format", "json")
    assert {name for row in json.loads(out) for name in row["accelerators"]} == accelerators


def test_a_size_lists_the_cheapest_first(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = printed(capsys, "--cpus", "8", "--memory-gb", "30", "--format", "json")
    rows = json.loads(out)
    assert all(row["vcpus"] >= 8 and row["memory_gb"] >= 30 for row in rows)
    prices = [row["usd_per_hour_high"] for row in rows]
    known = [price for price in prices if price is not None]
    assert prices == [*sorted(known), *[None] * (len(rows) - len(known))]


def test_tpus_are_found_by_topology(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = printed(capsys, "--topology", "2x4", "--format", "json")
    assert {row["machine_type"] for row in json.loads(out)} == {
        *("ct5lp-hightpu-4t", "ct5lp-hightpu-8t", "ct6e-standard-4t", "ct6e-standard-8t")
    }


def test_a_price_of_ones_own_takes_the_place_of_an_unknown_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "vertex-jobs").mkdir()
    (tmp_path / "vertex-jobs" / "prices.yaml").write_text("a4-highgpu-8g: 111\n")
    _, out, _ = printed(capsys, "--gpu", "B200", "--format", "json")
    assert [row["usd_per_hour_high"] for row in json.loads(out)] == [111]


def test_an_unknown_price_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = printed(capsys, "--machine", "a4-", "--format", "json")
    (row,) = json.loads(out)
    assert (row["usd_per_hour_low"], row["confidence"]) == (None, None)


def test_a_region_that_refuses_an_accelerator_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = printed(capsys, "--gpu", "A100", "--region", "us-east4", "--format", "csv")
    assert "a2-highgpu" not in out


def test_a_region_is_not_said_to_be_verified(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = printed(capsys, "--gpu", "L4", "--region", "europe-west4")
    assert "no public source at hand says that europe-west4 has these accelerators" in err


def test_tpus_have_topologies(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = printed(capsys, "--tpu", "--machine", "ct6e-standard-1t", "--format", "csv")
    assert out.splitlines()[1].startswith("ct6e-standard-1t,44,48,topology: 1x1,")


def test_filters_that_name_nothing_are_told_together(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = printed(capsys, "--gpu", "L5", "--machine", "q9", "--region", "us-centrall1")
    assert code == 2
    assert [path in err for path in ("--gpu", "--machine", "did you mean 'us-central1'")] == [
        True,
        True,
        True,
    ]
