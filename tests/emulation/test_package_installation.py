"""Packages that only pip can install: what becomes of them, once, and what is said of failures."""

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from machine_room import PACKAGE_URI, Room, in_room, package_pool, source_archive, trainer
from wheelhouse import wheel

from vertex_jobs.emulator.controllers.stop import Stop
from vertex_jobs.emulator.resources import states

SETUP = "from setuptools import find_packages, setup\nsetup({fields}packages=find_packages())\n"
SHOW = "import json, trainer; print(json.dumps([trainer.WORD]))\n"
OTHER_URI = "gs://packages/other-0.1-py3-none-any.whl"


def folder(fields: str = "", task: str = SHOW, **files: str) -> bytes:
    """``tar czf trainer.tar.gz trainer/``, with a setup.py and no metadata."""
    modules = {"trainer/__init__.py": "WORD = 'built'\n", "trainer/task.py": task}
    setup = SETUP.format(fields=f"name='trainer', version='0.1', {fields}")
    return source_archive({"setup.py": setup, **modules, **files}, "trainer")


def shown(room: Room, job_id: str) -> Any:
    (line,) = [line for line in room.lines(job_id, "workerpool0-0") if line.startswith("[")]
    return json.loads(line)


async def run(room: Room, *, uris: tuple[str, ...] = (PACKAGE_URI,)) -> tuple[str, str]:
    """Run a job; return its number and why it failed."""
    pool = package_pool()
    pool["python_package_spec"]["package_uris"] = list(uris)
    job_id = room.create(pool)
    return job_id, (await room.run(job_id)).message


def installs(room: Room, job_id: str) -> int:
    return sum(" -m pip install " in line for line in room.lines(job_id))


def test_a_folder_with_a_setup_script_is_built_once_for_all_jobs(tmp_path: Path) -> None:
    async def body(room: Room) -> None:
        content, uris = folder(), [PACKAGE_URI, "gs://packages/again.tar.gz"]
        for uri in uris:
            room.put_package(content, uri)
        done = await asyncio.gather(*(run(room, uris=(uri,)) for uri in uris * 2))
        assert [message for _, message in done] == [""] * 4
        assert [shown(room, job_id) for job_id, _ in done] == [["built"]] * 4
        assert sum(installs(room, job_id) for job_id, _ in done) == 1

    in_room(tmp_path, body)


@pytest.mark.extended
def test_the_next_server_finds_what_was_installed(tmp_path: Path) -> None:
    counts, content = [], folder()

    async def body(room: Room) -> None:
        room.put_package(content)
        job_id, message = await run(room)
        counts.append((installs(room, job_id), message))

    in_room(tmp_path, body)
    in_room(tmp_path, body)
    assert counts == [(1, ""), (0, "")]


def test_what_a_killed_server_left_half_made_goes(tmp_path: Path) -> None:
    half = tmp_path / "packages" / ".aside-half" / "prefix"
    half.mkdir(parents=True)

    async def body(room: Room) -> None:
        assert not half.parent.exists()

    in_room(tmp_path, body)


def test_a_job_that_is_cancelled_leaves_nothing_half_made(tmp_path: Path) -> None:
    waits = "import time; print('waiting'); time.sleep(600)\n"

    async def body(room: Room) -> None:
        room.put_package(source_archive({"setup.py": waits}, "trainer"))
        job_id, stop = room.create(package_pool()), Stop()
        running = asyncio.create_task(room.run(job_id, stop=stop))
        while not installs(room, job_id):
            await asyncio.sleep(0.05)
        room.record(job_id).request_cancel()
        stop.set()
        assert (await running).state == states.CANCELLED
        names = [path.name for path in (tmp_path / "packages").iterdir()]
        assert [name for name in names if name.startswith((".", "installed"))] == []

    in_room(tmp_path, body)


