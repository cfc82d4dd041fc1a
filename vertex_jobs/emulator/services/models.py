"""Models: what a training pipeline leaves behind. Get, list and delete.

Source: ModelService of the v1 API; a model's version follows its id after ``@``.
"""

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.identity import Identity, project_number
from vertex_jobs.emulator.services.listing import page_start, take_page
from vertex_jobs.emulator.services.methods import Call, Method, rule
from vertex_jobs.emulator.services.operations import done_operation
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store import Store
from vertex_jobs.names import ResourceName

__all__ = ["ModelService"]


class ModelService:
    """The models of all projects."""

    def __init__(self, store: Store, identity: Identity) -> None:
        """Serve the models of the store."""
        self._store = store
        self._identity = identity

    def methods(self) -> list[Method]:
        """The RPCs for models."""
        message, child = protos.message_class, "{name=projects/*/locations/*/models/*}"
        return [
            Method(
                "ModelService",
                "GetModel",
                message("GetModelRequest"),
                protos.Model,
                (rule("GET", child),),
                self.get,
            ),
            Method(
                "ModelService",
                "ListModels",
                message("ListModelsRequest"),
                message("ListModelsResponse"),
                (rule("GET", "{parent=projects/*/locations/*}/models"),),
                self.list_page,
            ),
            Method(
                "ModelService",
                "DeleteModel",
                message("DeleteModelRequest"),
                protos.Operation,
                (rule("DELETE", child),),
                self.delete,
            ),
        ]

    def _find(self, text: str) -> protos.Message:
        name = ResourceName.parse(text)
        model_id, _, version = name.resource_id.partition("@")
        model = self._store.load("models", model_id)
        known = {"", "default", "1"}
        if (
            model is None
            or version not in known
            or ResourceName.parse(model.name).project != project_number(name.project)
        ):
            raise ApiError("NOT_FOUND", f"The Model {text!r} does not exist.")
        return model

    async def get(self, request: protos.Message, call: Call) -> protos.Message:
        """The model, with or without ``@version``."""
        return self._find(request.name)

    async def list_page(self, request: protos.Message, call: Call) -> protos.Message:
        """One page, newest first."""
        parent = ResourceName.parse(f"{request.parent}/models/0")
        projects = (parent.project, project_number(parent.project))
        models = self._store.page(
            "models", projects, parent.location, page_start(request.page_token)
        )
        page, token = take_page(models, request.filter, request.page_size)
        answer = protos.message_class("ListModelsResponse")(next_page_token=token)
        answer.models.extend(page)
        return answer

    async def delete(self, request: protos.Message, call: Call) -> protos.Message:
        """Forget a model; its files stay."""
        name = ResourceName.parse(self._find(request.name).name)
        self._store.delete("models", name.resource_id)
        operation = self._identity.new_name(name.project, name.location, "operations")
        return done_operation(str(operation), protos.Empty())
