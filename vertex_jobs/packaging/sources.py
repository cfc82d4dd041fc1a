"""The user's files that travel: a script and its imports, or a whole package folder.

Paths are relative to the folder that will be first on ``sys.path`` in the container, with forward
slashes. Files that the config names as data travel as well; files that ``exclude_files`` names do
not, and a secret is refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging.exclusions import Exclusions
from vertex_jobs.packaging.imports import Import, find_imports, parse
from vertex_jobs.packaging.notebooks import notebook_script
from vertex_jobs.packaging.secrets import secret_in

#: The top-level name that is ours in the container; a sibling of that name never travels.
OWN_NAME = "vertex_jobs"


@dataclass(frozen=True)
class Selection:
    """A config's patterns for files, relative to the folder of the script.

    ``data_files`` are globs of what travels besides the code; ``exclude_files`` are patterns as in
    a ``.gitignore`` of what never travels.
    """

    data_files: Sequence[str] = ()
    exclude_files: Sequence[str] = ()


@dataclass(frozen=True)
class Sources:
    """The files of one job by relative path, and the one to run.

    ``left_out`` holds the files that do not travel, by the name that the user knows, and why.
    """

    contents: Mapping[str, bytes]
    entry: str
    left_out: Mapping[str, str]


def collect_script(script: Path, selection: Selection | None = None) -> Sources:
    """Collect the script, and the modules and packages beside it that it imports, directly or not.

    A module beside the script travels as one file. A folder with ``__init__.py`` travels whole,
    its data files included. A folder without one travels whole when an import names a module in
    it; otherwise the import means an installed library of that name, which Python prefers. A
    notebook travels as the script that its cells make.

    Raises:
        PackagingError: If there is no such script, a file is not valid Python, a pattern matches
            nothing, or a file that would travel is a secret.
    """
    if not script.is_file():
        raise PackagingError(f"{script}: there is no such script; check script_path")
    root, selection = script.parent, selection or Selection()
    exclusions = Exclusions(root, selection.exclude_files)
    entry, content = script.name, script.read_bytes()
    cells: dict[str, str] = {}
    if script.suffix == ".ipynb":
        entry = f"{script.stem}.py"
        content, cells = notebook_script(script)
    found = {entry: (script, content)}
    unread = [found[entry]]
    while unread:
        path, code = unread.pop()
        for imported in find_imports(parse(code, path)):
            for sibling in _siblings(root, imported, exclusions):
                name = _relative(sibling, root)
                if name not in found:
                    found[name] = (sibling, sibling.read_bytes())
                    unread += [found[name]] if sibling.suffix == ".py" else []
    for path in _named(root, selection.data_files, exclusions):
        found.setdefault(_relative(path, root), (path, path.read_bytes()))
    return _sources(found, entry, root, exclusions, cells)


def collect_package(directory: Path, module: str, selection: Selection | None = None) -> Sources:
    """Collect all files of a package folder.

    The folder is either the package itself (``trainer`` for ``trainer.task``) or the folder that
    holds the modules (``src`` for ``trainer.task``, ``trainer`` for ``task``).

    Raises:
        PackagingError: If the module is not there, a file is not valid Python, a pattern matches
            nothing, or the folder holds a secret.
    """
    inside = _module_file(directory, module)
    is_package = inside is None and module.partition(".")[0] == directory.name
    root = directory.parent if is_package else directory
    entry = _module_file(root, module) if is_package else inside
    if entry is None:
        raise PackagingError(
            f"{directory}: no module {module} in it or under its own name; python_module_name is "
            f"what stands after `python -m`, e.g. {directory.name}.task"
        )
    selection = selection or Selection()
    exclusions = Exclusions(root, selection.exclude_files)
    paths = [*exclusions.walk(directory), *_named(root, selection.data_files, exclusions)]
    found = {_relative(path, root): (path, path.read_bytes()) for path in sorted(paths)}
    taken = sorted(name for name in found if name.split("/")[0] in (OWN_NAME, f"{OWN_NAME}.py"))
    if taken:
        raise PackagingError(
            f"{found[taken[0]][0]}: the name {OWN_NAME} is taken by the runtime that travels with "
            "the code; rename it, or leave out your copy"
        )
    for path, content in found.values():
        if path.suffix == ".py":
            parse(content, path)
    return _sources(found, _relative(entry, root), root, exclusions, {})


def _sources(
    found: Mapping[str, tuple[Path, bytes]],
    entry: str,
    root: Path,
    exclusions: Exclusions,
    cells: Mapping[str, str],
) -> Sources:
    """Return the files with the list of those left out; refuse all secrets among them at once."""
    reasons = {
        name: reason
        for name, (path, content) in found.items()
        if (reason := secret_in(path.name, content))
    }
    if reasons:
        listed = "\n".join(f"  {found[name][0]}: {reason}" for name, reason in reasons.items())
        raise PackagingError(
            f"secrets would travel, readable by all who can read the staging bucket:\n{listed}\n"
            f"leave them out with exclude_files: [{', '.join(reasons)}] or a .gitignore, and read "
            "them from Secret Manager"
        )
    stays = {_shown(path, root): reason for path, reason in exclusions.left_out.items()}
    contents = {name: content for name, (_, content) in found.items()}
    return Sources(contents, entry, {**stays, **cells})


def _named(root: Path, patterns: Sequence[str], exclusions: Exclusions) -> Iterator[Path]:
    """Yield the files that patterns name, also those that git ignores; each pattern must match."""
    for pattern in patterns:
        if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
            raise PackagingError(
                f"data_files: {pattern!r} leaves {root}; a package holds what lies below the "
                "script's folder: put a copy there, or read the data from gs://"
            )
        matches = sorted(root.glob(pattern.rstrip("/")))
        if not matches:
            raise PackagingError(
                f"data_files: {pattern!r} matches no file in {root}; correct it, e.g. "
                "vocabulary/*.txt or **/*.csv"
            )
        for path in matches:
            if path.is_dir():
                yield from exclusions.walk(path, named=True)
            elif exclusions.allows(path, named=True):
                yield path


def _siblings(root: Path, entry: Import, exclusions: Exclusions) -> Iterator[Path]:
    top = entry.module.partition(".")[0]
    folder, module = root / top, root / f"{top}.py"
    if top == OWN_NAME:
        return
    if (folder / "__init__.py").is_file() or _names_module_in(root, entry):
        yield from exclusions.walk(folder)
    elif module.is_file() and exclusions.allows(module, named=True):
        yield module


def _names_module_in(root: Path, entry: Import) -> bool:
    """Return whether an import reaches a module inside a folder that has no ``__init__.py``."""
    top, _, rest = entry.module.partition(".")
    if not (root / top).is_dir():
        return False
    reached = [entry.module] if rest else []
    reached += [f"{entry.module}.{name}" for name in entry.names]
    return any(_module_file(root, name) is not None for name in reached)


def _module_file(root: Path, module: str) -> Path | None:
    """Return the file of a dotted module: ``a/b.py``, ``a/b/__main__.py`` or ``__init__.py``."""
    place = root.joinpath(*module.split("."))
    candidates = (
        place.with_name(f"{place.name}.py"),
        place / "__main__.py",
        place / "__init__.py",
    )
    return next((path for path in candidates if path.is_file()), None)


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _shown(path: Path, root: Path) -> str:
    return f"{_relative(path, root)}/" if path.is_dir() else _relative(path, root)
