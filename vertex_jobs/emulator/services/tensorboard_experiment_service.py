"""Experiments of managed TensorBoards: create, get, list, update, delete.

Their runs are not served. Source: TensorboardService of the v1 API;
GoogleCloudPlatform/k8s-config-connector, _http.log of vertexaitensorboardexperiment, commit
bccf321843.
"""

import re

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.resources.request_names import invalid_name, numbered, parsed
from vertex_jobs.emulator.resources.tables.tensorboard_experiments import (
    TensorboardExperimentTable,
)
from vertex_jobs.emulator.resources.tensorboard_values import (
    check_etag,
    find_tensorboard,
    missing_in_tensorboards,
    sign,
)
from vertex_jobs.emulator.resources.validation import check_labels, refuse_faults
from vertex_jobs.emulator.services.collection_pages import page_start, take_page
from vertex_jobs.emulator.services.field_masks import apply_update
from vertex_jobs.emulator.services.methods import Call, Method, methods_of, rule
from vertex_jobs.emulator.services.operation_service import OperationService
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.names import ResourceName

#: Source: TensorboardExperiment proto.
_CHANGEABLE = ("display_name", "description", "labels")
#: Source: CreateTensorboardExperimentRequest proto.
_ID = re.compile(r"[a-z0-9-]{1,128}")
#: Source: ListTensorboardExperimentsRequest proto.
_PAGE_SIZES = (50, 1000)


class TensorboardExperimentService:
    """The experiments of all TensorBoards."""

    def __init__(self, store: Store, identity: Identity, operations: OperationService) -> None:
        self._store = store
        self._identity = identity
        self._operations = operations
        self._table = TensorboardExperimentTable(store.database)

    def methods(self) -> list[Method]:
        """Return the RPCs for experiments."""
        child = "{name=projects/*/locations/*/tensorboards/*/experiments/*}"
        parent = "{parent=projects/*/locations/*/tensorboards/*}/experiments"
        field = "tensorboard_experiment"
        patched = child.replace("name=", f"{field}.name=")
        one, operation = protos.TensorboardExperiment, protos.Operation
        many = protos.message_class("ListTensorboardExperimentsResponse")
        rows = [
            ("CreateTensorboardExperiment", one, rule("POST", parent, field), self.create),
            ("GetTensorboardExperiment", one, rule("GET", child), self.get),
            ("ListTensorboardExperiments", many, rule("GET", parent), self.list_page),
            ("UpdateTensorboardExperiment", one, rule("PATCH", patched, field), self.update),
            ("DeleteTensorboardExperiment", operation, rule("DELETE", child), self.delete),
        ]
        return methods_of("TensorboardService", rows)

    def _find(self, text: str) -> protos.Message:
        """Return the experiment that a request names, or raise NOT_FOUND."""
        kind = "TensorboardExperiment"
        name = numbered(parsed(text, kind))
        if (name.collection, name.child_collection) != ("tensorboards", "experiments"):
            raise invalid_name(kind)
        experiment = self._table.get(name)
        if experiment is None or experiment.name != str(name):
            raise missing_in_tensorboards(kind, text)
        return experiment

    async def create(self, request: protos.Message, call: Call) -> protos.Message:
        """Make an experiment under the id that the caller has chosen."""
        board = find_tensorboard(self._store, request.parent, "parent")
        experiment = protos.TensorboardExperiment()
        experiment.CopyFrom(request.tensorboard_experiment)
        faults = check_labels(experiment, "tensorboard_experiment", needs_name=False)
        if not _ID.fullmatch(request.tensorboard_experiment_id):
            text = (
                f"{request.tensorboard_experiment_id!r} is not valid; expected 1 to 128 lowercase "
                "letters, digits and hyphens."
            )
            faults.append(("tensorboard_experiment_id", text))
        refuse_faults(faults)
        name = ResourceName.parse(board.name).child(
            "experiments", request.tensorboard_experiment_id
        )
        if self._table.get(name) is not None:
            raise ApiError("ALREADY_EXISTS", f"TensorboardExperiment {name} already exists.")
        experiment.name = str(name)
        experiment.create_time.CopyFrom(self._identity.now())
        experiment.update_time.CopyFrom(experiment.create_time)
        sign(experiment)
        self._table.put(experiment)
        return experiment

    async def get(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the experiment."""
        return self._find(request.name)

    async def list_page(self, request: protos.Message, call: Call) -> protos.Message:
        """Return one page of a TensorBoard's experiments, newest first."""
        board = find_tensorboard(self._store, request.parent, "parent")
        rows = self._table.page(ResourceName.parse(board.name).resource_id, page_start(request))
        page, token = take_page(rows, request, protos.TensorboardExperiment, _PAGE_SIZES)
        return protos.message_class("ListTensorboardExperimentsResponse")(
            tensorboard_experiments=page, next_page_token=token
        )

    async def update(self, request: protos.Message, call: Call) -> protos.Message:
        """Change what the mask names."""
        given = protos.TensorboardExperiment()
        given.CopyFrom(request.tensorboard_experiment)
        experiment = self._find(given.name)
        check_etag(experiment, given)
        given.ClearField("etag")
        # The source may be named, but not changed.
        same = ("source",) if given.source == experiment.source else ()
        apply_update(experiment, given, request.update_mask, (*_CHANGEABLE, *same))
        refuse_faults(check_labels(experiment, "tensorboard_experiment", needs_name=False))
        experiment.update_time.CopyFrom(self._identity.now())
        sign(experiment)
        self._table.put(experiment)
        return experiment

    async def delete(self, request: protos.Message, call: Call) -> protos.Message:
        """Forget an experiment."""
        name = ResourceName.parse(self._find(request.name).name)
        self._table.delete(name)
        board = ResourceName(name.project, name.location, name.collection, name.resource_id)
        return self._operations.done(board, protos.Empty(), "DeleteOperationMetadata")
