"""Every config runs there today: its image is there, its requirements fit it and each other."""

from datetime import date
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from resolved_configs import CONFIGS, asked, resolved, stored

from vertex_jobs.catalog.container_images import public_image
from vertex_jobs.errors import PackagingError
from vertex_jobs.preflight import check
from vertex_jobs.requests import Place
from vertex_jobs.spec import examine

TODAY = date(2026, 11, 22)
PLACE = Place("my-project", "us-central1", "gs://my-bucket")
#: What a package tool says when it asked and got no answer.
NO_ANSWER = ("error sending request", "dns error", "Could not connect", "timed out", "no answer")


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_nothing_is_said_of_its_image_or_its_libraries(config: Path) -> None:
    report = check(examine(config), on="vertex", place=PLACE, today=TODAY)
    expected = ["local"] if "\nlocal:" in config.read_text(encoding="utf-8") else []
    assert [fault.path for fault in report.faults] == expected


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_every_requirement_is_one_exact_version(config: Path) -> None:
    lines, _ = asked(config)
    loose = [line for line in lines if not Requirement(line).specifier]
    assert [line for line in lines if "==" not in line and line not in loose] == [
        "argparse-dataclass>=2.0.0"  # the runtime's own
    ]
    assert loose == []


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_what_was_chosen_is_what_is_asked_for(config: Path) -> None:
    """Each requirement was resolved to a version that it takes, for the image's Python."""
    lines, python = asked(config)
    found = stored()[config.stem]
    assert (found["asked"], found["python"]) == (lines, python)
    chosen = {one.name: one.specifier for one in map(Requirement, map(str, found["chosen"]))}  # type: ignore[call-overload]
    for line in lines:
        wanted = Requirement(line)
        (version,) = chosen[canonicalize_name(wanted.name)]
        assert wanted.specifier.contains(version.version, prereleases=True), line


@pytest.mark.extended
@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_the_index_has_versions_that_fit_together(config: Path) -> None:
    """Where no index answers, what was stored stands, which the test before this one holds."""
    refused = ""
    try:
        resolved(config)
    except PackagingError as error:
        refused = str(error)
    assert not refused or any(text in refused for text in NO_ANSWER), refused


def test_every_image_of_the_configs_is_public_and_listed() -> None:
    images = {
        pool.container_uri
        for config in CONFIGS
        for pool in examine(config).job.worker_pools_resolved()
    }
    assert [uri for uri in images if public_image(uri) is None] == []
