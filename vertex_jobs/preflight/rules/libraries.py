"""Rules on libraries: what the script imports is there, and what it requires fits the image.

Nothing is downloaded: what a requirement brings is read from what is installed here, or from the
catalog.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from vertex_jobs.catalog.container_images import ImageContents, parse_image
from vertex_jobs.errors import Fault, PackagingError
from vertex_jobs.packaging import (
    NeededModule,
    Package,
    brought_by,
    distributions_of,
    expand,
    installed_version,
    is_known,
    needed_modules,
    required_versions,
    stands_for,
)
from vertex_jobs.preflight.rule import MACHINE_FIELDS, rule
from vertex_jobs.preflight.rules.image_names import hardware_of
from vertex_jobs.preflight.subject import Subject
from vertex_jobs.spec import WorkerPoolSpec

_CODE = ("script_path", "python_module_name", "requirements", "container_uri", *MACHINE_FIELDS)
_FLAGS = (*_CODE, "args", "parameter_spec", "worker_pools", "environment_variables")
_IMPORTS = "the imports of the script, read from its sources"
_TITLES = {"tensorflow": "TensorFlow", "numpy": "NumPy"}
#: Releases of a minor version: one of them fits what asks for any.
_PATCHES = range(10)


@dataclass(frozen=True)
class _Undeclared:
    """A module that nothing known brings; certain if nothing unknown can bring it either."""

    module: NeededModule
    pool: WorkerPoolSpec
    is_certain: bool

    @property
    def rule_text(self) -> str:
        there = f"is imported by {self.module.file}:{self.module.line}"
        return f"{there}, and neither image, requirements nor package bring it"


@rule("error", source=_IMPORTS, needs=_CODE, cloud_only=True)
def imports_declared(subject: Subject) -> Iterator[Fault]:
    """What the script imports is brought by the image, the requirements or the package."""
    for found in _undeclared(subject):
        if found.is_certain:
            yield _import_fault(subject, found)


@rule("warning", source=_IMPORTS, needs=_CODE, cloud_only=True)
def imports_likely(subject: Subject) -> Iterator[Fault]:
    """What a function imports, or perhaps the image brings, is declared all the same."""
    for found in _undeclared(subject):
        if not found.is_certain:
            yield _import_fault(subject, found)


@rule("warning", source="the script, run as far as its command line", needs=_FLAGS)
def imports_found(subject: Subject) -> Iterator[Fault]:
    """What the script imports is installed here, or nothing is known of it."""
    contract = subject.contract
    missing = contract.outcome.missing if contract and contract.outcome else ()
    told = {found.module.name.partition(".")[0] for found in _undeclared(subject)}
    for name in missing:
        brought = subject.on == "vertex" and _is_brought(subject, name)
        if name not in told and not brought:
            yield Fault(
                "requirements",
                name,
                "is imported by the script and not installed here",
                "add its distribution to requirements, unless the image has it",
            )


@rule("warning", source="what is installed here", needs=["requirements"])
def requirements_found(subject: Subject) -> Iterator[Fault]:
    """A requirement is a distribution that is known here, or nothing is known of it."""
    for number, line, requirement in _named(subject):
        if requirement.url is None and not is_known(requirement.name):
            yield Fault(
                f"requirements.{number}",
                line,
                "is not installed here, so that pip finds it is not known",
                "make sure of its name; to run here, install it or use --environment isolated",
            )


@rule("warning", source="metadata of the distributions installed here", needs=_CODE)
def requirements_keep_image(subject: Subject) -> Iterator[Fault]:
    """No requirement replaces the TensorFlow or the NumPy of the image."""
    for image in _images(subject):
        for number, line, requirement in _named(subject):
            for name, version in image.fixed_versions.items():
                reason, remedy = _replacing(subject, requirement, name, version)
                if reason:
                    title = f"{_TITLES[name]} {version}"
                    rule_text = f"{reason}, and the image has {title}, which pip would replace"
                    yield Fault(f"requirements.{number}", line, rule_text, remedy)


@rule("warning", source='TensorFlow\'s page "Install with pip"', needs=_CODE, cloud_only=True)
def requirements_use_hardware(subject: Subject) -> Iterator[Fault]:
    """TensorFlow, where it is a requirement, is the one for the pool's GPUs or TPUs."""
    for pool in _own_pools(subject):
        hardware = hardware_of(subject, pool)
        wanted = subject.catalog.replacements["tensorflow", hardware].requirement
        image = parse_image(pool.container_uri)
        if wanted is None or image is None or image.framework:
            continue
        right = Requirement(wanted)
        for number, line, requirement in _named(subject):
            same = canonicalize_name(requirement.name) == right.name
            if stands_for(requirement.name) == "tensorflow" and not (
                same and right.extras <= requirement.extras
            ):
                device = pool.accelerator_type or "TPU"
                rule_text = f"computes on CPUs, and the {device} would be paid and idle"
                yield Fault(f"requirements.{number}", line, rule_text, f"write {wanted}")


