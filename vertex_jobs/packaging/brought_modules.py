"""Which distributions a list of requirements brings, and which of them has a module.

Read from the metadata of what is installed here, and from the catalog for what is not: nothing is
downloaded. What is neither is unknown, and may bring anything.
"""

import importlib.metadata
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from vertex_jobs import catalog

#: What installs a package, and is in every image.
INSTALLERS = frozenset({"pip", "setuptools", "wheel"})


@dataclass(frozen=True)
class Brought:
    """What requirements bring.

    Attributes:
        names: Of the distributions, as pip compares them; a variant such as ``tensorflow-cpu``
            under the name that it stands for.
        unknown: Requirements of which nothing is known here.
    """

    names: frozenset[str]
    unknown: tuple[str, ...]

    def has(self, module: str) -> bool:
        """Return whether one of them has a module, by its dotted name."""
        return not self.names.isdisjoint(distributions_of(module))


def stands_for(name: str) -> str:
    """Return the distribution whose modules one has: ``tensorflow`` for ``tensorflow-tpu``."""
    canonical = canonicalize_name(name)
    return catalog.load().distributions.variants.get(canonical, canonical)


def is_known(name: str) -> bool:
    """Return whether a distribution, or one that it stands for, is installed here or listed."""
    return _metadata(stands_for(name)) is not None or _is_listed(stands_for(name))


def brought_by(requirements: Iterable[str]) -> Brought:
    """Return everything that pip would install for requirements, as far as it is known here."""
    names: set[str] = set()
    unknown: list[str] = []
    pending = [(line, Requirement(line)) for line in requirements]
    while pending:
        line, requirement = pending.pop()
        name = stands_for(requirement.name)
        if name in names and not requirement.extras:
            continue
        found = _metadata(name)
        if found is None and not _is_listed(name):
            unknown.append(line)
        names.add(name)
        names |= {*_known().brings.get(name, ()), *_dropped(name, requirement)}
        for text in found.requires or () if found is not None else ():
            further = Requirement(text)
            if _applies(further, requirement.extras) and stands_for(further.name) not in names:
                pending.append((text, further))
    return Brought(frozenset(names), tuple(unknown))


def distributions_of(module: str) -> frozenset[str]:
    """Return the distributions that have a module, the likeliest one if none is installed here."""
    top = module.partition(".")[0]
    listed = {
        name
        for known, name in _known().import_names.items()
        if module == known or module.startswith(f"{known}.")
    }
    if listed:
        return frozenset(listed)
    if _metadata(top) is not None:
        return frozenset({canonicalize_name(top)})
    found = {stands_for(name) for name in _installed_modules().get(top, ()) if _has(name, module)}
    return frozenset(found or {canonicalize_name(top)})


def installed_version(name: str) -> str | None:
    """Return the version of a distribution that is installed here; None without one."""
    found = _metadata(canonicalize_name(name))
    return found.version if found is not None else None


def required_versions(requirement: Requirement, name: str) -> Sequence[Requirement]:
    """Return what a requirement, and all that it brings, asks of the distribution of that name.

    Only where the version that is installed here is one that the requirement takes.
    """
    found = _metadata(canonicalize_name(requirement.name))
    if found is None or not requirement.specifier.contains(found.version, prereleases=True):
        return ()
    seen, asked = {canonicalize_name(requirement.name)}, []
    pending = [(found, requirement.extras)]
    while pending:
        distribution, extras = pending.pop()
        for text in distribution.requires or ():
            further = Requirement(text)
            key = canonicalize_name(further.name)
            if not _applies(further, extras):
                continue
            if key == name:
                asked.append(further)
            elif key not in seen and (below := _metadata(key)) is not None:
                seen.add(key)
                pending.append((below, further.extras))
    return asked


def _applies(requirement: Requirement, extras: Iterable[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": one}) for one in ("", *extras))


def _dropped(name: str, requirement: Requirement) -> Iterable[str]:
    """Return what a distribution brings only up to a release that the requirement stays below."""
    dropped = _known().dropped.get(name)
    if dropped is None:
        return ()
    major, minor = (int(part) for part in dropped.since.split("."))
    later = [f"{major}.{minor + further}.{patch}" for further in range(9) for patch in range(3)]
    return () if any(map(requirement.specifier.contains, later)) else dropped.names


def _known() -> catalog.DistributionNames:
    return catalog.load().distributions


def _is_listed(name: str) -> bool:
    brings = _known().brings
    return name in brings or any(name in names for names in brings.values())


@cache
def _metadata(name: str) -> importlib.metadata.Distribution | None:
    try:
        return importlib.metadata.distribution(name)
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return None


@cache
def _installed_modules() -> dict[str, list[str]]:
    return dict(importlib.metadata.packages_distributions())


def _has(name: str, module: str) -> bool:
    """Return whether a distribution has a module below a folder that several share."""
    found = _metadata(name)
    files = found.files if found is not None else None
    sharing = _installed_modules()[module.partition(".")[0]]
    if "." not in module or files is None or len(sharing) < 2:
        return True
    wanted = re.compile(rf"{re.escape(module.replace('.', '/'))}(/|\.py$|\.)")
    return any(wanted.match(str(path)) for path in files)
