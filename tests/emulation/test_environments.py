"""Isolated environments and mapped commands, with real installers and real processes."""

import asyncio
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from machine_room import PACKAGE_URI, Room, container_pool, in_room, package_pool, trainer
from wheelhouse import put_wheel, self_building

from vertex_jobs.emulator.environments.installers import Installer

#: Not one of Google's, so nothing of an image is installed.
IMAGE = "europe-docker.pkg.dev/mine/repo/image:1"
ISOLATED = {"environment": "isolated"}
SHOW = """
import importlib.util, json, sys
found = [name for name in ("pydantic", "numpy") if importlib.util.find_spec(name)]
import vertex_jobs_greeting as greeting
print(json.dumps([greeting.TEXT, found, sys.prefix, sys.argv[1:]]))
"""

HAS_UV = importlib.util.find_spec("uv") is not None
PIP, UV = Installer("pip"), Installer("uv", (sys.executable, "-m", "uv"))
#: pip takes seconds to make an environment, so most tests use uv where there is one.
QUICK = UV if HAS_UV else PIP
INSTALLERS = [
    pytest.param(PIP, id="pip", marks=pytest.mark.extended),
    pytest.param(UV, id="uv", marks=pytest.mark.skipif(not HAS_UV, reason="no uv here")),
]


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    folder = tmp_path / "wheels"
    put_wheel(
        folder,
        "vertex_jobs_greeting",
        {"vertex_jobs_greeting.py": "TEXT = 'from the wheelhouse'\n"},
    )
    return folder


