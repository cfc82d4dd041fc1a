"""A job sees of its packages what ``pip install`` gives in an empty environment, file by file."""

from pathlib import Path

import pytest
from machine_room import Room, in_room, package_pool
from package_layouts import FIRST, LAYOUTS, Layout
from package_probe import read_probe, seen_after_pip, wheelhouse

_OF_SDK = "aiplatform_custom_trainer_script.task"
MODULES = {"the SDK's of a script": _OF_SDK, "the SDK's of a folder with data": _OF_SDK}


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheelhouse(tmp_path_factory.mktemp("builders") / "wheels")


def seen_by_a_job(folder: Path, archives: list[Path], module: str) -> object:
    found = []

    async def body(room: Room) -> None:
        pool = package_pool()
        uris = [f"gs://packages/{number}/{path.name}" for number, path in enumerate(archives)]
        for uri, path in zip(uris, archives, strict=True):
            room.put_package(path.read_bytes(), uri)
        pool["python_package_spec"] |= {"package_uris": uris, "python_module": module}
        job_id = room.create(pool)
        ending = await room.run(job_id)
        assert ending.message == "", "\n".join(room.lines(job_id))
        found.append(read_probe(room.lines(job_id, "workerpool0-0")))

    in_room(folder, body)
    return found[0]


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        pytest.param(name, layout, id=name, marks=() if name in FIRST else pytest.mark.extended)
        for name, layout in LAYOUTS.items()
    ],
)
def test_a_layout_is_what_pip_makes_of_it(
    tmp_path: Path, wheels: Path, name: str, layout: Layout
) -> None:
    for part in ("made", "room"):
        (tmp_path / part).mkdir()
    archives, module = layout(tmp_path / "made"), MODULES.get(name, "trainer.task")
    expected = seen_after_pip(tmp_path / "reference", archives, wheels, module)
    assert seen_by_a_job(tmp_path / "room", archives, module) == expected
