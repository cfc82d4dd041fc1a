"""Which of a person's files travel: a script and what it imports, or a whole package folder.

Paths are relative to the folder that will be first on ``sys.path`` in the container, with forward
slashes. It reads files and writes none.
"""

from collections.abc import Iterator
from pathlib import Path

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging import exclusions
from vertex_jobs.packaging.imports import Import, find_imports, parse

__all__ = ["collect_package", "collect_script"]

#: The top-level name that is ours in the container; a sibling of that name never travels.
OWN_NAME = "vertex_jobs"


def collect_script(script: Path) -> dict[str, Path]:
    """The script, and the modules and packages beside it that it imports, directly or not.

    A module beside the script travels as one file. A folder with ``__init__.py`` travels whole,
    its data files included. A folder without one travels whole when an import names a module in
    it; otherwise the import means an installed library of that name, which Python prefers.

    Raises:
        PackagingError: If there is no such script, a file is not valid Python, or a folder that
            would travel holds a secret.
    """
    if not script.is_file():
        raise PackagingError(f"{script}: there is no such script; check script_path")
    root = script.parent
    found = {script.name: script}
    unread = [script]
    while unread:
        path = unread.pop()
        for entry in find_imports(parse(path.read_bytes(), path)):
            for name, sibling in _siblings(root, entry):
                if name not in found:
                    found[name] = sibling
                    unread += [sibling] if sibling.suffix == ".py" else []
    return found


def collect_package(directory: Path, module: str) -> tuple[dict[str, Path], str]:
    """All files of a package folder.

    The folder is either the package itself (``trainer`` for ``trainer.task``) or the folder that
    holds the modules (``src`` for ``trainer.task``, ``trainer`` for ``task``).

    Args:
        directory: The folder.
        module: Dotted name of the module to run.

    Returns:
        The files, and the relative path of the module's own file.

    Raises:
        PackagingError: If the module is not there, a file is not valid Python, or the folder
            holds a secret.
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
    found = {_relative(path, root): path for path in exclusions.walk_files(directory)}
    taken = sorted(name for name in found if name.split("/")[0] in (OWN_NAME, f"{OWN_NAME}.py"))
    if taken:
        raise PackagingError(
            f"{found[taken[0]]}: the name {OWN_NAME} is taken by the runtime that travels with "
            "the code; rename it, or leave out your copy"
        )
    for path in found.values():
        if path.suffix == ".py":
            parse(path.read_bytes(), path)
    return found, _relative(entry, root)


def _siblings(root: Path, entry: Import) -> Iterator[tuple[str, Path]]:
    """Files beside the script that one import means, with their relative paths."""
    top = entry.module.partition(".")[0]
    folder = root / top
    if top == OWN_NAME:
        return
    if (folder / "__init__.py").is_file() or _names_module_in(root, entry):
        for path in exclusions.walk_files(folder):
            yield _relative(path, root), path
    elif (root / f"{top}.py").is_file():
        yield f"{top}.py", root / f"{top}.py"


def _names_module_in(root: Path, entry: Import) -> bool:
    """Whether an import reaches a module inside a folder that has no ``__init__.py``."""
    top, _, rest = entry.module.partition(".")
    if not (root / top).is_dir():
        return False
    reached = [entry.module] if rest else []
    reached += [f"{entry.module}.{name}" for name in entry.names]
    return any(_module_file(root, name) is not None for name in reached)


def _module_file(root: Path, module: str) -> Path | None:
    """The file of a dotted module: ``a/b.py``, or ``a/b/__main__.py`` or ``__init__.py``."""
    place = root.joinpath(*module.split("."))
    candidates = (
        place.with_name(f"{place.name}.py"),
        place / "__main__.py",
        place / "__init__.py",
    )
    return next((path for path in candidates if path.is_file()), None)


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()
