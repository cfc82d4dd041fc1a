"""Long-running operations, which here are done when they are answered.

Deletes and uploads take effect before the answer, so the operation carries its result; the SDK
then asks nothing more. Source: google.longrunning.Operation.
"""

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.services.methods import Call, Method, rule
from vertex_jobs.emulator.status import ApiError

__all__ = ["OperationService", "done_operation"]


def done_operation(name: str, response: protos.Message) -> protos.Message:
    """An operation that is done, its response packed."""
    operation = protos.Operation(name=name, done=True)
    operation.response.Pack(response)
    return operation


class OperationService:
    """Get and wait; operations are not kept, since their result went out with them."""

    def methods(self) -> list[Method]:
        """The RPCs that ask for an operation again."""
        from google.longrunning import operations_pb2

        child = "{name=projects/*/locations/*/operations/*}"
        return [
            Method(
                "google.longrunning.Operations",
                "GetOperation",
                operations_pb2.GetOperationRequest,
                protos.Operation,
                (rule("GET", child),),
                self._get,
            ),
            Method(
                "google.longrunning.Operations",
                "WaitOperation",
                operations_pb2.WaitOperationRequest,
                protos.Operation,
                (rule("POST", f"{child}:wait", "*"),),
                self._get,
            ),
        ]

    async def _get(self, request: protos.Message, call: Call) -> protos.Message:
        raise ApiError(
            "NOT_FOUND",
            f"The operation {request.name!r} does not exist: Local Vertex answers operations "
            "with their result and does not keep them.",
        )
