"""What this machine refuses before a job is kept, and what it says."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.launcher.launcher_values import Capabilities
from vertex_jobs.emulator.replicas.accelerators import AcceleratorPool
from vertex_jobs.emulator.replicas.capacity import Capacity
from vertex_jobs.emulator.replicas.gcs_paths import mentions_gcs, used_buckets
from vertex_jobs.emulator.replicas.packages import Package
from vertex_jobs.emulator.replicas.tasks import PoolTask
from vertex_jobs.emulator.resources.job_settings import JobSettings
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.storage.gcs_copy import Buckets

#: A path that is put together may lead into any bucket.
ALL = Buckets(everything=True)
THREE = Buckets({"bucket", "other-bucket", "third-bucket"})
ABLE = Capabilities(private_root=True, gcs_mount=True, why_not="")


class OnePackage:
    """Every URI is a package in this folder, with these requirements."""

    def __init__(self, folder: Path, requirements: tuple[str, ...], name: str) -> None:
        self._fields = (folder, True, name, requirements)

    async def read(self, uris: list[str]) -> list[Package]:
        return [Package(uri, "digest", *self._fields) for uri in uris]


def capacity(
    tmp_path: Path,
    *requirements: str,
    devices: tuple[str, ...] = (),
    capabilities: Capabilities = ABLE,
    engine: str = "",
    name: str = "trainer",
) -> Capacity:
    packages: Any = OnePackage(tmp_path, requirements, name)
    return Capacity(packages, AcceleratorPool(devices), capabilities, lambda name: engine)


def spec(*, accelerators: int = 0, replicas: int = 1, args: tuple[str, ...] = ()) -> Any:
    message = protos.CustomJobSpec()
    pool = message.worker_pool_specs.add(replica_count=replicas)
    pool.machine_spec.accelerator_count = accelerators
    pool.python_package_spec.executor_image_uri = "image"
    pool.python_package_spec.package_uris.append("gs://bucket/p.tar.gz")
    pool.python_package_spec.python_module = "trainer.task"
    pool.python_package_spec.args.extend(args)
    return message


def admit(machine: Capacity, job: Any, **options: Any) -> None:
    asyncio.run(machine.refuse_lacking(job, JobSettings.read(options)))


def refusal(machine: Capacity, job: Any, **options: Any) -> tuple[str, str]:
    with pytest.raises(ApiError) as caught:
        admit(machine, job, **options)
    return caught.value.status, caught.value.message


def test_missing_distributions_are_named_with_the_way_out(tmp_path: Path) -> None:
    machine = capacity(tmp_path, "no-such-one>=2", "pydantic", "nor-this")
    assert refusal(machine, spec()) == (
        "FAILED_PRECONDITION",
        "Not installed here: no-such-one>=2 (of gs://bucket/p.tar.gz), nor-this (of "
        "gs://bucket/p.tar.gz). Install it into the environment that runs vertex-jobs, or let the "
        "job have one of its own: --environment isolated, or environment: isolated under local: "
        "in the config.",
    )


def test_an_isolated_job_brings_its_own_distributions(tmp_path: Path) -> None:
    admit(capacity(tmp_path, "no-such-one"), spec(), environment="isolated")


def test_what_only_a_build_can_bring_is_not_missed_before_it(tmp_path: Path) -> None:
    admit(capacity(tmp_path, "no-such-one", name=""), spec())


@pytest.mark.parametrize(("asked", "replicas"), [(2, 2), (4, 1)])
def test_more_accelerators_than_there_are(tmp_path: Path, asked: int, replicas: int) -> None:
    machine = capacity(tmp_path, devices=("0", "1", "2"))
    assert refusal(machine, spec(accelerators=asked, replicas=replicas)) == (
        "FAILED_PRECONDITION",
        "The job asks for 4 accelerators at once; this machine has 3. Under local: in the config, "
        "share_accelerators: true lets replicas share them; or start the server with "
        "CUDA_VISIBLE_DEVICES= to rehearse on the CPU.",
    )


def test_shared_accelerators_need_not_be_enough(tmp_path: Path) -> None:
    machine = capacity(tmp_path, devices=("0",))
    admit(machine, spec(accelerators=4), share_accelerators=True)


def test_any_number_of_accelerators_can_be_rehearsed_without_one(tmp_path: Path) -> None:
    admit(capacity(tmp_path), spec(accelerators=8, replicas=4))


def test_gcs_where_nothing_can_be_shown_there(tmp_path: Path) -> None:
    unable = Capabilities(False, False, "no private root here: allow user namespaces")
    machine = capacity(tmp_path, capabilities=unable)
    assert refusal(machine, spec(args=("--data=/gcs/bucket/x",))) == (
        "FAILED_PRECONDITION",
        "worker_pool_specs[0]: the program uses /gcs/, which this machine cannot offer: no "
        "private root here: allow user namespaces. Or read and write gs:// instead.",
    )


def test_gcs_where_it_cannot_be_mounted_is_a_copy(tmp_path: Path) -> None:
    unable = Capabilities(True, False, "libfuse3 is not installed: install libfuse3-3")
    machine = capacity(tmp_path, capabilities=unable)
    admit(machine, spec(args=("--data=/gcs/bucket/x",)))


@pytest.mark.parametrize("engine", ["docker", "podman"])
def test_a_container_gets_a_copy_where_nothing_can_be_mounted(tmp_path: Path, engine: str) -> None:
    machine = capacity(tmp_path, capabilities=Capabilities(False, False, "no private root here"))
    admit(machine, spec(args=("/gcs/bucket/x",)), environment=engine)


def test_an_engine_that_does_not_answer(tmp_path: Path) -> None:
    machine = capacity(tmp_path, engine="docker is not installed here; install it")
    assert refusal(machine, spec(), environment="docker") == (
        "FAILED_PRECONDITION",
        "worker_pool_specs[0]: environment docker: docker is not installed here; install it",
    )


def test_settings_that_are_wrong(tmp_path: Path) -> None:
    status, message = refusal(capacity(tmp_path), spec(), environment="vagrant")
    assert (status, "environment" in message) == ("INVALID_ARGUMENT", True)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("path = '/gcs/bucket/x'", Buckets({"bucket"})),
        ("paths = '/gcs/bucket/x', '/gcs/other-bucket/y:/gcs/third-bucket/'", THREE),
        ("path = f'/gcs/{bucket}/x'", ALL),
        ("path = '/gcs/bucket' + suffix", Buckets({"bucket"}, everything=True)),
        ("paths = '/gcs/bucket/x', f'/gcs/{b}/x'", Buckets({"bucket"}, everything=True)),
        ("root = uri.replace('gs://', '/gcs/')", ALL),
        ("# see /gcs/bucket", None),
        ('"""Reads /gcs/bucket/x."""', None),
        ("def f():\n    '''Of /gcs/b.'''\n", None),
        ("this is not Python /gcs/", ALL),
        ("path = '/tmp/x'", None),
    ],
)
def test_what_counts_as_a_use_of_gcs(tmp_path: Path, source: str, found: Buckets | None) -> None:
    (tmp_path / "task.py").write_text(source)
    task = PoolTask("image", (), "task", (), ())
    named = used_buckets(task, [tmp_path]) if mentions_gcs(task, [tmp_path]) else None
    assert named == found
