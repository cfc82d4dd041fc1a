"""The files of an image: what the Dockerfile runs installs what is asked for."""

import re
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging import describe, image_files, write_image
from vertex_jobs.packaging.resolution import for_cpus
from vertex_jobs.spec import CustomJob

Job = Callable[..., CustomJob]

TODAY = date(2026, 11, 22)
TENSORFLOW = "docker.io/tensorflow/tensorflow:2.21.0"
SLIM = "docker.io/python:3.11-slim"
GPU = {"accelerator_type": "NVIDIA_TESLA_T4", "accelerator_count": 1}


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[tuple[tuple[str, ...], str]]:
    """An index that has a version of each: what it was asked, and for which Python."""
    questions: list[tuple[tuple[str, ...], str]] = []

    def resolve(requirements: tuple[str, ...], python: str) -> tuple[str, ...]:
        questions.append((tuple(requirements), python))
        return ("argparse-dataclass==2.0.0", "numpy==2.4.6", "scikit-learn==1.9.1")

    monkeypatch.setattr(image_files, "resolve", resolve)
    return questions


def made(script: Path, image: str, requirements: list[str], **fields: object) -> CustomJob:
    script.write_text("")
    return CustomJob(
        display_name="made",
        script_path=str(script),
        container_uri=image,
        requirements=requirements,
        **fields,  # type: ignore[arg-type]
    )


Questions = list[tuple[tuple[str, ...], str]]


def test_the_image_keeps_what_it_has(tmp_path: Path, chosen: Questions) -> None:
    job = made(tmp_path / "train.py", TENSORFLOW, ["scikit-learn"])
    write_image(job, describe(job), tmp_path / "image", TODAY)
    ((asked, python),) = chosen
    assert (asked[0], python) == ("tensorflow==2.21.0", "3.11")
    listed = (tmp_path / "image" / "requirements.txt").read_text().splitlines()
    assert listed == ["argparse-dataclass==2.0.0", "scikit-learn==1.9.1"]


def test_the_base_is_pinned_where_its_digest_is_known(tmp_path: Path, chosen: Questions) -> None:
    job = made(tmp_path / "train.py", TENSORFLOW, [])
    write_image(job, describe(job), tmp_path / "image", TODAY)
    first = re.findall(r"^FROM (.*)$", (tmp_path / "image" / "Dockerfile").read_text(), re.M)
    assert first == [
        f"{TENSORFLOW}@sha256:f325279f01a3e742a1285d8d736b7e600f72ccf8b55cc19ee0a90b8cbfce4c7a"
    ]


def test_with_gpus_there_is_a_twin_without_cuda(tmp_path: Path, chosen: Questions) -> None:
    job = made(tmp_path / "train.py", SLIM, ["tensorflow[and-cuda]==2.21.0"], **GPU)
    files = write_image(job, describe(job), tmp_path / "image", TODAY)
    assert files.twin == tmp_path / "image" / "Dockerfile.cpu"
    assert [asked[-1] for asked, _ in chosen] == [
        "tensorflow[and-cuda]==2.21.0",
        "tensorflow==2.21.0",
    ]


def test_without_gpus_there_is_no_twin(tmp_path: Path, chosen: Questions) -> None:
    job = made(tmp_path / "train.py", TENSORFLOW, ["scikit-learn"])
    assert write_image(job, describe(job), tmp_path / "image", TODAY).twin is None


def test_equal_files_have_an_equal_tag(tmp_path: Path, chosen: Questions) -> None:
    job = made(tmp_path / "train.py", SLIM, ["scikit-learn"])
    tags = {write_image(job, describe(job), tmp_path / name, TODAY).tag for name in ("a", "b")}
    assert len(tags) == 1


def test_without_an_answer_the_versions_are_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> tuple[str, ...]:
        raise PackagingError("no answer from the package index")

    monkeypatch.setattr(image_files, "resolve", refuse)
    job = made(tmp_path / "train.py", SLIM, ["scikit-learn"])
    files = write_image(job, describe(job), tmp_path / "image", TODAY)
    assert files.unpinned == "no answer from the package index"
    assert "scikit-learn\n" in (tmp_path / "image" / "requirements.txt").read_text()


def test_an_image_that_is_gone_is_no_base(tmp_path: Path) -> None:
    image = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest"
    job = made(tmp_path / "train.py", image, [])
    with pytest.raises(PackagingError, match=r"ended on 2026-07-11.*names another container_uri"):
        write_image(job, describe(job), tmp_path / "image", TODAY)


def test_what_the_dockerfile_runs_installs_the_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own command, in an environment of its own in place of the image."""
    monkeypatch.setattr(image_files, "resolve", lambda *_: ())
    job = made(tmp_path / "train.py", SLIM, [])
    write_image(job, describe(job), tmp_path / "image", TODAY)
    text = (tmp_path / "image" / "Dockerfile").read_text()
    (command,) = re.findall(r"^RUN (.*?) \\\n    && rm", text, re.M | re.S)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    environment = {
        "PATH": f"{tmp_path / 'env' / 'bin'}:/usr/bin:/bin",
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        "HOME": str(tmp_path),
    }
    installed = command.replace("/tmp/vertex-jobs", str(tmp_path / "image"))
    subprocess.run(["sh", "-c", installed], env=environment, check=True, capture_output=True)
    imported = "import vertex_jobs.runtime as r; print(r.__file__)"
    done = subprocess.run(
        ["python3", "-c", imported],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout.startswith(str(tmp_path / "env"))


@pytest.mark.parametrize(
    ("line", "twin"),
    [
        ("tensorflow[and-cuda]==2.21.0", "tensorflow==2.21.0"),
        ("jax[cuda12]==0.10.2", "jax==0.10.2"),
        ("tensorflow-tpu==2.20.0", "tensorflow==2.20.0"),
        ("ray[tune]>=2", "ray[tune]>=2"),
    ],
)
def test_a_requirement_without_what_only_a_gpu_can_use(line: str, twin: str) -> None:
    assert for_cpus([line]) == (twin,)
