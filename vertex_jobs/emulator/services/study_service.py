"""Vizier's studies: create, get, list, look up, delete. ``trial_service`` has their trials.

Source: VizierService of the v1 API.
"""

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources import validation
from vertex_jobs.emulator.resources.fields import stored_fields
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.resources.request_names import find_resource, numbered, parent_of
from vertex_jobs.emulator.resources.study_validation import check_study_spec
from vertex_jobs.emulator.resources.tables.projects import ProjectTable
from vertex_jobs.emulator.resources.trial_rules import default_values
from vertex_jobs.emulator.services.collection_pages import page_of
from vertex_jobs.emulator.services.methods import Call, Method, methods_of, rule
from vertex_jobs.emulator.services.suggestions import Suggestions
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.logbook import SERVICE_TASK, Logbook
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.names import ResourceName


class StudyService:
    """The studies of all projects."""

    def __init__(
        self, store: Store, identity: Identity, logbook: Logbook, suggestions: Suggestions
    ) -> None:
        """Serve the studies of the store; warnings about them go into the logbook."""
        self._store = store
        self._identity = identity
        self._logbook = logbook
        self._suggestions = suggestions
        self._projects = ProjectTable(store.database)

    def methods(self) -> list[Method]:
        """Return the RPCs for studies."""
        child = "{name=projects/*/locations/*/studies/*}"
        parent = "{parent=projects/*/locations/*}/studies"
        studies = protos.message_class("ListStudiesResponse")
        rows = [
            ("CreateStudy", protos.Study, rule("POST", parent, "study"), self.create),
            ("GetStudy", protos.Study, rule("GET", child), self.get),
            ("ListStudies", studies, rule("GET", parent), self.list_page),
            ("LookupStudy", protos.Study, rule("POST", f"{parent}:lookup", "*"), self.lookup),
            ("DeleteStudy", protos.Empty, rule("DELETE", child), self.delete),
        ]
        return methods_of("VizierService", rows)

    def find(self, text: str, field: str = "name") -> protos.Message:
        """Return the study that the request's field names, or raise NOT_FOUND."""
        return find_resource(self._store, text, "studies", "Study", field=field)

    def _named(self, parent: ResourceName, display_name: str) -> protos.Message | None:
        parent = numbered(parent)
        for _, study in self._store.page("studies", parent.project, parent.location, None):
            if study.display_name == display_name:
                return study
        return None

    async def create(self, request: protos.Message, call: Call) -> protos.Message:
        """Make a study, whose display name no other study may have."""
        parent, study = parent_of(request.parent, "studies"), protos.Study()
        study.display_name = request.study.display_name
        study.study_spec.CopyFrom(request.study.study_spec)
        # Source: GoogleCloudPlatform/k8s-config-connector, _http.log of vertexaistudy.
        study.study_spec.study_stopping_config.SetInParent()
        faults = check_study_spec(study.study_spec, "study.study_spec")
        if not study.display_name:
            faults.append(("study.display_name", "The display name is required."))
        validation.refuse_faults(faults)
        warning = stored_fields(study.study_spec, "study.study_spec", vizier=True)
        _refuse_conditional_defaults(study.study_spec)
        if self._named(parent, study.display_name) is not None:
            raise ApiError("ALREADY_EXISTS", f"The Study {study.display_name!r} already exists.")
        name = self._identity.new_name(parent.project, parent.location, "studies")
        study.name, study.state = str(name), protos.StudyState.ACTIVE
        study.create_time.CopyFrom(self._identity.now())
        with self._store.transaction():
            self._projects.note(parent.project)
            self._store.insert(study, project=parent.project, settings=call.options)
        if warning:
            now = self._identity.unix_time()
            self._logbook.append(name.resource_id, SERVICE_TASK, "WARNING", warning, now)
        return study

    async def get(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the study."""
        return self.find(request.name)

    async def list_page(self, request: protos.Message, call: Call) -> protos.Message:
        """Return one page, newest first."""
        page, token = page_of(self._store, request, "studies", protos.Study)
        return protos.message_class("ListStudiesResponse")(studies=page, next_page_token=token)

    async def lookup(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the study of that display name."""
        study = self._named(parent_of(request.parent, "studies"), request.display_name)
        if study is None:
            raise ApiError("NOT_FOUND", f"There is no Study named {request.display_name!r}.")
        return study

    async def delete(self, request: protos.Message, call: Call) -> protos.Message:
        """Forget a study and its trials."""
        study_id = ResourceName.parse(self.find(request.name).name).resource_id
        self._store.delete("studies", study_id)
        await self._suggestions.forget(study_id)
        return protos.Empty()


def _refuse_conditional_defaults(study_spec: protos.Message) -> None:
    conditional = any(one.conditional_parameter_specs for one in study_spec.parameters)
    if conditional and default_values(study_spec):
        raise ApiError(
            "UNIMPLEMENTED",
            "study.study_spec.parameters.default_value: Local Vertex does not start from defaults "
            "where parameters are conditional; leave them out, or use Vertex AI.",
        )
