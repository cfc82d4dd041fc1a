"""One call of Cloud Storage, as the JSON or the XML API routes a request to it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from vertex_jobs.emulator.storage.objects import ObjectStore
from vertex_jobs.emulator.storage.wire.http_messages import Request, Response

Handler = Callable[..., Awaitable[Response]]


@dataclass(frozen=True)
class StorageCall:
    """The call that a request makes.

    Attributes:
        method: Of the JSON API, e.g. ``storage.objects.insert``; a request of the XML API has the
            method that does the same.
        names: The parts of the path, decoded: ``bucket``, ``name`` and so on.
    """

    method: str
    handler: Handler
    names: Mapping[str, str]

    def bytes_read(self, request: Request) -> str:
        """Return the object whose bytes are read, as a ``gs://`` URI; empty for other calls."""
        if self.method != "storage.objects.get" or request.method != "GET":
            return ""
        if request.path.startswith("/storage/") and request.query.get("alt") != "media":
            return ""  # its metadata
        return f"gs://{self.names['bucket']}/{self.names['name']}"

    async def answer(self, request: Request, store: ObjectStore) -> Response:
        """Carry the call out.

        Raises:
            ObjectStoreError: If the store refuses it.
        """
        return await self.handler(request, store, **self.names)
