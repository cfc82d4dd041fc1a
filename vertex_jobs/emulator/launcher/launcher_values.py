"""The values that the server and the launcher exchange."""

from dataclasses import dataclass
from typing import Literal

#: Where a real trial's metric file lies, by its literal path. Source: GoogleCloudPlatform/
#: vertex-ai-samples, notebooks/community/ml_ops/stage2/get_started_vertex_hpt_r_kernel.ipynb.
METRIC_FOLDER = "/var/hypertune"

GcsWay = Literal["mount", "copy", ""]


@dataclass(frozen=True)
class ReplicaSpec:
    """One process to start, as ``python -m module arguments`` would, or as a command would.

    Attributes:
        replica_id: For messages only, e.g. ``workerpool0-0``.
        interpreter: Absolute path of the Python that runs it.
        module: A module, or a package with ``__main__``.
        arguments: What follows in ``sys.argv``.
        search_path: Folders of installed modules, between the standard library and the shared
            ``site-packages`` in ``sys.path``, as a user's own; in ``PYTHONPATH`` of what it starts.
        environment: All of it; nothing is inherited from the server.
        working_directory: Must exist.
        preload: Third-party modules that the script imports. Never the user's own: a warm parent
            would keep the old version of an edited file.
        warm: Whether a warm parent may fork it.
        command: A program and its arguments to run instead of a module, found on the
            environment's PATH; never a shell's text. Module, arguments, search path and preload
            mean nothing then, and it must not be warm.
        metric_folder: Folder that it sees as ``METRIC_FOLDER`` as well, in a private root.
        gcs_folder: Folder that it sees as ``/gcs`` in a private root, where buckets are copied in
            and out; empty for none. A warm parent cannot show it, so it must not be warm.
    """

    replica_id: str
    interpreter: str
    module: str
    arguments: tuple[str, ...]
    search_path: tuple[str, ...]
    environment: dict[str, str]
    working_directory: str
    preload: tuple[str, ...]
    warm: bool
    command: tuple[str, ...] = ()
    gcs_folder: str = ""
    metric_folder: str = ""


@dataclass(frozen=True)
class Exit:
    """The end of a replica: with a code, or by a signal.

    Attributes:
        code: 0 to 255, or None when a signal ended it.
        signal: The signal's number, or None.
        out_of_memory: True only when the kernel counted an out-of-memory kill at the same time.
    """

    code: int | None
    signal: int | None
    out_of_memory: bool = False


@dataclass(frozen=True)
class Capabilities:
    """The abilities of the launcher on this machine.

    Attributes:
        private_root: Replicas live in a PID namespace and a root folder of their own.
        gcs_mount: ``/gcs`` can be mounted there.
        why_not: What is missing and how to get it; empty when nothing is.
    """

    private_root: bool
    gcs_mount: bool
    why_not: str

    @property
    def gcs(self) -> GcsWay:
        """The way in which replicas get ``/gcs``: by a mount, by a copy, or not at all."""
        if self.gcs_mount:
            return "mount"
        return "copy" if self.private_root else ""
