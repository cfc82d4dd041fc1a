"""The gRPC front: the method table behind generic handlers, on a Unix socket with TLS.

The listener hands it the connections that negotiate HTTP/2. Service names of v1 and v1beta1 are
served with the v1 messages.
"""

from collections.abc import Sequence
from pathlib import Path

import grpc
import grpc.aio

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.fronts.calls import HoldPolicy, call_of
from vertex_jobs.emulator.services.methods import Method
from vertex_jobs.emulator.status import ApiError

__all__ = ["start_grpc"]

_VERSIONS = ("v1", "v1beta1")


def _full_names(service: str) -> list[str]:
    if "." in service:
        return [service]
    return [f"google.cloud.aiplatform.{version}.{service}" for version in _VERSIONS]


def _handler(method: Method, hold: HoldPolicy) -> grpc.RpcMethodHandler:
    async def answer(request: protos.Message, context: grpc.aio.ServicerContext) -> protos.Message:
        headers = {key: str(value) for key, value in context.invocation_metadata() or ()}
        try:
            return await method.handler(request, call_of(headers, hold))
        except ApiError as error:
            await context.abort(getattr(grpc.StatusCode, error.status), error.message)

    return grpc.unary_unary_rpc_method_handler(
        answer,
        request_deserializer=method.request.FromString,
        response_serializer=lambda message: message.SerializeToString(),
    )


async def start_grpc(
    methods: Sequence[Method], socket_path: Path, key: bytes, chain: bytes, hold: HoldPolicy
) -> grpc.aio.Server:
    """Serve the methods on a Unix socket.

    Args:
        methods: The table.
        socket_path: Where to listen; only our own user may enter its folder.
        key: The leaf's private key, PEM.
        chain: The leaf and its issuer, PEM.
        hold: How reads are held.
    """
    server = grpc.aio.server(options=[("grpc.max_receive_message_length", -1)])
    services: dict[str, dict[str, grpc.RpcMethodHandler]] = {}
    for method in methods:
        for service in _full_names(method.service):
            services.setdefault(service, {})[method.name] = _handler(method, hold)
    server.add_generic_rpc_handlers(
        tuple(
            grpc.method_handlers_generic_handler(service, handlers)
            for service, handlers in services.items()
        )
    )
    socket_path.unlink(missing_ok=True)
    credentials = grpc.ssl_server_credentials([(key, chain)])
    server.add_secure_port(f"unix:{socket_path}", credentials)
    await server.start()
    return server
