"""Every training system runs through the command line on Local Vertex and does what it says."""

import os
from collections.abc import Iterator

import pytest
import training_systems
from finished import ROOT
from rows import SYSTEMS, System

from vertex_jobs import local
from vertex_jobs.endpoints import Endpoint


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """One Local Vertex for all, so that most rows find a warm TensorFlow."""
    with local(state_dir=tmp_path_factory.mktemp("systems")) as joined:
        joined.server.hold(os.getpid())
        yield joined
        joined.server.stop()


@pytest.mark.extended
@pytest.mark.tensorflow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda one: f"{one.number}-{one.title}")
def test_system_does_what_it_says(endpoint: Endpoint, system: System) -> None:
    assert system.check(system.run(endpoint))


def test_numbers_count_from_one_without_a_gap() -> None:
    numbers = [system.number for system in SYSTEMS]
    assert numbers == [f"S{place:02}" for place in range(1, len(SYSTEMS) + 1)]


def test_every_script_belongs_to_a_system() -> None:
    scripts = {path.name for path in (ROOT / "trial_scripts").glob("*.py")}
    assert scripts == {system.script for system in SYSTEMS}


def test_every_config_belongs_to_a_system() -> None:
    configs = {path.name for path in (ROOT / "configs").glob("*.yaml")}
    assert configs == {system.config for system in SYSTEMS}


def test_every_config_runs_the_script_that_its_row_names() -> None:
    wrong = [
        system.number
        for system in SYSTEMS
        if f"trial_scripts/{system.script}" not in (ROOT / "configs" / system.config).read_text()
    ]
    assert not wrong


def test_the_page_is_current() -> None:
    assert training_systems.PAGE.read_text(encoding="utf-8") == training_systems.page(), (
        "run: python tests/systems/training_systems.py --page"
    )
