"""Operations that were answered can be asked for again."""

from collections.abc import Callable
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud.aiplatform_v1 import types


@pytest.fixture
def models(clients: Callable[[str], Any]) -> Any:
    return clients("ModelServiceClient")


@pytest.fixture
def operation(models: Any, parent: str) -> Any:
    model = types.Model(display_name="m", artifact_uri="gs://contract-suite/m")
    return models.upload_model(parent=parent, model=model)


def test_an_operation_says_what_it_made(operation: Any) -> None:
    kinds = type(operation.result()).__name__, type(operation.metadata).__name__
    assert kinds == ("UploadModelResponse", "UploadModelOperationMetadata")


def test_it_is_answered_again(models: Any, operation: Any) -> None:
    again = models.get_operation({"name": operation.operation.name})
    assert (again.done, again.response) == (True, operation.operation.response)


def test_waiting_for_it_answers_at_once(models: Any, operation: Any) -> None:
    again = models.wait_operation({"name": operation.operation.name})
    if isinstance(again, bytes):  # the gRPC client forgets to parse this one answer
        again = type(operation.operation).FromString(again)
    assert again.done


def test_it_is_listed_under_its_model_and_under_the_region(
    models: Any, operation: Any, parent: str
) -> None:
    listed = [
        [one.name for one in models.list_operations({"name": name}).operations]
        for name in (operation.result().model, parent)
    ]
    assert [operation.operation.name in names for names in listed] == [True, True]


def test_cancelling_what_is_done_changes_nothing(models: Any, operation: Any) -> None:
    models.cancel_operation({"name": operation.operation.name})
    assert models.get_operation({"name": operation.operation.name}).done


def test_a_deleted_operation_is_gone(models: Any, operation: Any) -> None:
    models.delete_operation({"name": operation.operation.name})
    with pytest.raises(exceptions.NotFound, match="does not exist"):
        models.get_operation({"name": operation.operation.name})


def test_a_delete_is_an_operation_as_well(models: Any, operation: Any) -> None:
    deleting = models.delete_model(name=operation.result().model)
    again = models.get_operation({"name": deleting.operation.name})
    assert (again.done, type(deleting.metadata).__name__) == (True, "DeleteOperationMetadata")
