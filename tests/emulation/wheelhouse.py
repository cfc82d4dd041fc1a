"""Packages that install without a network: wheels, and an sdist that builds itself."""

import base64
import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from machine_room import source_archive

_PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
#: The wheel is in the archive already; to build it is to copy it.
_BACKEND = """
import base64, pathlib
CONTENT = {content!r}
def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    pathlib.Path(wheel_directory, {name!r}).write_bytes(base64.b64decode(CONTENT))
    return {name!r}
"""


def wheel(name: str, modules: Mapping[str, str], requires: Sequence[str] = ()) -> bytes:
    """A wheel of version 0.1."""
    info = f"{name}-0.1.dist-info"
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 0.1"]
    metadata += [f"Requires-Dist: {text}" for text in requires]
    files = dict(modules)
    files[f"{info}/METADATA"] = "\n".join(metadata) + "\n"
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        for path, text in files.items():
            packed.writestr(path, text)
    return archive.getvalue()


def put_wheel(folder: Path, name: str, modules: Mapping[str, str]) -> None:
    """Add a wheel to a folder for --find-links."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}-0.1-py3-none-any.whl").write_bytes(wheel(name, modules))


def self_building(task: str, requires: Sequence[str]) -> bytes:
    """An sdist of ``trainer`` whose requirements only its build tells."""
    modules = {"trainer/__init__.py": "", "trainer/task.py": task}
    content = base64.b64encode(wheel("trainer", modules, requires)).decode()
    backend = _BACKEND.format(content=content, name="trainer-0.1-py3-none-any.whl")
    return source_archive({**modules, "pyproject.toml": _PYPROJECT, "backend.py": backend})
