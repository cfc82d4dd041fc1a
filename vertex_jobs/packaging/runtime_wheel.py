"""The small wheel for custom containers: the runtime alone, without client and emulator.

An image that a person builds installs it, so that a script which imports ``vertex_jobs.runtime``
works there as it does in a package job. It is the same ``vertex_jobs`` by name: where the whole of
it is installed, the wheel is not needed.

Source: packaging.python.org, "Binary distribution format".
"""

import base64
import hashlib
import zipfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from vertex_jobs.packaging.requirements import RUNTIME_REQUIREMENTS
from vertex_jobs.packaging.runtime_files import runtime_files

__all__ = ["write_runtime_wheel"]

_NAME = "vertex_jobs_runtime"
#: Zip files know no earlier time; a fixed one makes equal content equal bytes.
_FIXED_TIME = (1980, 1, 2, 0, 0, 0)
_WHEEL = """\
Wheel-Version: 1.0
Generator: vertex-jobs
Root-Is-Purelib: true
Tag: py3-none-any
"""


def write_runtime_wheel(directory: Path) -> Path:
    """Write the wheel into a folder, which is created, and return its path."""
    release = version("vertex-jobs")
    info = f"{_NAME}-{release}.dist-info"
    contents = {
        **runtime_files(),
        f"{info}/METADATA": _metadata(release).encode(),
        f"{info}/WHEEL": _WHEEL.encode(),
    }
    record = f"{info}/RECORD"
    contents[record] = _record(contents, record).encode()
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{_NAME}-{release}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, _FIXED_TIME)
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return path


def _metadata(release: str) -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {_NAME.replace('_', '-')}",
        f"Version: {release}",
        "Summary: What a training script imports of vertex-jobs.",
        "License: Apache-2.0",
        "Requires-Python: >=3.10",
        *(f"Requires-Dist: {requirement}" for requirement in RUNTIME_REQUIREMENTS),
    ]
    return "\n".join(lines) + "\n"


def _record(contents: Mapping[str, bytes], record: str) -> str:
    """Name, hash and size of each file; the record itself has neither."""
    lines = []
    for name, content in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    return "\n".join([*lines, f"{record},,"]) + "\n"
