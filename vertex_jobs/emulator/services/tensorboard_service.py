"""Managed TensorBoards as resources that jobs name: create, get, list, update, delete.

Nothing is uploaded into one: a job's logs stay in its bucket. Runs, time series and their data are
not served. Source: TensorboardService of the v1 API.
"""

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.resources.request_names import parent_of
from vertex_jobs.emulator.resources.tables.policies import PolicyTable
from vertex_jobs.emulator.resources.tables.projects import ProjectTable
from vertex_jobs.emulator.resources.tables.tensorboard_experiments import (
    TensorboardExperimentTable,
)
from vertex_jobs.emulator.resources.tensorboard_values import (
    blob_prefix,
    check_etag,
    find_tensorboard,
    sign,
)
from vertex_jobs.emulator.resources.validation import check_labels, refuse_faults
from vertex_jobs.emulator.services.collection_pages import page_of
from vertex_jobs.emulator.services.field_masks import apply_update
from vertex_jobs.emulator.services.methods import Call, Method, methods_of, rule
from vertex_jobs.emulator.services.operation_service import OperationService
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.names import ResourceName

#: Source: aiplatform.Tensorboard.update of the SDK.
_CHANGEABLE = ("display_name", "description", "labels", "is_default", "encryption_spec")
#: Source: ListTensorboardsRequest proto.
_PAGE_SIZES = (100, 100)
#: Of a TensorBoard without runs. Source: Tensorboard proto.
_NEVER_SET = ("run_count", "satisfies_pzs", "satisfies_pzi")
#: Known once the operation is done, and not in what it gives. Source: as the resource's values.
_NOT_TOLD = ("blob_storage_path_prefix", "create_time", "update_time", "etag")


class TensorboardService:
    """The TensorBoards of all projects."""

    def __init__(self, store: Store, identity: Identity, operations: OperationService) -> None:
        self._store = store
        self._identity = identity
        self._operations = operations
        self._projects = ProjectTable(store.database)
        self._policies = PolicyTable(store.database)
        self._experiments = TensorboardExperimentTable(store.database)

    def methods(self) -> list[Method]:
        """Return the RPCs for TensorBoards themselves."""
        child = "{name=projects/*/locations/*/tensorboards/*}"
        parent = "{parent=projects/*/locations/*}/tensorboards"
        patched = child.replace("name=", "tensorboard.name=")
        operation, board = protos.Operation, protos.Tensorboard
        boards = protos.message_class("ListTensorboardsResponse")
        rows = [
            ("CreateTensorboard", operation, rule("POST", parent, "tensorboard"), self.create),
            ("GetTensorboard", board, rule("GET", child), self.get),
            ("ListTensorboards", boards, rule("GET", parent), self.list_page),
            ("UpdateTensorboard", operation, rule("PATCH", patched, "tensorboard"), self.update),
            ("DeleteTensorboard", operation, rule("DELETE", child), self.delete),
        ]
        return methods_of("TensorboardService", rows)

    async def create(self, request: protos.Message, call: Call) -> protos.Message:
        """Make a TensorBoard."""
        parent, board = parent_of(request.parent, "tensorboards"), protos.Tensorboard()
        board.CopyFrom(request.tensorboard)
        for field in _NEVER_SET:
            board.ClearField(field)
        refuse_faults(check_labels(board, "tensorboard"))
        name = self._identity.new_name(parent.project, parent.location, "tensorboards")
        board.name, board.blob_storage_path_prefix = str(name), blob_prefix(name)
        now = self._identity.now()
        board.create_time.CopyFrom(now)
        board.update_time.CopyFrom(now)
        sign(board)
        with self._store.transaction():
            self._projects.note(parent.project)
            self._store.insert(board, project=parent.project)
            self._keep_one_default(board)
            told = protos.Tensorboard()
            told.CopyFrom(board)
            for field in _NOT_TOLD:
                told.ClearField(field)
            return self._operations.done(name, told, "CreateTensorboardOperationMetadata")

    async def get(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the TensorBoard."""
        return find_tensorboard(self._store, request.name)

    async def list_page(self, request: protos.Message, call: Call) -> protos.Message:
        """Return one page, newest first."""
        page, token = page_of(self._store, request, "tensorboards", protos.Tensorboard, _PAGE_SIZES)
        return protos.message_class("ListTensorboardsResponse")(
            tensorboards=page, next_page_token=token
        )

    async def update(self, request: protos.Message, call: Call) -> protos.Message:
        """Change what the mask names."""
        board, given = find_tensorboard(self._store, request.tensorboard.name), protos.Tensorboard()
        check_etag(board, request.tensorboard)
        given.CopyFrom(request.tensorboard)
        given.ClearField("etag")
        apply_update(board, given, request.update_mask, _CHANGEABLE)
        refuse_faults(check_labels(board, "tensorboard"))
        board.update_time.CopyFrom(self._identity.now())
        sign(board)
        with self._store.transaction():
            self._store.save(board)
            self._keep_one_default(board)
            return self._operations.done_in_region(
                ResourceName.parse(board.name), board, "UpdateTensorboardOperationMetadata"
            )

    def _keep_one_default(self, board: protos.Message) -> None:
        """Mark all others as not the default if this one is. Source: Tensorboard proto."""
        if not board.is_default:
            return
        name = ResourceName.parse(board.name)
        for _, other in self._store.page("tensorboards", name.project, name.location, None):
            if other.is_default and other.name != board.name:
                other.is_default = False
                sign(other)
                self._store.save(other)

    async def delete(self, request: protos.Message, call: Call) -> protos.Message:
        """Forget a TensorBoard and its experiments."""
        name = ResourceName.parse(find_tensorboard(self._store, request.name).name)
        with self._store.transaction():
            self._store.delete("tensorboards", name.resource_id)
            self._experiments.delete_all(name.resource_id)
            self._policies.delete(str(name))
            return self._operations.deleted(name)
