"""What is durable beside the jobs, and the rules of model versions."""

from pathlib import Path

import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.identity import project_number
from vertex_jobs.emulator.resources.model_versions import find_version, give_alias, take_alias
from vertex_jobs.emulator.resources.tables.models import ModelTable
from vertex_jobs.emulator.resources.tables.operations import OperationTable
from vertex_jobs.emulator.resources.tables.projects import ProjectTable
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.database import Database
from vertex_jobs.names import ResourceName


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "resources.sqlite")


def operation(number: int) -> protos.Message:
    name = f"projects/1/locations/l/operations/{number}"
    return protos.Operation(name=name, done=True)


def test_only_the_newest_operations_are_kept(database: Database) -> None:
    table = OperationTable(database, kept=2)
    for number in range(4):
        table.add(operation(number))
    kept = [one.name[-1] for _, one in table.under("projects/1/locations/l", None)]
    assert kept == ["3", "2"]


def test_operations_of_another_region_are_not_listed(database: Database) -> None:
    table = OperationTable(database)
    table.add(operation(1))
    assert list(table.under("projects/1/locations/lo", None)) == []


def test_projects_are_known_after_reopening(tmp_path: Path) -> None:
    number = ProjectTable(Database(tmp_path / "db")).note("my-project")
    assert ProjectTable(Database(tmp_path / "db")).id_of(number) == "my-project"


def test_a_project_of_a_number_goes_back_to_it() -> None:
    assert project_number("project-123456789012") == "123456789012"


def model(project: str, version: str = "1", *aliases: str) -> protos.Message:
    name = f"projects/{project}/locations/l/models/m"
    return protos.Model(name=name, version_id=version, version_aliases=aliases)


def test_two_projects_may_use_one_model_id(database: Database) -> None:
    table = ModelTable(database)
    for project in ("1", "2"):
        table.save(model(project))
    table.delete(ResourceName("1", "l", "models", "m"))
    left = [len(table.versions(ResourceName(one, "l", "models", "m"))) for one in ("1", "2")]
    assert left == [0, 1]


def test_an_alias_has_one_bearer() -> None:
    versions = [model("1", "1", "default"), model("1", "2")]
    changed = give_alias(versions, versions[1], "default")
    assert ([one.version_id for one in changed], find_version(versions, "").version_id) == (
        ["1", "2"],
        "2",
    )


def test_the_default_alias_stays() -> None:
    with pytest.raises(ApiError, match="give it to another version instead"):
        take_alias(model("1", "1", "default"), "default")
