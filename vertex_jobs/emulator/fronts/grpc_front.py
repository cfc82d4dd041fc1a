"""The gRPC front: the method table behind generic handlers, on Unix sockets.

The listener hands it the connections that speak HTTP/2. Service names of v1 and v1beta1 are
served with the v1 messages.
"""

import asyncio
from collections.abc import Sequence
from typing import Protocol

import grpc
import grpc.aio

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.faults.injection import ConnectionDroppedError
from vertex_jobs.emulator.fronts.calls import HoldPolicy, call_of
from vertex_jobs.emulator.fronts.grpc_refusals import refuse
from vertex_jobs.emulator.fronts.grpc_sockets import GrpcSockets
from vertex_jobs.emulator.fronts.own_faults import OwnFaults
from vertex_jobs.emulator.services.methods import Method
from vertex_jobs.emulator.services.versions import refuse_unknown_fields, retyped_message
from vertex_jobs.emulator.status import ApiError


class Relays(Protocol):
    """The connections to the gRPC sockets that the listener has made, by gRPC's name of each."""

    def has_peer(self, peer: str) -> bool:
        """Return whether that connection is one of them."""

    def drop(self, peer: str) -> None:
        """Break that connection."""


def _full_names(method: Method) -> dict[str, str]:
    """Return the full names of the method's services, and the version of each."""
    if "." in method.service:
        return {method.service: ""}
    return {
        f"google.cloud.aiplatform.{version}.{method.service}": version
        for version in method.versions
    }


async def _refuse_strangers(context: grpc.aio.ServicerContext, relays: Relays) -> None:
    """End a call on a connection whose user the listener has not looked at."""
    if not relays.has_peer(context.peer()):
        await context.abort(grpc.StatusCode.PERMISSION_DENIED, "Connect to the server's port.")


def _handler(
    method: Method, hold: HoldPolicy, version: str, relays: Relays, faults: OwnFaults
) -> grpc.RpcMethodHandler:
    async def answer(request: protos.Message, context: grpc.aio.ServicerContext) -> protos.Message:
        await _refuse_strangers(context, relays)
        changes = faults.changes()
        headers = {key: str(value) for key, value in context.invocation_metadata() or ()}
        try:
            refuse_unknown_fields(request)
            response = await method.handler(request, call_of(headers, hold))
            return retyped_message(response, version)
        except ApiError as error:
            await refuse(context, error)
        except ConnectionDroppedError as error:
            if not error.silent:
                relays.drop(context.peer())
            await asyncio.Event().wait()  # until the connection has ended, which cancels this
            raise
        except Exception as error:
            await refuse(context, faults.answer(error, changes))

    return grpc.unary_unary_rpc_method_handler(
        answer,
        request_deserializer=method.request.FromString,
        response_serializer=lambda message: message.SerializeToString(),
    )


class _Refusal(grpc.GenericRpcHandler):  # type: ignore[misc]
    """Refuses by name what no other handler knows, methods of other Google APIs included."""

    def __init__(self, relays: Relays) -> None:
        self._relays = relays

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        name = handler_call_details.method.strip("/").replace("/", ".")

        async def answer(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
            await _refuse_strangers(context, self._relays)
            text = f"{name} is not emulated by Local Vertex."
            await refuse(context, ApiError("UNIMPLEMENTED", text))

        return grpc.unary_unary_rpc_method_handler(answer)


async def start_grpc(
    methods: Sequence[Method],
    sockets: GrpcSockets,
    key: bytes,
    chain: bytes,
    hold: HoldPolicy,
    relays: Relays,
    faults: OwnFaults,
) -> grpc.aio.Server:
    """Serve the methods, with TLS and without.

    Both are PEM: the leaf's private ``key``, and the ``chain`` of the leaf and its issuer.
    ``faults`` answers for exceptions that nobody expected.
    """
    server = grpc.aio.server(options=[("grpc.max_receive_message_length", -1)])
    services: dict[str, dict[str, grpc.RpcMethodHandler]] = {}
    for method in methods:
        for service, version in _full_names(method).items():
            handler = _handler(method, hold, version, relays, faults)
            services.setdefault(service, {})[method.name] = handler
    known = [
        grpc.method_handlers_generic_handler(service, handlers)
        for service, handlers in services.items()
    ]
    server.add_generic_rpc_handlers((*known, _Refusal(relays)))
    for path in sockets.paths:
        path.unlink(missing_ok=True)
    credentials = grpc.ssl_server_credentials([(key, chain)])
    server.add_secure_port(f"unix:{sockets.tls}", credentials)
    server.add_insecure_port(f"unix:{sockets.plain}")
    for path in sockets.paths:
        path.chmod(0o600)
    await server.start()
    return server
