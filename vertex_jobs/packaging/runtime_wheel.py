"""The small wheel for custom containers: the runtime alone, without client and emulator.

A user's own image installs it, so that a script which imports ``vertex_jobs.runtime`` works there
as it does in a package job. The wheel also installs a package named ``vertex_jobs``: where the
whole library is installed, it is not needed.

Source: packaging.python.org, "Binary distribution format".
"""

import base64
import csv
import hashlib
import io
import zipfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from vertex_jobs.packaging.requirements import RUNTIME_REQUIREMENTS
from vertex_jobs.packaging.runtime_files import runtime_files
from vertex_jobs.packaging.sdist import core_metadata

_NAME = "vertex_jobs_runtime"
#: Zip files know no earlier time; a fixed one makes equal content equal bytes.
_FIXED_TIME = (1980, 1, 2, 0, 0, 0)
_ABOUT = ("Summary: What a training script imports of vertex-jobs.", "License: Apache-2.0")
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
        f"{info}/METADATA": core_metadata(
            _NAME.replace("_", "-"), release, RUNTIME_REQUIREMENTS, *_ABOUT
        ).encode(),
        f"{info}/WHEEL": _WHEEL.encode(),
    }
    record = f"{info}/RECORD"
    contents[record] = record_of(contents, record).encode()
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{_NAME}-{release}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, _FIXED_TIME)
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return path


def record_of(contents: Mapping[str, bytes], record: str) -> str:
    """Return name, hash and size of each file; the record itself has neither."""
    lines = io.StringIO()
    rows = csv.writer(lines, lineterminator="\n")
    for name, content in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.writerow((name, f"sha256={digest}", len(content)))
    rows.writerow((record, "", ""))
    return lines.getvalue()
