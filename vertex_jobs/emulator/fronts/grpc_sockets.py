"""The two Unix sockets between the listener and the gRPC front: with TLS and without.

They lie in the state directory, which only our own user may enter.
"""

import os
from dataclasses import dataclass
from pathlib import Path

#: The kernel takes names of Unix sockets up to this length. Source: unix(7), sun_path.
_MAX_NAME_BYTES = 107


@dataclass(frozen=True)
class GrpcSockets:
    """The gRPC front's sockets: for connections that arrived encrypted, and for others."""

    tls: Path
    plain: Path

    @property
    def paths(self) -> tuple[Path, Path]:
        """Both sockets, the one with TLS first."""
        return self.tls, self.plain

    @classmethod
    def below(cls, folder: Path) -> "GrpcSockets":
        """Return the sockets of that folder, under names that the kernel takes.

        A folder whose name is too long is reached through an open descriptor, which stays open
        for the life of the process; the names are this process's alone.
        """
        if len(os.fsencode(folder / "grpc-plain.sock")) > _MAX_NAME_BYTES:
            descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
            folder = Path(f"/proc/self/fd/{descriptor}")
        return cls(folder / "grpc.sock", folder / "grpc-plain.sock")
