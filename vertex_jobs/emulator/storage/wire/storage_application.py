"""The ASGI application of Cloud Storage: finds the call that a request makes, and answers it.

It serves plain paths on any host, so a front may send it what belongs to no other API. Faults are
injected here, between a call's route and its handler.
"""

import contextlib
import logging
import time
from collections.abc import Callable
from functools import partial

from vertex_jobs.emulator.asgi import Receive, Scope, Send
from vertex_jobs.emulator.clock import Clock
from vertex_jobs.emulator.faults.injection import ConnectionDroppedError, end_connection, inject
from vertex_jobs.emulator.faults.rules import FaultBoard
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.storage.objects import NotEmulatedError, ObjectStore, ObjectStoreError
from vertex_jobs.emulator.storage.wire import json_api, xml_api
from vertex_jobs.emulator.storage.wire.error_answers import json_failure, xml_failure
from vertex_jobs.emulator.storage.wire.http_messages import (
    ClientLeftError,
    Request,
    Response,
    request_from,
    send_response,
)
from vertex_jobs.emulator.storage.wire.storage_call import StorageCall

_log = logging.getLogger(__name__)

#: Spells a refusal as one of the two APIs does.
Failure = Callable[[ObjectStoreError | ApiError], Response]


class StorageApplication:
    """Answers both APIs over one store, which the caller keeps open."""

    def __init__(self, store: ObjectStore, board: FaultBoard, clock: Clock) -> None:
        """Serve a store; the board is also told which objects are read."""
        self._store = store
        self._board = board
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            raise ValueError(f"The storage service answers HTTP, not {scope['type']}")
        try:
            await send_response(await self._answer(scope, receive), send)
        except ClientLeftError:
            _log.info("%s %s: the client left", scope["method"], scope["path"])
        except ConnectionDroppedError as error:
            await end_connection(scope, receive, error)

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        is_json = json_api.is_json_path(scope["raw_path"].decode("latin-1"))
        find_call = json_api.find_call if is_json else xml_api.find_call
        failure: Failure = json_failure if is_json else xml_failure
        try:
            request = request_from(scope, receive)
        except ObjectStoreError as error:
            return failure(error)
        try:
            if "x-goog-encryption-algorithm" in request.headers:
                raise NotEmulatedError("customer-supplied encryption keys")
            call = find_call(request)
        except ObjectStoreError as error:
            await request.drain()
            return failure(error)
        self._note_read(call, request)
        carry_out = partial(self._carry_out, call, request, failure)
        fault = self._board.of_call(call.method)
        if fault is None:
            return await carry_out()
        # A call that outlives its client needs its body now, and an answer must not meet a client
        # that is still sending.
        await request.buffer()
        try:
            return await inject(fault, carry_out, self._clock, discard=Response.close)
        except ApiError as error:
            return failure(error)

    def _note_read(self, call: StorageCall, request: Request) -> None:
        """Note that an object's bytes are read, where somebody wants to know."""
        uri, incidents = call.bytes_read(request), self._board.incidents
        if uri and incidents.watches(uri):
            with contextlib.suppress(ObjectStoreError):
                stored = self._store.get(call.names["bucket"], call.names["name"])
                incidents.note_read(uri, stored.updated, time.time())

    async def _carry_out(self, call: StorageCall, request: Request, failure: Failure) -> Response:
        try:
            return await call.answer(request, self._store)
        except ObjectStoreError as error:
            await request.drain()
            return failure(error)
