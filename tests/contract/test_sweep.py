"""What the service lacks is never shown as if it had it."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

import pytest
from job_forms import PROGRAM
from records import read_all
from sweep import Drive, of_answer, recorded
from sweep_sources import DOCUMENTED, OURS

from vertex_jobs.endpoints import Endpoint
from vertex_jobs.packaging.sdist import write_sdist
from vertex_jobs.testing import local_vertex

pytestmark = [pytest.mark.local_only, pytest.mark.timeout(600)]
NAMED = {place for named in DOCUMENTED.values() for place in named} | set(OURS)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[set[str]]:
    """Every place in the answers to one drive through the API of a server of its own."""
    with local_vertex() as endpoint:
        yield sweep(endpoint, tmp_path_factory)


def sweep(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    path = tmp_path_factory.mktemp("package") / "trainer-0.1.tar.gz"
    files = {"__init__.py": b"", "task.py": PROGRAM.encode()}
    write_sdist(path, name="trainer", version="0.1", contents=files, requirements=[])
    uri = f"gs://swept/{path.name}"
    endpoint.outputs().write_bytes(uri, path.read_bytes())
    url = f"http://127.0.0.1:{endpoint.server.record.port}"
    drive = Drive(url, endpoint.place.project, uri)
    drive.jobs()
    drive.studies()
    drive.storage()
    return drive.places


def unknown(shown: set[str]) -> set[str]:
    rest = shown - recorded(read_all())
    return {one for one in rest if not any(fnmatchcase(one, named) for named in NAMED)}


def test_whatever_is_shown_is_recorded_documented_or_marked_as_ours(shown: set[str]) -> None:
    assert unknown(shown) == set()


def test_the_drive_reads_what_there_is(shown: set[str]) -> None:
    kinds = {place.partition(".")[0] for place in shown if ":" not in place}
    wanted = {"bucket", "customJobs", "datasets", "error", "hyperparameterTuningJobs", "locations"}
    wanted |= {"models", "object", "operations", "projects", "studies", "trainingPipelines"}
    wanted |= {"experiments", "tensorboards"}
    assert wanted - kinds == set()


@pytest.mark.parametrize("place", sorted(OURS))
def test_what_is_ours_is_still_shown(place: str, shown: set[str]) -> None:
    assert [one for one in shown if fnmatchcase(one, place)] != []


def test_a_new_place_is_noticed(shown: set[str]) -> None:
    assert unknown({*shown, "customJobs.progress"}) == {"customJobs.progress"}


def test_places_of_a_page_are_those_of_its_resources() -> None:
    one = {"name": "projects/1/locations/l/customJobs/2", "state": "x", "jobSpec": {"a": 1}}
    page = {"customJobs": [one], "nextPageToken": "t"}
    found = of_answer({"path": "/v1/projects/p/locations/l/customJobs"}, page)
    fields = {"name", "state", "jobSpec", "customJobs", "nextPageToken"}
    assert found == {f"customJobs.{field}" for field in fields}
