"""Findings about what Local Vertex can emulate on this machine, one for each thing jobs count on.

Everything is asked of the machine itself by the code that a job would use: namespaces are entered
and left again, libraries are loaded, engines are called. Nothing is started that stays.
"""

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from vertex_jobs import catalog
from vertex_jobs.catalog.container_images import parse_image
from vertex_jobs.doctor.findings import Finding
from vertex_jobs.emulator.environments.engines import why_no_engine
from vertex_jobs.emulator.environments.installers import find_installer
from vertex_jobs.emulator.launcher import gcs_mounting
from vertex_jobs.emulator.replicas.accelerators import find_devices
from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.state import check_state_directory

_PYTHONS = ((3, 10), (3, 13))
_GIB = 1024**3
#: TensorFlow's own import takes half a gibibyte; two parallel trials and the server need room.
_LEAST_MEMORY_GIB = 2.0
_LEAST_DISK_GIB = 2.0
_PATIENCE_SECONDS = 20
_COPY = "a copy in and out stands for it, and a file is an object only when its replica has ended"
#: What the launcher does at its start. The process that the namespaces begin with answers.
_ENTER_NAMESPACES = """
import os, sys
from pathlib import Path
from vertex_jobs.emulator.launcher import namespaces
why_not = namespaces.enter(Path(sys.argv[1]), os.pipe()[1])
os.write(1, why_not.encode() or b"entered")
os._exit(0)
"""


def machine_findings(state_directory: Path) -> Iterator[Finding]:
    """Yield each finding as soon as it is known, the most needed first.

    Jobs and buckets of Local Vertex lie in the state directory.
    """
    yield _python()
    yield _room(state_directory)
    yield _memory()
    yield _tensorflow()
    root = _private_root()
    yield root
    yield _gcs(root)
    yield _accelerators()
    yield _installer()
    yield from (_engine(name) for name in ("docker", "podman"))


def _python() -> Finding:
    version = sys.version_info[:2]
    fact = f"Python {version[0]}.{version[1]} on {sys.platform}"
    if sys.platform != "linux":
        return Finding("system", "missing", fact, "use Linux, e.g. in a container or under WSL 2")
    if not _PYTHONS[0] <= version < _PYTHONS[1]:
        return Finding("system", "limited", fact, "use Python 3.10, 3.11 or 3.12, which are tested")
    return Finding("system", "ok", fact)


def _room(directory: Path) -> Finding:
    """Find out whether the state directory is ours and can be written, and how much fits."""
    try:
        check_state_directory(directory)
    except UnsupportedHereError as error:
        fact, _, remedy = str(error).rpartition("; ")
        return Finding("state", "missing", fact, remedy)
    existing = next(one for one in (directory, *directory.parents) if one.exists())
    free = shutil.disk_usage(existing).free / _GIB
    fact = f"{directory}: {free:.1f} GiB free"
    if not (existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)):
        return Finding("state", "missing", f"{existing} cannot be written", "give --state-dir DIR")
    if free < _LEAST_DISK_GIB:
        return Finding("state", "limited", fact, "make room, or give --state-dir DIR elsewhere")
    return Finding("state", "ok", fact)


def _memory() -> Finding:
    cores = len(os.sched_getaffinity(0))
    available = _available_memory() / _GIB
    fact = f"{cores} CPU cores, {available:.1f} GiB of memory available"
    if available < _LEAST_MEMORY_GIB:
        remedy = f"{_LEAST_MEMORY_GIB:.0f} GiB let two trials import TensorFlow; run fewer at once"
        return Finding("memory", "limited", fact, remedy)
    return Finding("memory", "ok", fact)


def _available_memory() -> int:
    """Return the bytes still available; source: the proc_meminfo page of the Linux manual."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def _tensorflow() -> Finding:
    image = parse_image(catalog.load().image_addresses.default_cpu)
    assert image is not None
    there = f"the default image has TensorFlow {image.version_text}, Python {image.python}"
    try:
        version = importlib.metadata.version("tensorflow")
    except importlib.metadata.PackageNotFoundError:
        remedy = "pip install 'vertex-jobs[train]', or run jobs with --environment isolated"
        return Finding("TensorFlow", "limited", f"not installed; {there}", remedy)
    fact = f"{version}; {there}"
    if version == image.version_text:
        return Finding("TensorFlow", "ok", fact)
    return Finding("TensorFlow", "ok", fact, "to run with the image's: --environment isolated")


def _private_root() -> Finding:
    with tempfile.TemporaryDirectory(prefix="vertex-jobs-doctor-") as scratch:
        try:
            asked = subprocess.run(
                [sys.executable, "-c", _ENTER_NAMESPACES, scratch],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_PATIENCE_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Finding("namespaces", "unknown", f"no answer within {_PATIENCE_SECONDS} s")
    if asked.stdout == "entered":
        return Finding("namespaces", "ok", "replicas get a root and process numbers of their own")
    reason, _, remedy = asked.stdout.partition("; ")
    if not reason:
        lines = asked.stderr.strip().splitlines() or [f"exit code {asked.returncode}"]
        return Finding("namespaces", "unknown", lines[-1])
    return Finding("namespaces", "limited", f"{reason}: no /gcs here", remedy)


def _gcs(root: Finding) -> Finding:
    if root.verdict != "ok":
        fact = "it needs namespaces; programs that name it run in docker or podman alone"
        return Finding("/gcs", "limited", fact, root.remedy)
    fact, _, remedy = gcs_mounting.missing().partition(": ")
    if not fact and importlib.util.find_spec("mfusepy") is None:
        fact = "the package mfusepy is not installed"
        remedy = "pip install 'vertex-jobs[gcs-mount]'"
    if fact:
        return Finding("/gcs", "limited", f"{fact}: {_COPY}", f"for a mount: {remedy}")
    return Finding("/gcs", "ok", "/dev/fuse and libfuse3 are there: buckets are mounted")


def _accelerators() -> Finding:
    devices = find_devices(os.environ)
    if devices:
        return Finding("GPUs", "ok", f"{len(devices)}: {', '.join(devices)}")
    fact = "none; accelerator_count is rehearsed with as many logical CPU devices"
    return Finding("GPUs", "ok", fact)


def _installer() -> Finding:
    installer = find_installer(os.environ)
    return Finding("isolated", "ok", f"environments are built with {installer.name}")


def _engine(name: str) -> Finding:
    reason = why_no_engine(name)
    if not reason:
        return Finding(name, "ok", "answers: --environment " + name)
    fact, _, remedy = reason.partition("; ")
    return Finding(name, "limited", fact, remedy)
