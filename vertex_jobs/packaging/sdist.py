"""A source distribution as bytes on disk: a tar archive that is equal for equal content.

Times, owners and order are fixed. The archive's own bytes still depend on the zlib that packed it,
so nothing is named after them. Metadata is written twice: PKG-INFO for tools that only read it, and
setup.py for tools that build it, as the service's images do with any version of pip.
"""

import gzip
import io
import secrets
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

#: 2 January 1980 in UTC: wheels are zip files, which have no time before 1980 in any time zone.
_FIXED_TIME = 315_619_200
_PYTHON = ">=3.10"
#: Packages have tens of kilobytes: level 6 would take a fifth longer in all to save a tenth.
_COMPRESSION = 3

_PYPROJECT = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
"""

_SETUP = """\
from setuptools import setup

setup(
    name={name!r},
    version={version!r},
    python_requires={python!r},
    packages=[{name!r}],
    package_data={{{name!r}: {files}}},
    install_requires={requirements},
    zip_safe=False,
)
"""


def core_metadata(name: str, version: str, requirements: Sequence[str], *more: str) -> str:
    """Return the metadata of a distribution, with more lines if given.

    Source: packaging.python.org, "Core metadata specifications".
    """
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {name}",
        f"Version: {version}",
        *more,
        f"Requires-Python: {_PYTHON}",
        *(f"Requires-Dist: {requirement}" for requirement in requirements),
    ]
    return "\n".join(lines) + "\n"


def write_sdist(
    path: Path,
    *,
    name: str,
    version: str,
    contents: Mapping[str, bytes],
    requirements: Sequence[str],
) -> None:
    """Write the distribution aside, then rename it into place; its folder is created.

    ``name`` is also the top-level package's; ``contents`` are its files by path relative to it.
    """
    base = f"{name}-{version}"
    members = {f"{base}/{name}/{relative}": content for relative, content in contents.items()}
    beside = _build_files(name, version, contents, requirements)
    members |= {f"{base}/{file}": content for file, content in beside.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with aside.open("xb") as file:
            _write_archive(file, members)
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def is_own_sdist(folder: Path) -> bool:
    """Return whether an unpacked distribution is byte for byte one that ``write_sdist`` writes.

    Then its build is known without running it: it installs the one package with all its files.
    """
    name, _, version = folder.name.rpartition("-")
    package, metadata = folder / name, folder / "PKG-INFO"
    if not (name.isidentifier() and package.is_dir() and metadata.is_file()):
        return False
    contents = [
        path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()
    ]
    lines = metadata.read_bytes().decode(errors="replace").splitlines()
    prefix = "Requires-Dist: "
    requirements = [line.removeprefix(prefix) for line in lines if line.startswith(prefix)]
    expected = _build_files(name, version, contents, requirements)
    found = {path.name for path in folder.iterdir()} - {name}
    return found == set(expected) and all(
        (folder / file).read_bytes() == content for file, content in expected.items()
    )


def _build_files(
    name: str, version: str, contents: Iterable[str], requirements: Sequence[str]
) -> dict[str, bytes]:
    """Return what stands beside the package, by name."""
    return {
        "PKG-INFO": core_metadata(name, version, requirements).encode(),
        "pyproject.toml": _PYPROJECT.encode(),
        "setup.py": _setup(name, version, contents, requirements).encode(),
    }


def _write_archive(file: io.BufferedWriter, members: Mapping[str, bytes]) -> None:
    plain = io.BytesIO()
    with tarfile.open(mode="w", fileobj=plain, format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(members):
            entry = tarfile.TarInfo(name)
            entry.size = len(members[name])
            entry.mtime = _FIXED_TIME
            entry.mode = 0o644
            archive.addfile(entry, io.BytesIO(members[name]))
    with gzip.GzipFile("", "wb", _COMPRESSION, file, mtime=0) as packed:
        packed.write(plain.getbuffer())  # all at once: member by member takes longer


def _setup(name: str, version: str, contents: Iterable[str], requirements: Sequence[str]) -> str:
    """Return a setup.py that names each file, so that folders without ``__init__.py`` arrive too.

    ``repr`` quotes the requirements: a quote or a backslash in one can never become code.
    """
    # setuptools reads package data as glob patterns.
    return _SETUP.format(
        name=name,
        version=version,
        python=_PYTHON,
        files=_list(_literal_pattern(relative) for relative in sorted(contents)),
        requirements=_list(requirements),
    )


def _list(texts: Iterable[str]) -> str:
    """Return a Python list, one text a line, in ASCII for builders of every encoding."""
    lines = "".join(f"\n        {text!a}," for text in texts)
    return f"[{lines}\n    ]"


def _literal_pattern(relative: str) -> str:
    """Return a glob pattern that matches this path alone."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in relative)
