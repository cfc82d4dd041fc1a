"""Private wheels: the user's own files that travel beside the package and are installed first.

The service installs every package of a job, so a wheel needs no index. It is not declared as a
requirement: pip must not look for its name in a public index.

Source: PythonPackageSpec, ``packageUris``; packaging.python.org, "Platform compatibility tags".
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vertex_jobs.catalog.container_images import parse_image
from vertex_jobs.errors import PackagingError

if TYPE_CHECKING:
    from packaging.tags import Tag

_HASH_CHARACTERS = 12
#: The machines of Vertex AI.
_PLATFORM = re.compile(r"any|(many|musl)?linux.*_x86_64")


@dataclass(frozen=True)
class Wheel:
    """One wheel under its own file name, from which pip reads name, version and platform."""

    file_name: str
    content: bytes

    @property
    def content_hash(self) -> str:
        """First 12 hexadecimal digits of the SHA-256 of its bytes."""
        return hashlib.sha256(self.content).hexdigest()[:_HASH_CHARACTERS]


def is_wheel_file(requirement: str) -> bool:
    """Return whether a line of ``requirements`` is the path of a wheel, not a name or a URL."""
    return requirement.endswith(".whl") and "@" not in requirement and "://" not in requirement


def read_wheels(requirements: Iterable[str], image: str) -> tuple[Wheel, ...]:
    """Read the wheels among a job's requirements, in their order.

    They are compared with the image's Python where that is known.

    Raises:
        PackagingError: If a wheel is missing, its name is not a wheel's, or it is for other
            machines or another Python.
    """
    paths = [Path(line) for line in requirements if is_wheel_file(line)]
    if not paths:
        return ()
    known = parse_image(image)
    return tuple(_read(path, known.python if known else "") for path in paths)


def _read(path: Path, python: str) -> Wheel:
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    try:
        content = path.read_bytes()
        tags = parse_wheel_filename(path.name)[3]
    except OSError as error:
        raise PackagingError(
            f"{path}: the wheel cannot be read ({error.strerror}); correct the path in requirements"
        ) from error
    except InvalidWheelFilename as error:
        raise PackagingError(
            f"{path}: {error}; keep the name that the build gave it: "
            "NAME-VERSION-PYTHON-ABI-PLATFORM.whl"
        ) from error
    if not any(_PLATFORM.fullmatch(tag.platform) for tag in tags):
        platforms = ", ".join(sorted({tag.platform for tag in tags}))
        raise PackagingError(
            f"{path}: it is built for {platforms}, and the job runs on Linux on x86-64; build it "
            "there"
        )
    if python and not any(_runs_on(tag, python) for tag in tags):
        interpreters = ", ".join(sorted({tag.interpreter for tag in tags}))
        raise PackagingError(
            f"{path}: it is built for {interpreters}, and the image has Python {python}; build it "
            "with that Python"
        )
    return Wheel(path.name, content)


def _runs_on(tag: "Tag", python: str) -> bool:
    """Return whether the Python of an image, e.g. ``3.10``, takes a wheel of that tag."""
    major, minor = (int(part) for part in python.split("."))
    digits = tag.interpreter[2:]
    if not digits.startswith(str(major)):
        return False
    built = int(digits[1:] or 0)
    takes_later = tag.interpreter.startswith("py") or tag.abi == "abi3"
    return built == minor or (takes_later and built < minor)