@rule("error", source="docker-library/python, Dockerfiles", needs=_CODE, cloud_only=True)
def requirements_installable(subject: Subject) -> Iterator[Fault]:
    """A requirement from a git repository has an image with git."""
    for image in _images(subject):
        for number, line, requirement in _named(subject):
            if image.is_bare and (requirement.url or "").startswith("git+"):
                rule_text = "pip needs git for it, and the slim Python image has none"
                remedy = "let a wheel travel: python -m pip wheel --no-deps; or use another image"
                yield Fault(f"requirements.{number}", line, rule_text, remedy)


def _undeclared(subject: Subject) -> Iterator[_Undeclared]:
    """Yield the modules that nothing brings, once for each image of which something is known."""
    package = subject.contract.package if subject.contract is not None else None
    if package is None:
        return
    sources = {file.path: file.content for file in package.files}
    needed = needed_modules(sources, package.entry)
    for pool in {pool.container_uri: pool for pool in _own_pools(subject)}.values():
        image = parse_image(pool.container_uri)
        if image is None:
            continue
        brought = brought_by((*image.requirements, *_declared(package)))
        absent = [one for one in needed if not brought.has(one.name)]
        # What TensorFlow brings is not named beside it.
        with_it = brought_by(
            name for one in absent for name in distributions_of(one.name) if name == "tensorflow"
        )
        whole = not image.is_prebuilt and not brought.unknown and not package.wheels
        for one in absent:
            if one.name.partition(".")[0] == "tensorflow" or not with_it.has(one.name):
                yield _Undeclared(one, pool, whole and one.at_start)


def _declared(package: Package) -> list[str]:
    return [line for line in package.requirements if Requirement(line).url is None]


def _import_fault(subject: Subject, found: _Undeclared) -> Fault:
    name = sorted(distributions_of(found.module.name))[0]
    if name == "tensorflow":
        hardware = hardware_of(subject, found.pool)
        known = subject.catalog.replacements[name, hardware]
        remedy = f"add {known.requirement} to requirements"
        if known.requirement is None:
            remedy = f"write container_uri: {known.image}"
    elif (version := installed_version(name)) is not None:
        remedy = f"add {name}=={version} to requirements"
    elif is_known(name) or name in subject.catalog.distributions.import_names.values():
        remedy = f"add {name} to requirements"
    else:
        remedy = "add its distribution to requirements, or put the module beside the script"
    return Fault("requirements", found.module.name, found.rule_text, remedy)


def _is_brought(subject: Subject, module: str) -> bool:
    """Return whether every image, with the requirements, brings a module."""
    package = subject.contract.package if subject.contract is not None else None
    declared = _declared(package) if package is not None else []
    images = list(_images(subject))
    return bool(images) and all(
        brought_by((*image.requirements, *declared)).has(module) for image in images
    )


def _replacing(
    subject: Subject, requirement: Requirement, name: str, version: str
) -> tuple[str, str]:
    """Return why pip would replace a distribution of the image, and the remedy; empty if not."""
    own = stands_for(requirement.name)
    minor = ".".join(version.split(".")[:2])
    if own == name:
        if canonicalize_name(requirement.name) != name:
            return f"installs a second {_TITLES[name]} over it", "remove it: the image has it"
        fits = _fits(requirement, version)
        return ("", "") if fits else ("asks for another release", f"remove it, or write {minor}.*")
    if own in subject.catalog.distributions.follow.get(name, ()):
        releases = [f"{minor}.{patch}" for patch in _PATCHES]
        major, _, number = minor.partition(".")
        later = f"{major}.{int(number) + 1}.0"
        if requirement.specifier.contains(later) or not any(
            map(requirement.specifier.contains, releases)
        ):
            reason = f"follows {_TITLES[name]} release by release"
            return reason, f"write {requirement.name}=={minor}.*"
        return "", ""
    for asked in required_versions(requirement, name):
        if not _fits(asked, version):
            text = f"requires {asked.name}{asked.specifier}"
            return text, f"write a release of {requirement.name} that takes {name} {version}"
    return "", ""


def _fits(requirement: Requirement, version: str) -> bool:
    """Return whether a requirement takes a version, or a release of one that is given in short."""
    versions = [version, *(f"{version}.{patch}" for patch in _PATCHES)]
    return any(map(requirement.specifier.contains, versions))


def _named(subject: Subject) -> Iterator[tuple[int, str, Requirement]]:
    """Yield the requirements that are names, of files too, with the number of their entry.

    Faults are the package's.
    """
    for number, written in enumerate(subject.job.requirements):
        with contextlib.suppress(PackagingError):
            for line in expand([written], ""):
                with contextlib.suppress(InvalidRequirement):
                    yield number, line, Requirement(line)


def _own_pools(subject: Subject) -> Iterator[WorkerPoolSpec]:
    return (pool for pool in subject.pools if pool.runs_package)


def _images(subject: Subject) -> Iterator[ImageContents]:
    """Yield what is known of the images that run the script, each once."""
    found = dict.fromkeys(parse_image(pool.container_uri) for pool in _own_pools(subject))
    return (image for image in found if image is not None)


LIBRARY_RULES = (
    imports_declared,
    imports_likely,
    imports_found,
    requirements_found,
    requirements_keep_image,
    requirements_use_hardware,
    requirements_installable,
)
