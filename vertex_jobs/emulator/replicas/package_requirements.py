"""A package's requirements: read from its metadata, compared with what is installed here.

Nothing is installed for a requirement: one that is absent is named with the way out, and another
version than the wanted one stands for it.
"""

import contextlib
import importlib.metadata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from vertex_jobs.emulator.status import ApiError
from vertex_jobs.packaging import stands_for

#: Installed distributions by name, each with its version.
Versions = Mapping[str, str]


def read_requirements(metadata: Path, uri: str) -> tuple[str, ...]:
    """Return what a distribution requires without its extras, by METADATA or PKG-INFO.

    Raises:
        ApiError: If that is no requirement.
    """
    content = message_from_bytes(metadata.read_bytes())
    listed = [str(text) for text in content.get_all("Requires-Dist", [])]
    found = []
    for text in listed or _egg_requirements(metadata.parent):
        try:
            requirement = Requirement(text)
        except InvalidRequirement as error:
            raise ApiError(
                "INVALID_ARGUMENT", f"The package {uri} requires {text!r}: {error}"
            ) from error
        if "extra ==" not in str(requirement.marker or ""):
            found.append(text)
    return tuple(found)


def read_name(metadata: Path) -> str:
    """Return a distribution's name as pip compares it, by METADATA or PKG-INFO."""
    return canonicalize_name(str(message_from_bytes(metadata.read_bytes())["Name"]))


def _egg_requirements(folder: Path) -> list[str]:
    """Return what older build tools write beside the metadata, without extras."""
    lines: list[str] = []
    for path in folder.glob("*.egg-info/requires.txt"):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("["):
                break
            if line.strip():
                lines.append(line.strip())
    return lines


def versions_in(folders: Iterable[Path]) -> dict[str, str]:
    """Return the distributions that are installed in folders of modules."""
    paths = [str(path) for path in folders]
    return {
        canonicalize_name(one.name): one.version
        for one in importlib.metadata.distributions(path=paths)
    }


@dataclass(frozen=True)
class Comparison:
    """Requirements that are ``absent`` here, and those ``drifted``, e.g. ``gcsfs (here 1.0)``."""

    absent: Sequence[str]
    drifted: Sequence[str]


def compare(requirements: Iterable[str], brought: Versions) -> Comparison:
    """Compare requirements with what packages of the job bring and what is installed here.

    An empty version is one that is not known yet.
    """
    absent, drifted = [], []
    for text in requirements:
        version = _version(text, brought)
        if version is None:
            absent.append(text)
        elif version and not Requirement(text).specifier.contains(version, prereleases=True):
            drifted.append(f"{text} (here {version})")
    return Comparison(absent, drifted)


def _version(requirement: str, brought: Versions) -> str | None:
    """Return the version here; empty when the requirement's marker excludes it.

    TensorFlow here stands for ``tensorflow-tpu``, and the like.
    """
    parsed = Requirement(requirement)
    if parsed.marker is not None and not parsed.marker.evaluate({"extra": ""}):
        return ""
    name = canonicalize_name(parsed.name)
    if name in brought:
        return brought[name]
    for one in (name, stands_for(name)):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            return importlib.metadata.version(one)
    return None


def refuse_missing(absent: Sequence[tuple[str, str]]) -> None:
    """Refuse what a package requires and nobody brings: pairs of requirement and package.

    Raises:
        ApiError: FAILED_PRECONDITION, if there are any.
    """
    if absent:
        listed = ", ".join(f"{name} (of {uri})" for name, uri in dict(absent).items())
        raise ApiError(
            "FAILED_PRECONDITION",
            f"Not installed here: {listed}. Install it into the environment that runs "
            "vertex-jobs, or let the job have one of its own: --environment isolated, or "
            "environment: isolated under local: in the config.",
        )
