"""Managed datasets, as far as one on Cloud Storage needs them for training.

Create, import, get, list, update, delete. What is imported is remembered, not parsed: a pipeline
reads it when it starts. BigQuery is refused; exports, annotations and versions are not served.
Source: DatasetService of the v1 API.
"""

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.dataset_lookup import (
    DatasetLookup,
    complete_dataset,
    source_of,
)
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.resources.request_names import parent_of
from vertex_jobs.emulator.resources.tables.policies import PolicyTable
from vertex_jobs.emulator.resources.tables.projects import ProjectTable
from vertex_jobs.emulator.resources.validation import check_labels, refuse_faults
from vertex_jobs.emulator.services.collection_pages import page_of
from vertex_jobs.emulator.services.field_masks import apply_update, masked
from vertex_jobs.emulator.services.methods import Call, Method, methods_of, rule
from vertex_jobs.emulator.services.operation_service import OperationService
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.names import ResourceName, is_gcs_uri

#: Source: UpdateDatasetRequest proto.
_CHANGEABLE = ("display_name", "description", "labels")


class DatasetService:
    """The datasets of all projects."""

    def __init__(self, store: Store, identity: Identity, operations: OperationService) -> None:
        self._store = store
        self._identity = identity
        self._operations = operations
        self._lookup = DatasetLookup(store)
        self._projects = ProjectTable(store.database)
        self._policies = PolicyTable(store.database)

    def methods(self) -> list[Method]:
        """Return the RPCs for datasets."""
        child = "{name=projects/*/locations/*/datasets/*}"
        parent = "{parent=projects/*/locations/*}/datasets"
        patched = child.replace("name=", "dataset.name=")
        operation, dataset = protos.Operation, protos.Dataset
        datasets = protos.message_class("ListDatasetsResponse")
        rows = [
            ("CreateDataset", operation, rule("POST", parent, "dataset"), self.create),
            ("GetDataset", dataset, rule("GET", child), self.get),
            ("ListDatasets", datasets, rule("GET", parent), self.list_page),
            ("UpdateDataset", dataset, rule("PATCH", patched, "dataset"), self.update),
            ("DeleteDataset", operation, rule("DELETE", child), self.delete),
            ("ImportData", operation, rule("POST", f"{child}:import", "*"), self.import_data),
        ]
        return methods_of("DatasetService", rows)

    async def create(self, request: protos.Message, call: Call) -> protos.Message:
        """Make a dataset."""
        parent, dataset = parent_of(request.parent, "datasets"), protos.Dataset()
        dataset.CopyFrom(request.dataset)
        faults = check_labels(dataset, "dataset")
        if not dataset.metadata_schema_uri:
            faults.append(("dataset.metadata_schema_uri", "The metadata schema is required."))
        refuse_faults(faults)
        if dataset.HasField("metadata") and "bigquerySource" in str(dataset.metadata):
            source_of("", dataset, ())
        complete_dataset(dataset)
        dataset.name = str(self._identity.new_name(parent.project, parent.location, "datasets"))
        now = self._identity.now()
        dataset.create_time.CopyFrom(now)
        dataset.update_time.CopyFrom(now)
        with self._store.transaction():
            self._projects.note(parent.project)
            self._store.insert(dataset, project=parent.project)
            name = ResourceName.parse(dataset.name)
            told = protos.Dataset()
            told.CopyFrom(dataset)
            told.ClearField("create_time")
            told.ClearField("update_time")
            return self._operations.done(name, told, "CreateDatasetOperationMetadata")

    async def import_data(self, request: protos.Message, call: Call) -> protos.Message:
        """Add files to a dataset."""
        name = ResourceName.parse(self._lookup.find(request.name).name)
        uris = [uri for config in request.import_configs for uri in config.gcs_source.uris]
        if not uris or not all(map(is_gcs_uri, uris)):
            raise ApiError(
                "INVALID_ARGUMENT",
                f"import_configs.gcs_source.uris: expected Cloud Storage URIs, got {uris}.",
            )
        for config in request.import_configs:
            if config.data_item_labels or config.annotation_labels:
                raise ApiError(
                    "UNIMPLEMENTED",
                    "import_configs: Local Vertex does not label what it imports; leave "
                    "data_item_labels and annotation_labels out to rehearse, or use Vertex AI.",
                )
        imported = [*self._lookup.imported(name.resource_id), *uris]
        with self._store.transaction():
            self._store.save_settings("datasets", name.resource_id, {"imported": imported})
            response = protos.message_class("ImportDataResponse")()
            return self._operations.done(name, response, "ImportDataOperationMetadata")

    async def get(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the dataset."""
        return masked(self._lookup.find(request.name), request.read_mask)

    async def list_page(self, request: protos.Message, call: Call) -> protos.Message:
        """Return one page, newest first."""
        page, token = page_of(self._store, request, "datasets", protos.Dataset)
        return protos.message_class("ListDatasetsResponse")(datasets=page, next_page_token=token)

    async def update(self, request: protos.Message, call: Call) -> protos.Message:
        """Change display name, description or labels."""
        dataset = self._lookup.find(request.dataset.name)
        apply_update(dataset, request.dataset, request.update_mask, _CHANGEABLE)
        complete_dataset(dataset)
        dataset.update_time.CopyFrom(self._identity.now())
        self._store.save(dataset)
        return dataset

    async def delete(self, request: protos.Message, call: Call) -> protos.Message:
        """Forget a dataset; its files stay."""
        name = ResourceName.parse(self._lookup.find(request.name).name)
        with self._store.transaction():
            self._store.delete("datasets", name.resource_id)
            self._policies.delete(str(name))
            return self._operations.deleted(name)