def test_what_pip_refuses_fails_the_job_with_pips_last_lines(tmp_path: Path) -> None:
    async def body(room: Room) -> None:
        room.put_package(source_archive({"trainer/__init__.py": "", "trainer/task.py": SHOW}))
        job_id, message = await run(room)
        first, *rest = message.splitlines()
        assert first == (
            f"The package {PACKAGE_URI} could not be installed: pip ended with exit code 1. "
            "Its last lines:"
        )
        assert rest[-1].endswith("neither 'setup.py' nor 'pyproject.toml' found.")
        assert rest[-1] in room.lines(job_id, "workerpool0-0")

    in_room(tmp_path, body)


@pytest.mark.extended
def test_a_setup_script_that_fails_shows_its_traceback(tmp_path: Path) -> None:
    async def body(room: Room) -> None:
        room.put_package(source_archive({"setup.py": "import no_such_module\n"}, "trainer"))
        _, message = await run(room)
        assert "ModuleNotFoundError: No module named 'no_such_module'" in message

    in_room(tmp_path, body)


@pytest.mark.parametrize("uri", [PACKAGE_URI, OTHER_URI])
def test_a_requirement_that_only_the_build_tells_fails_the_job(tmp_path: Path, uri: str) -> None:
    content = {
        PACKAGE_URI: folder("install_requires=['no-such-one>=2'], "),
        OTHER_URI: wheel("other", {"other.py": ""}, ["no-such-one>=2"]),
    }

    async def body(room: Room) -> None:
        room.put_package(content[uri], uri)
        _, message = await run(room, uris=(uri,))
        assert message.startswith(f"Not installed here: no-such-one>=2 (of {uri}). Install it ")

    in_room(tmp_path, body)


@pytest.mark.extended
def test_another_version_here_is_said(tmp_path: Path) -> None:
    async def body(room: Room) -> None:
        room.put_package(folder("install_requires=['numpy==1.3.0'], "))
        job_id, message = await run(room)
        (line,) = [one for one in room.lines(job_id) if " · here: " in one]
        assert (message, '; requirements: "numpy==1.3.0 (here ' in line) == ("", True)

    in_room(tmp_path, body)


@pytest.mark.extended
def test_one_package_needs_another_of_the_job(tmp_path: Path) -> None:
    """To be built, to be installed and to run; it replaces one of its own name."""
    task = "import json, other, trainer; print(json.dumps([trainer.WORD, other.WORD]))\n"
    needs = {"setup.py": "import other\n" + SETUP.format(fields="name='trainer', version='0.1', ")}
    first = "gs://packages/first.tar.gz"

    async def body(room: Room) -> None:
        room.put_package(trainer("gone = True"), first)
        room.put_package(wheel("other", {"other.py": "WORD = 'other'\n"}), OTHER_URI)
        room.put_package(folder(task=task, **needs))
        job_id, message = await run(room, uris=(first, OTHER_URI, PACKAGE_URI))
        assert (message, shown(room, job_id)) == ("", ["built", "other"])

    in_room(tmp_path, body)


def test_the_later_package_lies_over_the_earlier(tmp_path: Path) -> None:
    """As in one folder: a module of both is the later one's, and those of one alone stay."""
    show = "import json, shared, shared.a, shared.b; print(json.dumps([shared.WORD, shared.a.X]))\n"
    first = wheel("first", {"shared/__init__.py": "WORD = 1\n", "shared/a.py": "X = 'a'\n"})
    uris = ("gs://packages/first-0.1-py3-none-any.whl", OTHER_URI, PACKAGE_URI)
    second = wheel("other", {"shared/__init__.py": "WORD = 2\n", "shared/b.py": ""})

    async def body(room: Room) -> None:
        for uri, content in zip(uris, (first, second, trainer(show)), strict=True):
            room.put_package(content, uri)
        job_id, message = await run(room, uris=uris)
        assert (message, shown(room, job_id)) == ("", [2, "a"])

    in_room(tmp_path, body)


