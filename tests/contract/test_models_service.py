"""Models and their versions, through the generated client over both transports."""

from collections.abc import Callable
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud.aiplatform_v1 import types
from job_forms import base, pool, spec, training_pipeline


@pytest.fixture
def models(clients: Callable[[str], Any]) -> Any:
    return clients("ModelServiceClient")


@pytest.fixture
def upload(models: Any, parent: str) -> Callable[..., Any]:
    """Uploads a model, or a new version of one; answers the operation's result."""

    def make(**fields: Any) -> Any:
        form = {key: fields.pop(key) for key in ("model_id", "parent_model") if key in fields}
        model = {"display_name": "m", "artifact_uri": "gs://contract-suite/m", **fields}
        return models.upload_model({"parent": parent, "model": model, **form}).result()

    return make


def numbers(versions: Any) -> list[str]:
    return [version.version_id for version in versions]


def test_an_uploaded_model_is_its_first_default_version(models: Any, upload: Any) -> None:
    model = models.get_model(name=upload().model)
    assert (model.version_id, list(model.version_aliases)) == ("1", ["default"])


def test_a_model_may_have_an_id_of_the_users_own(
    models: Any, upload: Any, parent: str, marker: str
) -> None:
    upload(model_id=marker)
    assert models.get_model(name=f"{parent}/models/{marker}").name.endswith(f"/models/{marker}")


def test_an_id_is_given_once(upload: Any, marker: str) -> None:
    upload(model_id=marker)
    with pytest.raises(exceptions.Conflict, match="already exists"):
        upload(model_id=marker)


def test_an_id_that_is_not_valid_is_refused(upload: Any) -> None:
    with pytest.raises(exceptions.BadRequest, match="'1st' is not valid; expected up to 63"):
        upload(model_id="1st")


def test_a_new_version_becomes_the_default_when_asked(models: Any, upload: Any) -> None:
    first = upload()
    second = upload(parent_model=first.model, version_aliases=["default", "golden"])
    seen = {
        reference: models.get_model(name=f"{first.model}{reference}").version_id
        for reference in ("", "@1", "@2", "@default", "@golden")
    }
    assert (second.model_version_id, seen) == (
        "2",
        {"": "2", "@1": "1", "@2": "2", "@default": "2", "@golden": "2"},
    )


def test_a_new_version_leaves_the_default_alone_otherwise(models: Any, upload: Any) -> None:
    first = upload()
    upload(parent_model=first.model)
    assert models.get_model(name=first.model).version_id == "1"


def test_versions_come_newest_first_in_pages(models: Any, upload: Any) -> None:
    first = upload()
    for _ in range(2):
        upload(parent_model=first.model)
    pages = models.list_model_versions({"name": first.model, "page_size": 2}).pages
    assert [numbers(page.models) for page in pages] == [["3", "2"], ["1"]]


def test_versions_in_another_order(models: Any, upload: Any) -> None:
    first = upload()
    upload(parent_model=first.model)
    request = {"name": first.model, "order_by": "create_time, version_create_time", "page_size": 1}
    assert numbers(models.list_model_versions(request)) == ["1", "2"]


def test_an_alias_moves_to_another_version(models: Any, upload: Any) -> None:
    first = upload(version_aliases=["golden"])
    upload(parent_model=first.model)
    models.merge_version_aliases(name=f"{first.model}@2", version_aliases=["golden", "fresh"])
    found = {
        one.version_id: set(one.version_aliases)
        for one in models.list_model_versions(name=first.model)
    }
    assert found == {"1": {"default"}, "2": {"golden", "fresh"}}


def test_an_alias_is_taken_away(models: Any, upload: Any) -> None:
    first = upload(version_aliases=["golden"])
    models.merge_version_aliases(name=first.model, version_aliases=["-golden"])
    with pytest.raises(exceptions.NotFound):
        models.get_model(name=f"{first.model}@golden")


def test_the_default_cannot_be_taken_away(models: Any, upload: Any) -> None:
    first = upload()
    with pytest.raises(exceptions.GoogleAPICallError, match="give it to another version"):
        models.merge_version_aliases(name=first.model, version_aliases=["-default"])


def test_an_alias_that_looks_like_a_number_is_refused(models: Any, upload: Any) -> None:
    first = upload()
    with pytest.raises(exceptions.BadRequest, match="'7' is not valid"):
        models.merge_version_aliases(name=first.model, version_aliases=["7"])


