"""Requirements that stand in files: a requirements file, a ``pyproject.toml``, a uv lock.

A config's ``requirements`` may name one in place of a requirement. What is read is the same lines
that pip would be given; nothing is downloaded. A lock gives the versions that it holds for the
machines of Vertex AI, Linux on x86-64.

Source: pip's "Requirements file format"; packaging.python.org, "pyproject.toml specification";
uv's documentation, "Project structure and files".
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.utils import canonicalize_name

from vertex_jobs.errors import PackagingError
from vertex_jobs.spec.requirement_files import requirements_file

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_COMMENT = re.compile(r"(^|\s+)#.*$")
#: An option of a line, such as a hash, follows the requirement.
_LINE_OPTION = re.compile(r"\s+--(?:hash|config-settings)[ =].*$")
#: Where the machines of Vertex AI differ from the one that reads a lock.
_MACHINE = {
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_system": "Linux",
    "sys_platform": "linux",
}


def expand(requirements: Iterable[str], python: str) -> tuple[str, ...]:
    """Return the requirements with those of files in place of each file.

    ``python`` is the image's, e.g. ``3.11``, or empty for this one's; a lock is read for it.

    Raises:
        PackagingError: If a file cannot be read, or holds what a package cannot declare.
    """
    found: list[str] = []
    for line in requirements:
        file = requirements_file(line)
        if file is None:
            found.append(line)
            continue
        path = Path(file.path)
        if path.suffix in (".txt", ".in"):
            found += _of_text(path, ())
        elif path.suffix == ".lock":
            found += _of_lock(path, file.extras, python)
        else:
            found += _of_project(path, file.extras)
    return tuple(dict.fromkeys(found))


def _of_text(path: Path, trail: Sequence[Path]) -> Iterator[str]:
    """Yield a requirements file's lines, those of files that it names with ``-r`` among them."""
    if path.resolve() in trail:
        raise PackagingError(f"{path}: it names itself with -r; remove that line")
    text = _read(path).decode(errors="replace").replace("\\\n", " ")
    for number, written in enumerate(text.splitlines(), start=1):
        line = _LINE_OPTION.sub("", _COMMENT.sub("", written)).strip()
        if not line:
            continue
        option, _, value = line.replace("=", " ", 1).partition(" ")
        if option in ("-r", "--requirement"):
            yield from _of_text(path.parent / value.strip(), (*trail, path.resolve()))
        elif line.startswith("-"):
            raise PackagingError(
                f"{path}:{number}: {line.split()[0]} is an option of pip, which a package cannot "
                "declare; write requirements alone, and let a private wheel travel: "
                "requirements: [PATH.whl]"
            )
        else:
            yield line


def _of_project(path: Path, extras: Sequence[str]) -> Iterator[str]:
    """Yield the dependencies of a project, with those of its extras."""
    project = _read_toml(path).get("project")
    if project is None:
        raise PackagingError(f"{path}: it has no table [project]; name a requirements file")
    if "dependencies" in project.get("dynamic", ()):
        raise PackagingError(
            f"{path}: its dependencies are dynamic, known to its build alone; name a "
            "requirements file, or a lock"
        )
    yield from project.get("dependencies", ())
    optional = project.get("optional-dependencies", {})
    yield from _of_extras(path, optional, extras)


def _of_extras(
    path: Path, optional: Mapping[str, Sequence[Any]], extras: Iterable[str]
) -> Iterator[Any]:
    known = {canonicalize_name(name): names for name, names in optional.items()}
    for extra in extras:
        if canonicalize_name(extra) not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise PackagingError(f"{path}: it has no extra {extra!r}; it has {listed}")
        yield from known[canonicalize_name(extra)]


def _of_lock(path: Path, extras: Sequence[str], python: str) -> Iterator[str]:
    """Yield every package that a lock installs for its project, by its exact version."""
    packages: list[dict[str, Any]] = _read_toml(path).get("package", [])
    roots = [one for one in packages if {"virtual", "editable"} & one.get("source", {}).keys()]
    root = next((one for one in roots if "." in one["source"].values()), None)
    if root is None:
        raise PackagingError(f"{path}: it is no lock of a project; make one with: uv lock")
    version = python or ".".join(map(str, sys.version_info[:2]))
    environment = {**_MACHINE, "python_version": version, "python_full_version": f"{version}.0"}
    pending = [*root.get("dependencies", ())]
    pending += _of_extras(path, root.get("optional-dependencies", {}), extras)
    seen: set[tuple[str, str]] = set()
    while pending:
        wanted = pending.pop(0)
        if "marker" in wanted and not Marker(wanted["marker"]).evaluate(environment):
            continue
        package = _locked(path, packages, wanted)
        for extra in ("", *wanted.get("extra", ())):
            key = (f"{package['name']}=={package.get('version', '')}", extra)
            if key in seen:
                continue
            seen.add(key)
            optional = package.get("optional-dependencies", {})
            pending += optional.get(extra, ()) if extra else package.get("dependencies", ())
            if not extra:
                yield _pinned(path, package)


def _locked(
    path: Path, packages: Sequence[dict[str, Any]], wanted: Mapping[str, Any]
) -> dict[str, Any]:
    for package in packages:
        if package["name"] == wanted["name"] and wanted.get("version") in (
            None,
            package.get("version"),
        ):
            return package
    raise PackagingError(f"{path}: {wanted['name']} is not locked in it; make it anew: uv lock")


def _pinned(path: Path, package: Mapping[str, Any]) -> str:
    source = package.get("source", {})
    if "registry" in source:
        return f"{package['name']}=={package['version']}"
    if "git" in source:
        address, _, commit = str(source["git"]).partition("#")
        return f"{package['name']} @ git+{address.partition('?')[0]}@{commit}"
    if "url" in source:
        return f"{package['name']} @ {source['url']}"
    raise PackagingError(
        f"{path}: {package['name']} is a folder or file of this machine, which does not travel; "
        "build a wheel of it, and name that in requirements"
    )


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        table: dict[str, Any] = tomllib.loads(_read(path).decode())
    except ValueError as error:
        raise PackagingError(f"{path}: it is no TOML ({error}); correct it") from error
    return table


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PackagingError(
            f"{path}: the requirements cannot be read ({error.strerror}); correct the path"
        ) from error
