"""What the tests of ``/gcs`` share: a mount, and looks into the store behind it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vertex_jobs.emulator.storage.objects import ListQuery

COMMAND = [sys.executable, "-m", "vertex_jobs.emulator.storage.gcs_mount"]


def why_not() -> str:
    """Why this machine cannot mount, in words; empty when it can."""
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "no /dev/fuse"
    try:
        import mfusepy  # noqa: F401
    except (ImportError, OSError, AttributeError) as error:
        return str(error)
    return "" if os.geteuid() == 0 or shutil.which("fusermount3") else "not root, no fusermount3"


@contextmanager
def mounted(directory: Path, *options: str) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    mountpoint = directory / "gcs"
    mountpoint.mkdir()
    process = subprocess.Popen(
        [*COMMAND, "--store", directory / "store", "--mountpoint", mountpoint, *options],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield mountpoint, process
    finally:
        process.terminate()
        process.wait(timeout=60)
        process.stdout.close()


def names(store):
    return [stored.name for stored in store.list_objects("bucket", ListQuery()).objects]


def content(store, name):
    _, file = store.open("bucket", name)
    with file:
        return file.read()