@pytest.fixture
def offline(wheels: Path) -> dict[str, str]:
    """The user's configuration of both tools: this folder and no index."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
    return {
        **kept,
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "UV_OFFLINE": "1",
        "UV_FIND_LINKS": str(wheels),
        "UV_NO_CONFIG": "1",
    }


def shown(room: Room, job_id: str) -> Any:
    (line,) = [line for line in room.lines(job_id, "workerpool0-0") if line.startswith("[")]
    return json.loads(line)


@pytest.mark.parametrize("installer", INSTALLERS)
def test_the_package_is_installed_with_its_requirements_and_nothing_else(
    tmp_path: Path, offline: dict[str, str], installer: Installer
) -> None:
    async def body(room: Room) -> None:
        room.put_package(self_building(SHOW, ["vertex-jobs-greeting"]))
        job_id = room.create(package_pool("--a=1", image=IMAGE))
        ending = await room.run(job_id, local=ISOLATED)
        assert ending.message == ""
        text, found, prefix, arguments = shown(room, job_id)
        assert (text, found, arguments) == ("from the wheelhouse", [], ["--a=1"])
        assert Path(prefix).parent == tmp_path / "environments"

    in_room(tmp_path, body, installer=installer, installer_environ=offline)


def test_an_environment_is_built_once_for_many_jobs(
    tmp_path: Path, offline: dict[str, str]
) -> None:
    async def body(room: Room) -> None:
        room.put_package(self_building(SHOW, ["vertex-jobs-greeting"]))
        jobs = [room.create(package_pool(image=IMAGE)) for _ in range(4)]
        await asyncio.gather(*(room.run(job_id, local=ISOLATED) for job_id in jobs))
        commands = [
            line
            for job_id in jobs
            for line in room.lines(job_id)
            if "Running command" in line and " install " in line
        ]
        assert len(commands) == 2  # the package, and its requirements

    in_room(tmp_path, body, installer=QUICK, installer_environ=offline)


def test_an_edited_package_does_not_install_its_requirements_again(
    tmp_path: Path, offline: dict[str, str]
) -> None:
    async def body(room: Room) -> None:
        for task in (SHOW, SHOW + "# edited"):
            room.put_package(self_building(task, ["vertex-jobs-greeting"]))
            job_id = room.create(package_pool(image=IMAGE))
            await room.run(job_id, local=ISOLATED)
        folders = sorted(
            path.name.partition("-")[0] for path in (tmp_path / "environments").iterdir()
        )
        assert folders == ["installer", "packages", "packages", "requirements"]

    in_room(tmp_path, body, installer=QUICK, installer_environ=offline)


@pytest.mark.parametrize("installer", INSTALLERS)
def test_a_requirement_that_cannot_be_had_fails_the_job_with_the_tools_words(
    tmp_path: Path, offline: dict[str, str], installer: Installer
) -> None:
    async def body(room: Room) -> None:
        room.put_package(self_building(SHOW, ["no-such-distribution-anywhere"]))
        job_id = room.create(package_pool(image=IMAGE))
        ending = await room.run(job_id, local=ISOLATED)
        assert ending.message.startswith(
            f"The isolated environment could not be built: {installer.name} ended with exit code 1."
        )
        assert "no-such-distribution-anywhere" in ending.message
        assert "Job is running." not in room.lines(job_id)

    in_room(tmp_path, body, installer=installer, installer_environ=offline)


def test_a_half_built_environment_is_built_anew(tmp_path: Path, offline: dict[str, str]) -> None:
    async def body(room: Room) -> None:
        room.put_package(self_building(SHOW, ["vertex-jobs-greeting"]))
        first = room.create(package_pool(image=IMAGE))
        await room.run(first, local=ISOLATED)
        for ready in (tmp_path / "environments").glob("*/ready.json"):
            ready.unlink()
        again = room.create(package_pool(image=IMAGE))
        await room.run(again, local=ISOLATED)
        assert shown(room, again)[0] == "from the wheelhouse"

    in_room(tmp_path, body, installer=QUICK, installer_environ=offline)


def test_a_mapped_command_takes_the_jobs_arguments(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import os, json, sys; print(json.dumps([sys.argv[1:], os.getcwd()]))")
    mapping = {"images": {IMAGE: {"command": ["python", str(program), "first"]}}}

    async def body(room: Room) -> None:
        pool = container_pool(IMAGE, "rm", "-rf", "/", args=("--b=1; rm -rf /", "$HOME"))
        job_id = room.create(pool)
        ending = await room.run(job_id, local=mapping)
        assert ending.message == ""
        arguments, folder = shown(room, job_id)
        assert arguments == ["first", "--b=1; rm -rf /", "$HOME"]
        assert folder == str(tmp_path / "work" / job_id / "workerpool0-0")

    in_room(tmp_path, body)


def test_a_mapped_command_that_does_not_exist_fails_the_job(tmp_path: Path) -> None:
    mapping = {"images": {IMAGE: {"command": ["no-such-program"]}}}

    async def body(room: Room) -> None:
        job_id = room.create(container_pool(IMAGE))
        ending = await room.run(job_id, local=mapping)
        assert ending.message.partition("\nTo find out more")[0] == (
            "The replica workerpool0-0 exited with a non-zero status of 128. "
            "Termination reason: StartError. \n"
            " Termination log message: cannot start 'no-such-program': No such file or directory"
        )
        assert "cannot start 'no-such-program': No such file or directory" in room.lines(job_id)

    in_room(tmp_path, body)


def test_an_isolated_image_has_its_requirements(tmp_path: Path, offline: dict[str, str]) -> None:
    show = "import vertex_jobs_greeting as greeting, json; print(json.dumps([greeting.TEXT]))"
    mapping = {
        "images": {
            IMAGE: {
                "environment": "isolated",
                "requirements": ["vertex-jobs-greeting"],
                "command": ["python", "-c", show],
            }
        }
    }

    async def body(room: Room) -> None:
        job_id = room.create(container_pool(IMAGE))
        ending = await room.run(job_id, local=mapping)
        assert ending.message == ""
        assert shown(room, job_id) == ["from the wheelhouse"]

    in_room(tmp_path, body, installer=QUICK, installer_environ=offline)


def test_the_sdks_own_container_command_is_never_run(tmp_path: Path) -> None:
    async def body(room: Room) -> None:
        room.put_package(trainer("import sys; print(sys.argv[1:])"))
        path = PACKAGE_URI.replace("gs://", "/gcs/")
        command = f"pip install --upgrade pip && pip3 install -q --user {path} && "
        job_id = room.create(
            container_pool(IMAGE, "sh", "-c", command + "python3 -m trainer.task --a=1")
        )
        ending = await room.run(job_id)
        assert ending.message == ""
        assert "['--a=1']" in room.lines(job_id, "workerpool0-0")

    in_room(tmp_path, body)


#: Stands in for an engine's client: notes how it is called, and runs nothing.
ENGINE = """#!/bin/sh
echo "$@" >> {calls}
[ "$1" = run ] && echo "model dir $AIP_MODEL_DIR" && exit 3
exit 0
"""


def test_an_engine_is_called_with_the_image_and_its_container_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, programs = tmp_path / "calls", tmp_path / "programs"
    programs.mkdir()
    (programs / "docker").write_text(ENGINE.format(calls=calls))
    (programs / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")

    async def body(room: Room) -> None:
        pool = container_pool(IMAGE, "python", "train.py", args=("--a=1",))
        job_id = room.create(pool, base="gs://bucket/out")
        ending = await room.run(job_id, local={"environment": "docker"})
        assert "exited with a non-zero status of 3" in ending.message
        assert "model dir gs://bucket/out/model/" in room.lines(job_id, "workerpool0-0")
        name = f"vertex-jobs-{job_id}-workerpool0-0"
        before, run, after = calls.read_text().splitlines()
        assert before == after == f"rm --force {name}"
        assert run.startswith(f"run --rm --init --network host --name {name} ")
        assert " --env AIP_MODEL_DIR " in run
        assert " --env PATH " not in run
        assert run.endswith(f" --entrypoint python {IMAGE} train.py --a=1")

    in_room(tmp_path, body)
