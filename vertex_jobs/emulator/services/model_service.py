"""Models and their versions, which training pipelines and uploads make.

A reference is a model's name, with a version's number or alias after ``@``; without one it means
the default version. Source: ModelService of the v1 API.
"""

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.resources.model_registry import ModelRegistry
from vertex_jobs.emulator.resources.model_versions import (
    DEFAULT,
    find_version,
    give_alias,
    take_alias,
)
from vertex_jobs.emulator.resources.request_names import not_found, numbered, parent_of, parsed
from vertex_jobs.emulator.resources.tables.models import ModelTable
from vertex_jobs.emulator.resources.tables.policies import PolicyTable
from vertex_jobs.emulator.services.collection_pages import page_start, take_page
from vertex_jobs.emulator.services.field_masks import apply_update
from vertex_jobs.emulator.services.methods import Call, Method, methods_of, rule
from vertex_jobs.emulator.services.operation_service import OperationService
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.names import ResourceName

#: Source: UpdateModelRequest proto; the rest of a model never changes.
_CHANGEABLE = ("display_name", "description", "labels", "version_description")


class ModelService:
    """The models of all projects."""

    def __init__(self, store: Store, identity: Identity, operations: OperationService) -> None:
        self._table = ModelTable(store.database)
        self._policies = PolicyTable(store.database)
        self._registry = ModelRegistry(self._table, identity)
        self._store = store
        self._identity = identity
        self._operations = operations

    def methods(self) -> list[Method]:
        """Return the RPCs for models."""
        child = "{name=projects/*/locations/*/models/*}"
        parent = "{parent=projects/*/locations/*}/models"
        operation, model = protos.Operation, protos.Model
        models = protos.message_class("ListModelsResponse")
        versions = protos.message_class("ListModelVersionsResponse")
        patched = child.replace("name=", "model.name=")
        rows = [
            ("GetModel", model, rule("GET", child), self.get),
            ("ListModels", models, rule("GET", parent), self.list_page),
            (
                "ListModelVersions",
                versions,
                rule("GET", f"{child}:listVersions"),
                self.list_versions,
            ),
            ("UploadModel", operation, rule("POST", f"{parent}:upload", "*"), self.upload),
            ("UpdateModel", model, rule("PATCH", patched, "model"), self.update),
            (
                "MergeVersionAliases",
                model,
                rule("POST", f"{child}:mergeVersionAliases", "*"),
                self.merge_aliases,
            ),
            ("DeleteModel", operation, rule("DELETE", child), self.delete),
            (
                "DeleteModelVersion",
                operation,
                rule("DELETE", f"{child}:deleteVersion"),
                self.delete_version,
            ),
        ]
        return methods_of("ModelService", rows)

    def _find(self, text: str) -> tuple[list[protos.Message], protos.Message]:
        name = numbered(parsed(text, "Model"))
        model_id, _, reference = name.resource_id.partition("@")
        versions = self._table.versions(
            ResourceName(name.project, name.location, name.collection, model_id)
        )
        version = find_version(versions, reference) if name.collection == "models" else None
        if version is None:
            raise not_found("Model")
        return versions, version

    async def get(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the named version of the model."""
        return self._find(request.name)[1]

    async def list_page(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the default version of each model, newest model first."""
        parent = numbered(parent_of(request.parent, "models"))
        places = self._table.page(parent.project, parent.location, page_start(request))
        rows = ((place, self._find(name)[1]) for place, name in places)
        page, token = take_page(rows, request, protos.Model)
        return protos.message_class("ListModelsResponse")(models=page, next_page_token=token)

    async def list_versions(self, request: protos.Message, call: Call) -> protos.Message:
        """Return all versions of a model, newest first."""
        versions, _ = self._find(request.name)
        before = page_start(request) or len(versions) + int(versions[-1].version_id)
        rows = [
            (int(one.version_id), one) for one in versions[::-1] if int(one.version_id) < before
        ]
        page, token = take_page(rows, request, protos.Model)
        return protos.message_class("ListModelVersionsResponse")(models=page, next_page_token=token)

    async def upload(self, request: protos.Message, call: Call) -> protos.Message:
        """Make a model, or a new version of the parent model."""
        parent = parent_of(request.parent, "models")
        if not request.model.display_name:
            raise ApiError("INVALID_ARGUMENT", "model.display_name: The display name is required.")
        with self._store.transaction():
            version = self._registry.upload(
                request.model,
                parent,
                model_id=request.model_id,
                parent_model=request.parent_model,
            )
            response = protos.message_class("UploadModelResponse")(
                model=version.name, model_version_id=version.version_id
            )
            name = ResourceName.parse(version.name)
            return self._operations.done(name, response, "UploadModelOperationMetadata")

    async def update(self, request: protos.Message, call: Call) -> protos.Message:
        """Change display name, descriptions or labels of the version that is meant."""
        _, version = self._find(request.model.name)
        apply_update(version, request.model, request.update_mask, _CHANGEABLE)
        now = self._identity.now()
        version.update_time.CopyFrom(now)
        version.version_update_time.CopyFrom(now)
        self._table.save(version)
        return version

    async def merge_aliases(self, request: protos.Message, call: Call) -> protos.Message:
        """Give aliases to a version, and take those that are written with a leading ``-``."""
        versions, version = self._find(request.name)
        for alias in request.version_aliases:
            if alias.startswith("-"):
                take_alias(version, alias[1:])
            else:
                give_alias(versions, version, alias)
        version.version_update_time.CopyFrom(self._identity.now())
        with self._store.transaction():
            for one in versions:
                self._table.save(one)
        return version

    async def delete(self, request: protos.Message, call: Call) -> protos.Message:
        """Forget a model and its versions; their files stay."""
        name = ResourceName.parse(self._find(request.name)[1].name)
        with self._store.transaction():
            self._table.delete(name)
            self._policies.delete(str(name))
            return self._operations.deleted(name)

    async def delete_version(self, request: protos.Message, call: Call) -> protos.Message:
        """Forget one version, neither the only nor the default one."""
        versions, version = self._find(request.name)
        if "@" not in request.name:
            raise ApiError(
                "INVALID_ARGUMENT", f"{request.name!r} names no version; expected MODEL@VERSION."
            )
        if len(versions) == 1:
            raise ApiError(
                "FAILED_PRECONDITION",
                "The only version of a model cannot be deleted; delete the model instead.",
            )
        if DEFAULT in version.version_aliases:
            raise ApiError(
                "FAILED_PRECONDITION",
                "The default version cannot be deleted; give the alias 'default' to another first.",
            )
        name = ResourceName.parse(version.name)
        with self._store.transaction():
            self._table.delete_version(name, version.version_id)
            return self._operations.deleted(name)
