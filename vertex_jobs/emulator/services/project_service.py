"""Projects, locations and IAM policies, which the generated clients ask for as well.

Any project exists here. Policies are kept and echoed, and grant nothing: every caller may do
everything. Sources: Resource Manager v3, Projects; google.cloud.location.Locations;
google.iam.v1.IAMPolicy.
"""

from functools import partial

from vertex_jobs import catalog
from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.identity import project_number
from vertex_jobs.emulator.resources.request_names import numbered, parsed
from vertex_jobs.emulator.resources.tables.models import ModelTable
from vertex_jobs.emulator.resources.tables.policies import PolicyTable
from vertex_jobs.emulator.resources.tables.projects import ProjectTable
from vertex_jobs.emulator.services.methods import Call, HttpRule, Method, methods_of, rule
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.names import location_name

_IAM = "google.iam.v1.IAMPolicy"
_LOCATIONS = "google.cloud.location.Locations"
_PROJECTS = "google.cloud.resourcemanager.v3.Projects"


class ProjectService:
    """Projects, their locations, and policies on resources."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._projects = ProjectTable(store.database)
        self._models = ModelTable(store.database)
        self._policies = PolicyTable(store.database)

    def methods(self) -> list[Method]:
        """Return the RPCs of the three services."""
        return [*self._project_methods(), *self._location_methods(), *self._policy_methods()]

    def _project_methods(self) -> list[Method]:
        from google.cloud.resourcemanager_v3.types import GetProjectRequest, Project

        self._project_class = Project.pb()
        return [
            Method(
                _PROJECTS,
                "GetProject",
                GetProjectRequest.pb(),
                self._project_class,
                (rule("GET", "{name=projects/*}"),),
                self.get_project,
                versions=("v3",),
            )
        ]

    def _location_methods(self) -> list[Method]:
        from google.cloud.location import locations_pb2 as messages

        self._location_class = messages.Location
        self._locations_class = messages.ListLocationsResponse
        one, many = "{name=projects/*/locations/*}", "{name=projects/*}/locations"
        rows = [
            ("GetLocation", self._location_class, rule("GET", one), self.get_location),
            ("ListLocations", self._locations_class, rule("GET", many), self.list_locations),
        ]
        return methods_of(_LOCATIONS, rows, partial(getattr, messages))

    def _policy_methods(self) -> list[Method]:
        from google.iam.v1 import iam_policy_pb2 as messages

        self._permissions_class = messages.TestIamPermissionsResponse
        policy, permissions = protos.Policy, self._permissions_class

        def action(name: str) -> HttpRule:
            return rule("POST", f"{{resource=projects/*/locations/*/*/*}}:{name}", "*")

        rows = [
            ("GetIamPolicy", policy, action("getIamPolicy"), self.get_policy),
            ("SetIamPolicy", policy, action("setIamPolicy"), self.set_policy),
            (
                "TestIamPermissions",
                permissions,
                action("testIamPermissions"),
                self.test_permissions,
            ),
        ]
        return methods_of(_IAM, rows, partial(getattr, messages))

    async def get_project(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the project of that id or number."""
        project = request.name.rpartition("/")[2]
        number = self._projects.note(project)
        project_id = self._projects.id_of(project)
        return self._project_class(
            name=f"projects/{number}",
            project_id=project_id,
            display_name=project_id,
            state=self._project_class.State.Value("ACTIVE"),
        )

    async def get_location(self, request: protos.Message, call: Call) -> protos.Message:
        """Return one region; any that the SDK accepts."""
        _, project, _, location = request.name.split("/")
        if location not in catalog.load().regions:
            raise ApiError("NOT_FOUND", f"The location {location!r} does not exist.")
        return self._location(project, location)

    async def list_locations(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the regions that the SDK accepts, as one page."""
        project = request.name.rpartition("/")[2]
        found = [self._location(project, region) for region in catalog.load().regions]
        return self._locations_class(locations=found)

    def _location(self, project: str, location: str) -> protos.Message:
        return self._location_class(
            name=location_name(project_number(project), location),
            location_id=location,
            display_name=location,
        )

    def _existing(self, text: str) -> str:
        """Return the name of an existing resource, as it is kept."""
        name = numbered(parsed(text, "resource"))
        found = (
            bool(self._models.versions(name))
            if name.collection == "models"
            else self._store.has(name)
        )
        if not found:
            raise ApiError("NOT_FOUND", f"The resource {text!r} does not exist.")
        return str(name)

    async def get_policy(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the policy that was set, else the empty one."""
        return self._policies.get(self._existing(request.resource))

    async def set_policy(self, request: protos.Message, call: Call) -> protos.Message:
        """Keep a policy; one that was read before must not have changed since (its etag)."""
        resource = self._existing(request.resource)
        before, policy = self._policies.get(resource), protos.Policy()
        if request.policy.etag and request.policy.etag != before.etag:
            raise ApiError(
                "ABORTED", f"The policy of {request.resource!r} has changed since it was read."
            )
        policy.CopyFrom(request.policy)
        policy.etag = str(int(before.etag or b"0") + 1).encode()
        self._policies.put(resource, policy)
        return policy

    async def test_permissions(self, request: protos.Message, call: Call) -> protos.Message:
        """Return all of the asked permissions."""
        self._existing(request.resource)
        return self._permissions_class(permissions=request.permissions)
