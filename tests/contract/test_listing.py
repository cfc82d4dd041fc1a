"""Lists of jobs: filters over times, read masks, tokens; and the names of v1beta1."""

from collections.abc import Callable
from datetime import timezone
from typing import Any

import pytest
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud.aiplatform_v1 import types
from job_forms import custom_job, tuning_job


@pytest.fixture
def three(jobs: Any, parent: str, package_uri: str, marker: str, wait: Any) -> list[Any]:
    """Three jobs of this test alone, oldest first; all have ended."""
    made = [
        jobs.create_custom_job(
            parent=parent,
            custom_job=custom_job(package_uri, labels={"marker": marker}, display_name=name),
        )
        for name in ("first", "second", "third")
    ]
    return [wait(lambda name=job.name: jobs.get_custom_job(name=name)) for job in made]


def listed(jobs: Any, parent: str, marker: str, text: str = "", **fields: Any) -> list[str]:
    clause = f'labels.marker="{marker}"' + (f" AND {text}" if text else "")
    found = jobs.list_custom_jobs({"parent": parent, "filter": clause, **fields})
    return [job.display_name for job in found]


def test_times_are_compared(jobs: Any, parent: str, marker: str, three: list[Any]) -> None:
    moment = three[1].create_time.astimezone(timezone.utc).isoformat()
    assert listed(jobs, parent, marker, f'create_time>="{moment}"') == ["third", "second"]


def test_conditions_are_combined(jobs: Any, parent: str, marker: str, three: list[Any]) -> None:
    text = '(display_name="first" OR display_name="third") AND NOT display_name="third"'
    assert listed(jobs, parent, marker, text) == ["first"]


def test_a_label_is_there(jobs: Any, parent: str, marker: str, three: list[Any]) -> None:
    assert len(listed(jobs, parent, marker, "labels:marker")) == 3


def test_a_job_made_between_two_pages_shifts_nothing(
    jobs: Any, parent: str, package_uri: str, marker: str, three: list[Any]
) -> None:
    request = {"parent": parent, "filter": f"labels.marker={marker}", "page_size": 2}
    pages = jobs.list_custom_jobs(request).pages
    first = [job.display_name for job in next(pages).custom_jobs]
    late = custom_job(package_uri, labels={"marker": marker}, display_name="late")
    jobs.create_custom_job(parent=parent, custom_job=late)
    rest = [job.display_name for page in pages for job in page.custom_jobs]
    assert (first, rest) == (["third", "second"], ["first"])


def test_a_read_mask_leaves_the_rest_out(
    jobs: Any, parent: str, marker: str, three: list[Any]
) -> None:
    request = {
        "parent": parent,
        "filter": f"labels.marker={marker}",
        "read_mask": {"paths": ["name", "state"]},
    }
    masked = types.CustomJob(name=three[2].name, state=three[2].state)
    assert next(iter(jobs.list_custom_jobs(request))) == masked


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"filter": 'colour="red"'}, "unknown field 'colour'"),
        ({"filter": "name name"}, "is not understood"),
        ({"page_token": "x"}, "The page token 'x' is not valid."),
        ({"page_size": -1}, "page_size -1 is negative."),
        ({"read_mask": {"paths": ["colour"]}}, "a path is no field of CustomJob"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused(
    jobs: Any, parent: str, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(exceptions.BadRequest, match=message):
        list(jobs.list_custom_jobs({"parent": parent, **fields}))


def test_project_id_and_number_are_the_same_parent(
    jobs: Any, parent: str, marker: str, three: list[Any]
) -> None:
    number = three[0].name.split("/")[1]
    by_number = f"projects/{number}/locations/{parent.split('/')[3]}"
    assert len(listed(jobs, by_number, marker)) == 3


def test_trials_are_listed_unless_masked_out(
    jobs: Any, parent: str, package_uri: str, marker: str, tune: Callable[..., Any]
) -> None:
    tune(tuning_job(package_uri, labels={"marker": marker}))
    request = {"parent": parent, "filter": f"labels.marker={marker}"}
    (whole,) = jobs.list_hyperparameter_tuning_jobs(request)
    (masked,) = jobs.list_hyperparameter_tuning_jobs({**request, "read_mask": {"paths": ["name"]}})
    assert (len(whole.trials), len(masked.trials)) == (4, 0)


@pytest.fixture
def beta(local_vertex: Any, google_clients: dict[str, str], transport: str) -> Callable[[str], Any]:
    """Makes v1beta1 clients."""
    from google.cloud import aiplatform_v1beta1

    def make(name: str) -> Any:
        kind = getattr(aiplatform_v1beta1, name)
        if transport == "rest":
            url = local_vertex.connection.api_endpoint
            return kind(
                transport="rest",
                credentials=AnonymousCredentials(),
                client_options={"api_endpoint": url},
            )
        host = f"{local_vertex.place.location}-aiplatform.googleapis.com"
        return kind(client_options={"api_endpoint": host})

    return make


@pytest.mark.local_only
def test_v1beta1_creates_lists_and_deletes(
    beta: Any, parent: str, package_uri: str, marker: str, wait: Any
) -> None:
    jobs = beta("JobServiceClient")
    job = custom_job(package_uri, labels={"marker": marker})
    created = jobs.create_custom_job(parent=parent, custom_job=job)
    wait(lambda: jobs.get_custom_job(name=created.name))
    request = {"parent": parent, "filter": f"labels.marker={marker}"}
    names = [one.name for one in jobs.list_custom_jobs(request)]
    jobs.delete_custom_job(name=created.name).result()
    assert (names, [*jobs.list_custom_jobs(request)]) == ([created.name], [])


@pytest.mark.local_only
def test_v1beta1_results_are_of_its_own_types(beta: Any, parent: str) -> None:
    model = {"display_name": "m", "artifact_uri": "gs://contract-suite/m"}
    done = beta("ModelServiceClient").upload_model(parent=parent, model=model)
    assert type(done.result()).__module__.startswith("google.cloud.aiplatform_v1beta1")


@pytest.mark.local_only
def test_what_only_v1beta1_has_is_refused(beta: Any, parent: str, package_uri: str) -> None:
    job = custom_job(package_uri)
    job["job_spec"]["worker_pool_specs"][0]["machine_spec"]["min_gpu_driver_version"] = "1"
    with pytest.raises(exceptions.GoogleAPICallError, match=r"is not in v1|minGpuDriverVersion"):
        beta("JobServiceClient").create_custom_job(parent=parent, custom_job=job)
