"""Uploading a model, or a new version of one; for the API's upload and for training pipelines."""

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.resources.model_versions import DEFAULT, MODEL_ID, check_alias, give_alias
from vertex_jobs.emulator.resources.request_names import numbered, parsed
from vertex_jobs.emulator.resources.tables.models import ModelTable
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.names import ResourceName


class ModelRegistry:
    """The one place where models come into being."""

    def __init__(self, table: ModelTable, identity: Identity) -> None:
        self.table = table
        self._identity = identity

    def check_upload(
        self, model: protos.Message, parent: ResourceName, *, model_id: str, parent_model: str
    ) -> None:
        """Refuse what ``upload`` would refuse, before anything is spent on it."""
        for alias in model.version_aliases:
            check_alias(alias)
        if parent_model:
            self._parent_name(parent_model, parent)
            return
        if model_id and MODEL_ID.fullmatch(model_id) is None:
            raise ApiError(
                "INVALID_ARGUMENT",
                f"The model id {model_id!r} is not valid; expected up to 63 of [a-z0-9_-], the "
                "first no digit or hyphen.",
            )
        taken = ResourceName(parent.project, parent.location, "models", model_id)
        if model_id and self.table.versions(numbered(taken)):
            raise ApiError("ALREADY_EXISTS", f"The Model {str(taken)!r} already exists.")

    def upload(
        self,
        model: protos.Message,
        parent: ResourceName,
        *,
        model_id: str = "",
        parent_model: str = "",
    ) -> protos.Message:
        """Keep a new model, or a new version of ``parent_model``; return it as kept.

        ``model`` comes without name, version and times. Its id is a number unless the user gives
        one; a version in ``parent_model`` is ignored.

        Raises:
            ApiError: If an id or alias is not valid or taken, or the parent model is unknown.
        """
        self.check_upload(model, parent, model_id=model_id, parent_model=parent_model)
        if parent_model:
            name = self._parent_name(parent_model, parent)
        else:
            name = self._identity.new_name(parent.project, parent.location, "models")
            if model_id:
                name = ResourceName(name.project, name.location, "models", model_id)
        earlier = self.table.versions(name)
        version, now = protos.Model(), self._identity.now()
        version.CopyFrom(model)
        version.name, version.version_id = str(name), self.table.next_version(name)
        for field in ("update_time", "version_create_time", "version_update_time", "create_time"):
            getattr(version, field).CopyFrom(now)
        if earlier:
            version.create_time.CopyFrom(earlier[0].create_time)
        wanted = list(dict.fromkeys(version.version_aliases)) + [DEFAULT] * (not earlier)
        del version.version_aliases[:]
        changed = {version.version_id: version}
        for alias in dict.fromkeys(wanted):
            changed |= {one.version_id: one for one in give_alias(earlier, version, alias)}
        for one in changed.values():
            self.table.save(one)
        return version

    def _parent_name(self, parent_model: str, parent: ResourceName) -> ResourceName:
        name = numbered(parsed(parent_model, "Model", "parent_model"))
        name = ResourceName(
            name.project, name.location, name.collection, name.resource_id.partition("@")[0]
        )
        if name.parent != numbered(parent).parent or not self.table.versions(name):
            raise ApiError("NOT_FOUND", f"The parent Model {parent_model!r} does not exist.")
        return name
