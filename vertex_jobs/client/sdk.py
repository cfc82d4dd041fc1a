"""The SDK's own object for a job, at the endpoint the job came from.

For ``handle.sdk``. The only module that imports ``google.cloud.aiplatform`` itself (2 s), and only
when it is asked for. The SDK's process-wide settings are neither read nor changed.
"""

from typing import Any

from vertex_jobs.client.api_connection import Connection
from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.names import ResourceName


def sdk_object(snapshot: Snapshot, connection: Connection) -> Any:
    """Return the same job as ``CustomJob``, ``CustomPythonPackageTrainingJob`` or the like.

    It is an instance of a subclass that differs in its connection alone. Objects that it makes in
    turn, a model for one, use the SDK's process-wide settings.
    """
    from google.cloud import aiplatform

    name = ResourceName.parse(snapshot.name)
    address = connection.endpoint_at(name.location)
    sdk_class: Any = getattr(aiplatform, snapshot.kind.sdk_class)

    def connect(cls: Any, *args: Any, **kwargs: Any) -> Any:
        # The hook through which the SDK makes the client of every resource. Its own client is
        # built from process-wide settings, which may name another endpoint.
        from google.api_core.client_options import ClientOptions
        from google.api_core.gapic_v1 import client_info

        untyped: Any = client_info
        return sdk_class.client_class(
            credentials=connection.credentials,
            transport=connection.transport,
            client_options=ClientOptions(api_endpoint=address),
            client_info=untyped.ClientInfo(gapic_version=aiplatform.__version__),
        )

    members = {"_instantiate_client": classmethod(connect), "__module__": sdk_class.__module__}
    bound: Any = type(sdk_class.__name__, (sdk_class,), members)
    return bound.get(
        snapshot.name,
        project=connection.place.project,
        location=name.location,
        credentials=connection.credentials,
    )