@pytest.mark.extended
def test_a_program_of_the_package_runs_as_a_program(tmp_path: Path) -> None:
    """A console script is on the PATH, and what it starts sees the package."""
    fields = "entry_points={'console_scripts': ['say-word = trainer.task:say']}, "
    task = """
        import json, subprocess, sys, trainer

        def say():
            print(json.dumps([trainer.WORD, sys.argv[1:]]), flush=True)

        if __name__ == "__main__":
            subprocess.run(["say-word", "loud"], check=True)
    """
    source = "\n".join(line[8:] for line in task.splitlines())

    async def body(room: Room) -> None:
        room.put_package(folder(fields, source))
        job_id, message = await run(room)
        assert (message, shown(room, job_id)) == ("", ["built", ["loud"]])

    in_room(tmp_path, body)


def test_a_setup_script_has_a_replicas_surroundings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variables of the server's starter are not shown to it, nor the server's processes."""
    monkeypatch.setenv("TOKEN_OF_THE_STARTER", "secret")
    code = (
        "import os, sys; sys.exit(f'{sorted(os.environ)} {os.readlink(\"/proc/self/ns/pid\")}')\n"
    )

    async def body(room: Room) -> None:
        room.put_package(source_archive({"setup.py": code}, "trainer"))
        _, message = await run(room)
        able = room.custom_jobs.host.launcher.capabilities.private_root
        own = os.readlink("/proc/self/ns/pid")
        assert ("'PATH'" in message, "TOKEN_OF_THE_STARTER" in message) == (True, False)
        assert (own in message) is not able

    in_room(tmp_path, body)


#: A backend that is not here, and one that a folder of wheels has.
BACKEND = "def build_wheel(folder, *_):\n" + "\n".join(
    f"    {line}"
    for line in (
        "import pathlib, zipfile",
        "name = 'trainer-0.1-py3-none-any.whl'",
        "with zipfile.ZipFile(pathlib.Path(folder, name), 'w') as packed:",
        "    info = 'trainer-0.1.dist-info'",
        "    packed.writestr('trainer/__init__.py', 'WORD = 1')",
        f"    packed.writestr('trainer/task.py', {SHOW!r})",
        "    packed.writestr(info + '/METADATA', "
        "'Metadata-Version: 2.1\\nName: trainer\\nVersion: 0.1\\n')",
        "    packed.writestr(info + '/WHEEL', "
        "'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')",
        "    packed.writestr(info + '/RECORD', '')",
        "return name",
    )
)
PYPROJECT = '[build-system]\nrequires = ["far-backend"]\nbuild-backend = "far_backend"\n'


def offline(wheels: Path) -> Mapping[str, str]:
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull}


@pytest.mark.extended
def test_a_backend_that_is_not_here_comes_from_the_users_index(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    content = wheel("far_backend", {"far_backend.py": BACKEND})
    (wheels / "far_backend-0.1-py3-none-any.whl").write_bytes(content)

    async def body(room: Room) -> None:
        room.put_package(source_archive({"pyproject.toml": PYPROJECT}))
        job_id, message = await run(room)
        assert (message, shown(room, job_id)) == ("", [1])

    in_room(tmp_path, body, installer_environ=offline(wheels))


@pytest.mark.extended
def test_a_backend_that_nobody_has_is_named(tmp_path: Path) -> None:
    async def body(room: Room) -> None:
        room.put_package(source_archive({"pyproject.toml": PYPROJECT}))
        _, message = await run(room)
        assert message.splitlines()[0] == (
            f"The package {PACKAGE_URI} could not be installed: pip ended with exit code 1. Its "
            "build needs far-backend, not installed here, so pip asked an index: let it reach one, "
            "or install that into the environment that runs vertex-jobs. Its last lines:"
        )
        assert "No matching distribution found for far-backend" in message

    in_room(tmp_path, body, installer_environ=offline(tmp_path))
