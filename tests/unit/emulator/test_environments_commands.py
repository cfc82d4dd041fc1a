"""The command lines of installers and engines; what they do is in the emulation tests."""

from pathlib import Path

import pytest

from vertex_jobs.emulator.environments.engines import (
    Container,
    package_command,
    run_command,
    why_no_engine,
)
from vertex_jobs.emulator.environments.installers import Installer, find_installer
from vertex_jobs.emulator.environments.isolated import merged


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({}, "uv"),
        ({"PIP_FIND_LINKS": "/wheels"}, "pip"),
        ({"PIP_INDEX_URL": "set"}, "pip"),
        ({"PIP_INDEX_URL": "set", "UV_DEFAULT_INDEX": "set"}, "uv"),
        ({"PIP_DISABLE_PIP_VERSION_CHECK": "1"}, "uv"),
    ],
)
def test_uv_is_taken_unless_only_pip_knows_where_packages_come_from(
    tmp_path: Path, environ: dict[str, str], name: str
) -> None:
    program = tmp_path / "uv"
    program.touch(0o755)
    found = find_installer({"HOME": str(tmp_path), "PATH": str(tmp_path), **environ}, root=tmp_path)
    assert found.name == name


def test_a_configuration_file_of_pip_counts(tmp_path: Path) -> None:
    (tmp_path / ".config" / "pip").mkdir(parents=True)
    (tmp_path / ".config" / "pip" / "pip.conf").touch()
    environ = {"HOME": str(tmp_path), "PATH": ""}
    assert find_installer(environ, root=tmp_path) == Installer("pip")


def test_a_packages_own_requirement_stands_in_the_place_of_the_images() -> None:
    base = ["tensorflow==2.17.*", "cloudml-hypertune"]
    assert merged(base, ["TensorFlow==2.16.1", "gcsfs"]) == [
        "TensorFlow==2.16.1",
        "cloudml-hypertune",
        "gcsfs",
    ]


@pytest.mark.parametrize(
    ("command", "arguments", "tail"),
    [
        ((), (), ["image:1"]),
        (("python", "-m", "t"), (), ["--entrypoint", "python", "image:1", "-m", "t"]),
        ((), ("--a=1",), ["image:1", "--a=1"]),
        (("python", "t.py"), ("--a=1",), ["--entrypoint", "python", "image:1", "t.py", "--a=1"]),
    ],
)
def test_command_and_arguments_replace_entry_point_and_defaults(
    command: tuple[str, ...], arguments: tuple[str, ...], tail: list[str]
) -> None:
    words = run_command("docker", Container("image:1", "name", command, arguments))
    start = ["docker", "run", "--rm", "--init", "--network", "host", "--name", "name"]
    assert list(words) == start + tail


def test_variables_travel_by_name_and_folders_by_place() -> None:
    container = Container("image", "n", variables=["TF_CONFIG"], mounts={"/here": "/there"})
    words = " ".join(run_command("podman", container))
    assert "--env TF_CONFIG --volume /here:/there image" in words


@pytest.mark.parametrize(
    ("engine", "shown"),
    [
        ("docker", ["--gpus", '"device=0,2"']),
        ("podman", ["--device=nvidia.com/gpu=0", "--device=nvidia.com/gpu=2"]),
    ],
)
def test_devices(engine: str, shown: list[str]) -> None:
    words = run_command(engine, Container("image", "n", devices=["0", "2"]))
    assert list(words[-1 - len(shown) : -1]) == shown


def test_a_package_job_installs_its_archives_as_the_service_does() -> None:
    assert package_command("trainer.task") == (
        "sh",
        "-c",
        'for package in /var/vertex-jobs/packages/*; do pip3 install --user --no-deps "$package" '
        '&& pip3 install --user "$package" || exit 1; done; exec python3 -m "$0" "$@"',
        "trainer.task",
    )


def test_an_engine_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert why_no_engine("podman") == (
        "podman is not installed here; install it, or use environment: isolated"
    )


def test_an_engine_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "docker"
    program.write_text("#!/bin/sh\necho 'Cannot connect to the Docker daemon' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert why_no_engine("docker") == (
        f"{program} has no engine (Cannot connect to the Docker daemon); start one, or use "
        "environment: isolated"
    )