def test_update_changes_what_the_mask_names(models: Any, upload: Any) -> None:
    first = upload(description="before", labels={"team": "a"})
    model = types.Model(name=first.model, display_name="new", labels={"team": "b"})
    updated = models.update_model(model=model, update_mask={"paths": ["display_name", "labels"]})
    assert (updated.display_name, dict(updated.labels), updated.description) == (
        "new",
        {"team": "b"},
        "before",
    )


def test_update_refuses_what_never_changes(models: Any, upload: Any) -> None:
    model = types.Model(name=upload().model, artifact_uri="gs://contract-suite/other")
    with pytest.raises(exceptions.BadRequest, match="artifact_uri cannot be changed"):
        models.update_model(model=model, update_mask={"paths": ["artifact_uri"]})


def test_models_are_filtered_and_ordered(
    models: Any, upload: Any, parent: str, marker: str
) -> None:
    for name in ("b", "a", "c"):
        upload(display_name=name, labels={"marker": marker})
    request = {
        "parent": parent,
        "filter": f"labels.marker={marker}",
        "order_by": "display_name desc",
        "page_size": 2,
    }
    pages = models.list_models(request).pages
    assert [[model.display_name for model in page.models] for page in pages] == [["c", "b"], ["a"]]


def test_a_read_mask_leaves_the_rest_out(
    models: Any, upload: Any, parent: str, marker: str
) -> None:
    upload(labels={"marker": marker})
    request = {
        "parent": parent,
        "filter": f"labels.marker={marker}",
        "read_mask": {"paths": ["display_name"]},
    }
    (model,) = models.list_models(request)
    assert model == types.Model(display_name="m")


def test_a_version_is_deleted(models: Any, upload: Any) -> None:
    first = upload()
    upload(parent_model=first.model)
    models.delete_model_version(name=f"{first.model}@2").result()
    assert numbers(models.list_model_versions(name=first.model)) == ["1"]


def test_a_version_number_is_not_used_again(models: Any, upload: Any) -> None:
    first = upload()
    upload(parent_model=first.model)
    models.delete_model_version(name=f"{first.model}@2").result()
    assert upload(parent_model=first.model).model_version_id == "3"


@pytest.mark.parametrize(
    ("versions", "reference", "message"),
    [(1, "@1", "The only version"), (2, "@1", "The default version"), (2, "", "names no version")],
)
def test_versions_that_stay(
    models: Any, upload: Any, versions: int, reference: str, message: str
) -> None:
    first = upload()
    for _ in range(versions - 1):
        upload(parent_model=first.model)
    with pytest.raises(exceptions.GoogleAPICallError, match=message):
        models.delete_model_version(name=f"{first.model}{reference}")


def test_a_deleted_model_is_gone_with_its_versions(models: Any, upload: Any) -> None:
    first = upload()
    models.delete_model(name=first.model).result()
    with pytest.raises(exceptions.NotFound, match="does not exist"):
        models.get_model(name=f"{first.model}@1")


def test_an_unknown_parent_model_is_not_found(upload: Any, parent: str) -> None:
    with pytest.raises(exceptions.NotFound, match="The parent Model"):
        upload(parent_model=f"{parent}/models/404")


@pytest.fixture
def train(
    clients: Callable[[str], Any],
    parent: str,
    package_uri: str,
    bucket: Any,
    marker: str,
    wait: Any,
) -> Callable[..., Any]:
    """Runs a pipeline that leaves a model; answers the pipeline."""
    pipelines = clients("PipelineServiceClient")

    def run(**fields: Any) -> Any:
        job = spec(pool(package_uri, "--model"), **base(f"gs://{bucket.name}/{marker}"))
        upload = {"model_to_upload": {"display_name": "m"}}
        form = training_pipeline(job, **upload, **fields)
        created = pipelines.create_training_pipeline(parent=parent, training_pipeline=form)
        return wait(lambda: pipelines.get_training_pipeline(name=created.name))

    return run


def test_a_pipelines_model_may_have_an_id(train: Any, models: Any, marker: str) -> None:
    pipeline = train(model_id=marker)
    model = models.get_model(name=pipeline.model_to_upload.name)
    assert (model.name.rsplit("/", 1)[1], model.version_id, model.training_pipeline) == (
        marker,
        "1",
        pipeline.name,
    )


def test_a_pipelines_model_may_be_a_new_version(train: Any, models: Any, upload: Any) -> None:
    first = upload()
    pipeline = train(parent_model=first.model)
    model = models.get_model(name=f"{first.model}@2")
    assert (pipeline.model_to_upload.version_id, model.training_pipeline) == ("2", pipeline.name)


def test_a_pipeline_is_refused_when_its_model_would_be(train: Any) -> None:
    with pytest.raises(exceptions.BadRequest, match="The model id '1st' is not valid"):
        train(model_id="1st")
