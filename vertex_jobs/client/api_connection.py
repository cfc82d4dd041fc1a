"""An endpoint's addresses and what goes with every call: plain values, no open connection.

For whoever builds a `Client`: the endpoints module for Google's service and for Local Vertex. Which
of the two it is cannot be told from here, and nothing in the client asks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vertex_jobs.names import ResourceName

if TYPE_CHECKING:
    from vertex_jobs.requests import Place


@dataclass(frozen=True)
class Connection:
    """An endpoint and how to talk to it.

    Attributes:
        api_endpoint: Host of the API, or an ``http://`` URL, which the REST transport takes.
        credentials: From google-auth, with the cloud-platform scope; anonymous where none count.
        state_directory: Holds the journal of submissions; made when needed.
        transport: ``rest`` or ``grpc``, as the generated clients spell it.
        storage_endpoint: URL of the Cloud Storage API; None for Google's.
        headers: Sent with every create.
        timeout_seconds: How long one call of the API may take. The generated clients have no
            limit of their own, and a silent endpoint would hang them.
        console_url: Template with ``{location}``, ``{id}`` and ``{project}``; empty without one.
        regional_endpoint: Template with ``{location}`` of the hosts of other locations; empty where
            the one above answers for all.
    """

    place: "Place"
    api_endpoint: str
    credentials: Any
    state_directory: Path
    transport: str = "rest"
    storage_endpoint: str | None = None
    logging_endpoint: str = "https://logging.googleapis.com"
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_seconds: float = 60.0
    console_url: str = ""
    regional_endpoint: str = ""

    def endpoint_at(self, location: str) -> str:
        """Return the host of the API in that location."""
        if location == self.place.location:
            return self.api_endpoint
        return self.regional_endpoint.format(location=location) or self.api_endpoint

    def console_link(self, name: str) -> str:
        """Return the link to that job in the console; empty where there is no console."""
        if not self.console_url:
            return ""
        resource = ResourceName.parse(name)
        return self.console_url.format(
            location=resource.location, id=resource.resource_id, project=self.place.project
        )
