"""Submission, content label, places and the commands of containers."""

import dataclasses
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from golden_requests import PACKAGE, PLACE

from vertex_jobs.catalog.container_images import is_prebuilt
from vertex_jobs.names import CONTENT_LABEL
from vertex_jobs.requests import Place, Request, build, container_command, package_uris
from vertex_jobs.spec import CustomJob


def job(**fields: Any) -> CustomJob:
    return CustomJob(**{"display_name": "job", "script_path": "train.py", **fields})


def content(built: Request) -> str:
    label: str = built.body["labels"][CONTENT_LABEL]
    return label


def test_the_nonce_replaces_the_placeholder_everywhere() -> None:
    sent = build(job(args=["--run={submission}"]), PACKAGE, PLACE).with_submission("n0nce")
    assert "{submission}" not in repr(sent)
    assert sent.body["jobSpec"]["baseOutputDirectory"] == {
        "outputUriPrefix": "gs://my-bucket/staging/vertex-jobs/n0nce"
    }


def test_a_request_is_not_changed_by_its_submission() -> None:
    built = build(job(), PACKAGE, PLACE)
    built.with_submission("n0nce")
    assert built == build(job(), PACKAGE, PLACE)


def test_the_parent_is_the_place() -> None:
    assert build(job(), PACKAGE, PLACE).parent == "projects/my-project/locations/us-central1"


def test_equal_jobs_have_equal_content() -> None:
    assert content(build(job(), PACKAGE, PLACE)) == content(build(job(), PACKAGE, PLACE))


def test_other_arguments_are_other_content() -> None:
    changed = build(job(args=["--epochs=2"]), PACKAGE, PLACE)
    assert content(changed) != content(build(job(), PACKAGE, PLACE))


def test_another_package_is_other_content() -> None:
    other = dataclasses.replace(PACKAGE, module_name="vertex_jobs_task_ba9876543210")
    assert content(build(job(), other, PLACE)) != content(build(job(), PACKAGE, PLACE))


def test_local_settings_are_no_part_of_the_request() -> None:
    rehearsed = job(local={"seed": 7}, fallback=[{"location": "europe-west4"}], max_cost_usd=1)
    assert build(rehearsed, PACKAGE, PLACE) == build(job(), PACKAGE, PLACE)


@pytest.mark.parametrize("bucket", ["gs://my-bucket", "gs://my-bucket/"])
def test_the_package_lies_in_the_staging_bucket(bucket: str) -> None:
    uri = package_uris(Place("p", "l", bucket), PACKAGE)[-1]
    assert uri == f"gs://my-bucket/vertex-jobs/packages/{PACKAGE.file_name}"


def test_full_names_of_experiment_and_run_stay() -> None:
    context = "projects/1/locations/us-central1/metadataStores/default/contexts/digits"
    spec = build(
        job(experiment=context, experiment_run="first", service_account="a@b.c"), PACKAGE, PLACE
    ).body["jobSpec"]
    assert (spec["experiment"], spec["experimentRun"].rpartition("/")[2]) == (
        context,
        "digits-first",
    )


@pytest.mark.parametrize(
    ("image", "prebuilt"),
    [
        ("europe-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest", True),
        ("gcr.io/cloud-aiplatform/training/tf-cpu.2-2:latest", True),
        ("us-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest", False),
        ("us-docker.pkg.dev/my-project/images/tensorflow:2.21", False),
    ],
)
def test_prebuilt_images_are_known_by_their_host(image: str, prebuilt: bool) -> None:
    assert is_prebuilt(image) is prebuilt


STUB = '#!/bin/sh\nprintf "%s\\n" "call" "$@" >> "$CALLS"\n'


def calls_of(command: list[str], directory: Path) -> list[list[str]]:
    """What the command calls ``python3`` with, run by a real shell."""
    stub = directory / "python3"
    stub.write_text(STUB)
    stub.chmod(0o755)
    log = directory / "calls"
    path = f"{directory}{os.pathsep}{os.defpath}"
    subprocess.run(command, env={"PATH": path, "CALLS": str(log)}, check=True, timeout=30)
    return [call.splitlines() for call in log.read_text().split("call\n")[1:]]


def test_a_container_installs_the_package_and_runs_its_module(tmp_path: Path) -> None:
    command = container_command(["gs://my bucket/$HOME/p.tar.gz"], "task")
    awkward = ["--note=two words; $HOME `date`", "--quote='\"", ""]
    install, run = calls_of([*command, *awkward], tmp_path)
    assert install == ["-m", "pip", "install", "--quiet", "/gcs/my bucket/$HOME/p.tar.gz"]
    assert run == ["-m", "task", *awkward]


def test_a_failed_installation_runs_nothing(tmp_path: Path) -> None:
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "python3").chmod(0o755)
    command = container_command(["gs://b/p.tar.gz"], "task")
    path = f"{tmp_path}{os.pathsep}{os.defpath}"
    done = subprocess.run(command, env={"PATH": path}, check=False, timeout=30)
    assert done.returncode == 3
