"""Custom jobs through the generated clients, over both transports."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud import storage
from google.cloud.aiplatform_v1 import types
from job_forms import base, custom_job, pool, spec

from vertex_jobs.endpoints import local

Run = Callable[[dict[str, Any]], Any]


def test_created_job_is_echoed(jobs: Any, parent: str, package_uri: str, wait: Any) -> None:
    job = custom_job(package_uri, labels={"team": "vision"})
    created = jobs.create_custom_job(parent=parent, custom_job=job)
    (sent,) = job["job_spec"]["worker_pool_specs"]
    disk = {"boot_disk_type": "pd-ssd", "boot_disk_size_gb": 100}
    filled = {**job["job_spec"], "worker_pool_specs": [{**sent, "disk_spec": disk}]}
    assert (created.display_name, dict(created.labels), created.job_spec) == (
        "contract",
        {"team": "vision"},
        types.CustomJobSpec(filled),
    )


def test_names_carry_the_project_number_and_a_numeric_id(
    jobs: Any, parent: str, package_uri: str
) -> None:
    created = jobs.create_custom_job(parent=parent, custom_job=custom_job(package_uri))
    project, location, job_id = created.name.split("/")[1::2]
    assert (project.isdigit(), location, job_id.isdigit()) == (True, parent.split("/")[3], True)


def test_exit_0_succeeds(run: Run, package_uri: str) -> None:
    job = run(custom_job(package_uri))
    assert (job.state.name, job.error.code) == ("JOB_STATE_SUCCEEDED", 0)


def test_times_are_in_order(run: Run, package_uri: str) -> None:
    job = run(custom_job(package_uri))
    assert job.create_time <= job.start_time <= job.end_time <= job.update_time


def test_states_only_go_forward(jobs: Any, parent: str, package_uri: str, wait: Any) -> None:
    created = jobs.create_custom_job(parent=parent, custom_job=custom_job(package_uri))
    seen = [created.state]

    def look() -> Any:
        job = jobs.get_custom_job(name=created.name)
        seen.append(job.state)
        return job

    wait(look)
    order = ["QUEUED", "PENDING", "RUNNING", "SUCCEEDED"]
    ranks = [order.index(state.name.removeprefix("JOB_STATE_")) for state in seen]
    assert (ranks, ranks[-1]) == (sorted(ranks), 3)


def test_exit_3_fails_with_the_services_text(run: Run, package_uri: str) -> None:
    job = run(custom_job(package_uri, "--exit=3"))
    text, _, log = job.error.message.partition(
        " To find out more about why your job exited please check the logs: "
    )
    number, job_id = job.name.split("/")[1::4]
    assert (job.state.name, job.error.code, text, log) == (
        "JOB_STATE_FAILED",
        3,
        "The replica workerpool0-0 exited with a non-zero status of 3.",
        f"https://console.cloud.google.com/logs/viewer?project={number}"
        f"&resource=ml_job%2Fjob_id%2F{job_id}&advancedFilter=resource.type%3D%22ml_job%22"
        f"%0Aresource.labels.job_id%3D%22{job_id}%22",
    )


def test_an_exceptions_traceback_is_in_the_error(run: Run, package_uri: str) -> None:
    """Source: GoogleCloudPlatform/vertex-ai-samples pull request 1504."""
    lines = run(custom_job(package_uri, "--raise")).error.message.split("\n")
    assert (lines[:2], lines[-3:-1], lines[-1].partition(":")[0]) == (
        [
            "The replica workerpool0-0 exited with a non-zero status of 1. "
            "Termination reason: Error. ",
            "Traceback (most recent call last):",
        ],
        ["RuntimeError: on purpose", ""],
        "To find out more about why your job exited please check the logs",
    )


def test_a_job_is_cancelled_at_its_time_limit(run: Run, package_uri: str) -> None:
    """Source: tensorflow/tfx issue 6223, "cancelled after exactly 7 days"."""
    scheduling = {"scheduling": {"timeout": {"seconds": 1}}}
    job = run(custom_job(package_uri, "--sleep=60", spec=scheduling))
    assert (job.state.name, job.error.code) == ("JOB_STATE_CANCELLED", 1)


def test_cancel(jobs: Any, parent: str, package_uri: str, wait: Any) -> None:
    job = custom_job(package_uri, "--sleep=60")
    created = jobs.create_custom_job(parent=parent, custom_job=job)
    jobs.cancel_custom_job(name=created.name)
    ended = wait(lambda: jobs.get_custom_job(name=created.name))
    assert (ended.state.name, ended.error.code) == ("JOB_STATE_CANCELLED", 1)


def test_delete(jobs: Any, run: Run, package_uri: str) -> None:
    job = run(custom_job(package_uri))
    jobs.delete_custom_job(name=job.name).result()
    with pytest.raises(exceptions.NotFound):
        jobs.get_custom_job(name=job.name)


def test_a_running_job_is_not_deleted(jobs: Any, parent: str, package_uri: str) -> None:
    job = custom_job(package_uri, "--sleep=60")
    created = jobs.create_custom_job(parent=parent, custom_job=job)
    try:
        with pytest.raises(exceptions.GoogleAPICallError) as refusal:
            jobs.delete_custom_job(name=created.name)
        assert refusal.value.code in (400, 409)
    finally:
        jobs.cancel_custom_job(name=created.name)


def test_list_filters_and_pages(jobs: Any, parent: str, package_uri: str, marker: str) -> None:
    job = custom_job(package_uri, labels={"marker": marker})
    names = [jobs.create_custom_job(parent=parent, custom_job=job).name for _ in range(3)]
    request = {"parent": parent, "filter": f'labels.marker="{marker}"', "page_size": 2}
    pages = [
        [job.name for job in page.custom_jobs] for page in jobs.list_custom_jobs(request).pages
    ]
    assert pages == [[names[2], names[1]], [names[0]]]


def test_a_read_mask_leaves_the_rest_out(
    jobs: Any, parent: str, package_uri: str, marker: str
) -> None:
    job = custom_job(package_uri, labels={"marker": marker})
    jobs.create_custom_job(parent=parent, custom_job=job)
    (listed,) = jobs.list_custom_jobs(
        {
            "parent": parent,
            "filter": f'labels.marker="{marker}"',
            "read_mask": {"paths": ["name", "display_name"]},
        }
    )
    assert (listed.display_name, dict(listed.labels), bool(listed.job_spec)) == (
        "contract",
        {},
        False,
    )


def test_concurrent_creates_are_all_kept(
    jobs: Any, parent: str, package_uri: str, marker: str
) -> None:
    job = custom_job(package_uri, labels={"marker": marker})

    def create(number: int) -> str:
        return str(jobs.create_custom_job(parent=parent, custom_job=job).name)

    with ThreadPoolExecutor(4) as threads:
        names = set(threads.map(create, range(4)))
    listed = jobs.list_custom_jobs({"parent": parent, "filter": f'labels.marker="{marker}"'})
    assert (len(names), {job.name for job in listed}) == (4, names)


def test_every_fault_is_in_one_answer(jobs: Any, parent: str, package_uri: str) -> None:
    bad = custom_job(package_uri, display_name="x" * 200, labels={"Team": "A"})
    bad["job_spec"]["worker_pool_specs"][0]["machine_spec"] = {}
    with pytest.raises(exceptions.BadRequest) as refusal:
        jobs.create_custom_job(parent=parent, custom_job=bad)
    numbers = [f"\t{number}.Field: " in refusal.value.message for number in range(1, 5)]
    assert numbers == [True, True, True, False]


@pytest.mark.local_only
def test_unknown_bucket_objects_are_a_clear_400(
    jobs: Any, parent: str, bucket: storage.Bucket
) -> None:
    with pytest.raises(exceptions.BadRequest, match="cannot be read"):
        jobs.create_custom_job(
            parent=parent, custom_job=custom_job(f"gs://{bucket.name}/missing.tar.gz")
        )


class TestEnvironment:
    """What the replicas see, written to Cloud Storage by themselves."""

    def test_of_a_single_replica(
        self, run: Run, outputs: Any, package_uri: str, bucket: storage.Bucket, marker: str
    ) -> None:
        out = f"gs://{bucket.name}/{marker}"
        job = run(custom_job(package_uri, f"--write-environment={out}/seen", spec=base(out)))
        (text,) = outputs(f"{out}/seen").values()
        seen = json.loads(text)
        cluster = json.loads(seen.pop("CLUSTER_SPEC"))
        expected = {
            "AIP_MODEL_DIR": f"{out}/model/",
            "AIP_CHECKPOINT_DIR": f"{out}/checkpoints/",
            "AIP_TENSORBOARD_LOG_DIR": f"{out}/logs/",
            "CLOUD_ML_PROJECT_ID": job.name.split("/")[1],
            "CLOUD_ML_JOB_ID": job.name.rsplit("/", 1)[1],
            "CLOUD_ML_REGION": job.name.split("/")[3],
            "MY_SETTING": "kept",
        }
        assert {name: seen.get(name) for name in expected} == expected
        task = {name: cluster["task"][name] for name in ("type", "index")}
        assert (list(cluster["cluster"]), cluster["environment"], task, "TF_CONFIG" in seen) == (
            ["chief"],
            "cloud",
            {"type": "chief", "index": 0},
            False,
        )

    def test_without_a_base_directory(
        self, run: Run, outputs: Any, package_uri: str, bucket: storage.Bucket, marker: str
    ) -> None:
        out = f"gs://{bucket.name}/{marker}"
        run(custom_job(package_uri, f"--write-environment={out}"))
        (text,) = outputs(out).values()
        assert [name for name in json.loads(text) if name.startswith("AIP_")] == []

    def test_of_a_cluster(
        self,
        run: Run,
        outputs: Any,
        package_uri: str,
        bucket: storage.Bucket,
        marker: str,
    ) -> None:
        out = f"gs://{bucket.name}/{marker}"
        words = (f"--write-environment={out}", "--replicas=4")
        pools = [pool(package_uri, *words), pool(package_uri, *words, replicas=2), {}]
        job = run({"display_name": "c", "job_spec": spec(*pools, pool(package_uri, *words))})
        seen = {name: json.loads(text) for name, text in outputs(out).items()}
        tasks = [json.loads(one["TF_CONFIG"])["task"] for one in seen.values()]
        assert job.state.name == "JOB_STATE_SUCCEEDED", job.error.message
        assert sorted((task["type"], task["index"]) for task in tasks) == [
            ("chief", 0),
            ("evaluator", 0),
            ("worker", 0),
            ("worker", 1),
        ]
        assert list(seen) == [
            "workerpool0-0.json",
            "workerpool1-0.json",
            "workerpool1-1.json",
            "workerpool3-0.json",
        ]
        for one in seen.values():
            config = json.loads(one["TF_CONFIG"])["cluster"]
            pools_of = json.loads(one["CLUSTER_SPEC"])["cluster"]
            assert {name: len(hosts) for name, hosts in config.items()} == {"chief": 1, "worker": 2}
            assert {name: len(hosts) for name, hosts in pools_of.items()} == {
                "workerpool0": 1,
                "workerpool1": 2,
                "workerpool3": 1,
            }


@pytest.mark.local_only
def test_a_restart_between_create_and_get(tmp_path: Any, package_uri: str) -> None:
    """The emulator of its own ends between the two calls; the job is there and goes on."""
    from google.cloud import aiplatform_v1
    from job_forms import PROGRAM, source_distribution

    def client(endpoint: Any) -> Any:
        url = endpoint.connection.api_endpoint
        return aiplatform_v1.JobServiceClient(
            transport="rest",
            credentials=endpoint.connection.credentials,
            client_options={"api_endpoint": url},
        )

    first = local(state_dir=tmp_path)
    uri = "gs://restarted/trainer-0.1.tar.gz"
    first.outputs().write_bytes(uri, source_distribution(task=PROGRAM))
    jobs = client(first)
    parent = f"projects/{first.place.project}/locations/{first.place.location}"
    created = jobs.create_custom_job(parent=parent, custom_job=custom_job(uri, "--sleep=1"))
    first.close()
    first.server.stop()
    second = local(state_dir=tmp_path)
    try:
        found = client(second).get_custom_job(name=created.name)
        resumed = second.server.resume()
        again = second.job(created.name)
        again.result(timeout=60)
        state = again.state
    finally:
        second.close()
        second.server.stop()
    assert (found.job_spec, found.create_time) == (created.job_spec, created.create_time)
    assert (resumed, state) == ([created.name], "JOB_STATE_SUCCEEDED")
