"""The reading half of the object store; readers never wait for writers."""

from typing import BinaryIO

from vertex_jobs.emulator.storage.objects.catalog import Catalog
from vertex_jobs.emulator.storage.objects.listing import Listing, ListQuery, list_page
from vertex_jobs.emulator.storage.objects.records import ANY, Preconditions, StoredObject

__all__ = ["ObjectReader"]


class ObjectReader:
    """Finds, opens and lists live objects."""

    def __init__(self, catalog: Catalog) -> None:
        """Read what ``catalog`` knows."""
        self._catalog = catalog

    def get(
        self,
        bucket: str,
        name: str,
        *,
        generation: int | None = None,
        preconditions: Preconditions = ANY,
    ) -> StoredObject:
        """Find a live object.

        Raises:
            ObjectNotFoundError: If it is not there, or of another generation.
            BucketNotFoundError: If not even the bucket is.
            PreconditionFailedError: If it is not as demanded.
        """
        stored = self._catalog.require(self._catalog.database.read(), bucket, name, generation)
        preconditions.check(stored)
        return stored

    def open(
        self,
        bucket: str,
        name: str,
        *,
        generation: int | None = None,
        preconditions: Preconditions = ANY,
    ) -> tuple[StoredObject, BinaryIO]:
        """Find a live object and open its bytes, which stay readable whatever happens to it.

        Raises:
            ObjectStoreError: As ``get`` does.
        """
        while True:
            stored = self.get(bucket, name, generation=generation, preconditions=preconditions)
            try:
                return stored, self._catalog.payloads.open(stored.payload)
            except FileNotFoundError:  # replaced since, unless the very same is still live
                if self.get(bucket, name) == stored:
                    raise

    def list_objects(self, bucket: str, query: ListQuery) -> Listing:
        """Read one page of a listing.

        Raises:
            BucketNotFoundError: If there is none of that name.
            InvalidObjectRequestError: If the query makes no sense.
        """
        sql = self._catalog.database.read()
        self._catalog.bucket(sql, bucket)
        return list_page(sql, bucket, query)
