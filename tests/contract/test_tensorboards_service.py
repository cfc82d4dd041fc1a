"""Managed TensorBoards and their experiments, through the generated clients and Google's SDK."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud import aiplatform, aiplatform_v1beta1
from google.cloud.aiplatform_v1 import types
from job_forms import pool


@pytest.fixture
def boards(clients: Callable[[str], Any]) -> Any:
    return clients("TensorboardServiceClient")


@pytest.fixture
def new_board(boards: Any, parent: str) -> Iterator[Callable[..., Any]]:
    """Makes TensorBoards, which are gone after the test."""
    made = []

    def make(**fields: Any) -> Any:
        board = {"display_name": "b", **fields}
        made.append(boards.create_tensorboard(parent=parent, tensorboard=board).result().name)
        return boards.get_tensorboard(name=made[-1])

    yield make
    left = {board.name for board in boards.list_tensorboards(parent=parent)}
    for name in left.intersection(made):
        boards.delete_tensorboard(name=name).result()


@pytest.fixture
def new_experiment(boards: Any) -> Callable[..., Any]:
    def make(board: str, experiment_id: str, **fields: Any) -> Any:
        return boards.create_tensorboard_experiment(
            request={
                "parent": board,
                "tensorboard_experiment": fields,
                "tensorboard_experiment_id": experiment_id,
            }
        )

    return make


@pytest.fixture
def sdk(google_clients: dict[str, str]) -> Any:
    aiplatform.init(project="local-project", location="us-central1")
    return aiplatform


def changed(boards: Any, name: str, *paths: str, **fields: Any) -> Any:
    board = {"name": name, **fields}
    mask = {"paths": list(paths)}
    return boards.update_tensorboard(tensorboard=board, update_mask=mask).result()


def test_the_operation_of_a_create_tells_no_times(boards: Any, parent: str) -> None:
    board = {"display_name": "b", "labels": {"a": "b"}}
    made = boards.create_tensorboard(parent=parent, tensorboard=board)
    told = made.result()
    boards.delete_tensorboard(name=told.name).result()
    assert types.Tensorboard.to_dict(told) == types.Tensorboard.to_dict(
        types.Tensorboard(name=told.name, **board)
    )


def test_an_update_changes_what_its_mask_names(boards: Any, new_board: Any) -> None:
    name = new_board(description="old").name
    changed(boards, name, "display_name", display_name="new", description="not named")
    board = boards.get_tensorboard(name=name)
    assert (board.display_name, board.description) == ("new", "old")


def test_an_update_gives_a_new_etag(boards: Any, new_board: Any) -> None:
    board = new_board()
    assert changed(boards, board.name, "description", description="d").etag != board.etag


@pytest.mark.local_only
def test_an_etag_of_before_a_change_is_refused(boards: Any, new_board: Any) -> None:
    board = new_board()
    changed(boards, board.name, "description", description="d")
    with pytest.raises(exceptions.Conflict, match=r"read it again, or leave the etag out"):
        changed(boards, board.name, "description", description="e", etag=board.etag)


@pytest.mark.local_only
def test_output_cannot_be_changed(boards: Any, new_board: Any) -> None:
    with pytest.raises(exceptions.BadRequest, match=r"update_mask: run_count cannot be changed"):
        changed(boards, new_board().name, "run_count", run_count=3)


@pytest.mark.local_only
def test_only_one_is_the_default(boards: Any, new_board: Any) -> None:
    first = new_board(is_default=True).name
    second = new_board().name
    changed(boards, second, "is_default", is_default=True)
    defaults = [boards.get_tensorboard(name=name).is_default for name in (first, second)]
    assert defaults == [False, True]


@pytest.mark.local_only
def test_all_faults_of_a_board_come_at_once(new_board: Any) -> None:
    with pytest.raises(exceptions.BadRequest) as refusal:
        new_board(display_name="", labels={"Bad": "x"})
    fields = [text.partition(";")[0] for text in refusal.value.message.split("Field: ")[1:]]
    assert fields == ["tensorboard.display_name", "tensorboard.labels"]


def test_boards_are_listed_by_filter_and_page(
    boards: Any, parent: str, new_board: Any, marker: str
) -> None:
    names = [new_board(labels={"marker": marker}).name for _ in range(3)]
    request = {"parent": parent, "filter": f"labels.marker={marker}", "page_size": 2}
    pages = boards.list_tensorboards(request).pages
    assert [[one.name for one in page.tensorboards] for page in pages] == [
        names[:0:-1],
        names[:1],
    ]


@pytest.mark.local_only
def test_a_page_has_at_most_a_hundred(boards: Any, parent: str, marker: str) -> None:
    """Source: ListTensorboardsRequest proto."""
    for _ in range(101):
        board = {"display_name": "b", "labels": {"marker": marker}}
        boards.create_tensorboard(parent=parent, tensorboard=board)
    request = {"parent": parent, "filter": f"labels.marker={marker}", "page_size": 1000}
    pages = list(boards.list_tensorboards(request).pages)
    assert [len(page.tensorboards) for page in pages] == [100, 1]


def test_a_board_that_was_deleted_is_not_found(boards: Any, new_board: Any) -> None:
    name = new_board().name
    boards.delete_tensorboard(name=name).result()
    with pytest.raises(exceptions.NotFound, match=f"Tensorboard {name} is not found."):
        boards.get_tensorboard(name=name)


def test_an_experiment_keeps_what_it_was_made_with(
    boards: Any, new_board: Any, new_experiment: Any
) -> None:
    board = new_board().name
    new_experiment(board, "e-1", display_name="d", source="job", labels={"a": "b"})
    found = boards.get_tensorboard_experiment(name=f"{board}/experiments/e-1")
    shown = (found.display_name, found.source, dict(found.labels))
    assert shown == ("d", "job", {"a": "b"})


@pytest.mark.local_only
@pytest.mark.parametrize("experiment_id", ["", "Upper", "a_b", "a" * 129])
def test_an_experiments_id_is_checked(
    new_board: Any, new_experiment: Any, experiment_id: str
) -> None:
    text = f"'{experiment_id}' is not valid; expected 1 to 128 lowercase letters"
    with pytest.raises(exceptions.BadRequest, match=text):
        new_experiment(new_board().name, experiment_id)


def test_an_experiments_id_is_given_once_in_a_board(new_board: Any, new_experiment: Any) -> None:
    first, second = new_board().name, new_board().name
    new_experiment(first, "same")
    new_experiment(second, "same")
    with pytest.raises(exceptions.Conflict, match="already exists"):
        new_experiment(first, "same")


@pytest.mark.local_only
def test_the_source_of_an_experiment_may_be_named_but_not_changed(
    boards: Any, new_board: Any, new_experiment: Any
) -> None:
    made = new_experiment(new_board().name, "e", source="job")
    mask = {"paths": ["description", "source"]}

    def update(source: str) -> Any:
        form = {"name": made.name, "description": "d", "source": source}
        request = {"tensorboard_experiment": form, "update_mask": mask}
        return boards.update_tensorboard_experiment(request=request)

    assert update("job").description == "d"
    with pytest.raises(exceptions.BadRequest, match="update_mask: source cannot be changed"):
        update("other")


def test_experiments_are_those_of_their_board(
    boards: Any, new_board: Any, new_experiment: Any
) -> None:
    board = new_board().name
    for number in range(3):
        new_experiment(board, f"e{number}", display_name=f"{number % 2}")
    new_experiment(new_board().name, "other", display_name="0")
    request = {"parent": board, "filter": 'display_name="0"', "page_size": 1}
    found = boards.list_tensorboard_experiments(request)
    assert [one.name.rpartition("/")[2] for one in found] == ["e2", "e0"]


def test_an_experiment_goes_with_its_board(
    boards: Any, new_board: Any, new_experiment: Any
) -> None:
    board = new_board().name
    name = new_experiment(board, "e").name
    boards.delete_tensorboard(name=board).result()
    with pytest.raises(exceptions.NotFound, match=f"TensorboardExperiment {name} is not found."):
        boards.get_tensorboard_experiment(name=name)


def test_an_experiment_is_deleted_by_itself(
    boards: Any, new_board: Any, new_experiment: Any
) -> None:
    board = new_board().name
    kept, gone = new_experiment(board, "kept").name, new_experiment(board, "gone").name
    boards.delete_tensorboard_experiment(name=gone).result()
    left = [one.name for one in boards.list_tensorboard_experiments(parent=board)]
    assert left == [kept]


@pytest.mark.local_only
@pytest.mark.parametrize(
    ("method", "field", "below"),
    [
        ("list_tensorboard_runs", "parent", "/experiments/e"),
        ("read_tensorboard_size", "tensorboard", ""),
        ("read_tensorboard_usage", "tensorboard", ""),
        ("write_tensorboard_experiment_data", "tensorboard_experiment", "/experiments/e"),
    ],
)
def test_what_holds_data_is_refused_by_name(
    boards: Any, new_board: Any, method: str, field: str, below: str
) -> None:
    with pytest.raises(exceptions.MethodNotImplemented, match="is not emulated by Local Vertex"):
        getattr(boards, method)({field: f"{new_board().name}{below}"})


@pytest.mark.local_only
@pytest.mark.parametrize("exists", [True, False])
def test_a_job_may_name_a_board(
    clients: Callable[[str], Any], new_board: Any, parent: str, package_uri: str, exists: bool
) -> None:
    board = new_board().name if exists else f"{parent}/tensorboards/404"
    spec = {
        "worker_pool_specs": [pool(package_uri)],
        "service_account": "a@p.iam.gserviceaccount.com",
        "tensorboard": board,
    }
    job = {"display_name": "j", "job_spec": spec}
    made = clients("JobServiceClient").create_custom_job(parent=parent, custom_job=job)
    assert made.job_spec.tensorboard == board


@pytest.mark.local_only
def test_v1beta1_packs_its_own_messages(google_clients: dict[str, str], parent: str) -> None:
    client = aiplatform_v1beta1.TensorboardServiceClient()
    board = aiplatform_v1beta1.Tensorboard(display_name="beta")
    made = client.create_tensorboard(parent=parent, tensorboard=board).result()
    changes = {"name": made.name, "description": "d"}
    mask = {"paths": ["description"]}
    update = client.update_tensorboard(tensorboard=changes, update_mask=mask)
    assert update.result().description == "d"


@pytest.mark.local_only
class TestSdk:
    """``aiplatform.Tensorboard`` and ``aiplatform.TensorboardExperiment``, unmodified."""

    def test_a_board_is_made_found_changed_and_deleted(self, sdk: Any, marker: str) -> None:
        board = sdk.Tensorboard.create(display_name=marker, labels={"a": "b"})
        found = sdk.Tensorboard.list(filter=f'display_name="{marker}"')
        board.update(display_name=f"{marker}-2", description="d", labels={"c": "d"})
        again = sdk.Tensorboard(board.resource_name)
        board.delete()
        left = sdk.Tensorboard.list(filter=f'display_name="{marker}-2"')
        assert (
            [one.resource_name for one in found],
            (again.display_name, again.gca_resource.description, again.labels),
            left,
        ) == ([board.resource_name], (f"{marker}-2", "d", {"c": "d"}), [])

    def test_an_experiment_is_made_found_and_deleted(self, sdk: Any, marker: str) -> None:
        board = sdk.Tensorboard.create(display_name=marker)
        experiment = sdk.TensorboardExperiment.create(
            tensorboard_experiment_id="my-experiment", tensorboard_name=board.resource_name
        )
        found = sdk.TensorboardExperiment.list(tensorboard_name=board.name)
        experiment.delete()
        left = sdk.TensorboardExperiment.list(tensorboard_name=board.resource_name)
        names = [one.resource_name for one in found]
        assert (names, left) == ([f"{board.resource_name}/experiments/my-experiment"], [])
