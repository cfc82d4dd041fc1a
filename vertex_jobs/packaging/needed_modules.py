"""The libraries that a program needs, with the place that asks for each: its sources are read.

For the rule on undeclared imports. Only files that the program reaches by its imports count. An
import is no need where the program can do without it: in a ``try`` that catches its failure, below
a condition, or under ``TYPE_CHECKING``. One in a function is needed when the function is called.
"""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from vertex_jobs.packaging.imports import parse

_NOT_LIBRARIES = frozenset({"vertex_jobs", *sys.stdlib_module_names})
_CAUGHT = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True)
class NeededModule:
    """A module of a library, by its dotted name, and where it is first asked for.

    ``at_start`` is false where only a call asks for it.
    """

    name: str
    file: str
    line: int
    at_start: bool


@dataclass(frozen=True)
class _Asked:
    """One import as written: ``names`` follow after ``from module import``."""

    module: str
    names: tuple[str, ...]
    line: int
    at_start: bool


def needed_modules(files: Mapping[str, bytes], entry: str) -> tuple[NeededModule, ...]:
    """Return the libraries' modules that a program needs, in the order of its files.

    ``files`` has the sources by their path from the folder that is first on ``sys.path``; all of
    them are valid Python.
    """
    needed: dict[str, NeededModule] = {}
    reached: dict[str, bool] = {}
    pending = [(entry, True)]
    while pending:
        file, at_start = pending.pop(0)
        if reached.get(file, not at_start) >= at_start and file in reached:
            continue
        reached[file] = at_start
        for asked in _asked(parse(files[file], Path(file)), file, file == entry):
            certain = at_start and asked.at_start
            local = _local_files(asked, files)
            pending += [(one, certain) for one in local]
            if local or asked.module.partition(".")[0] in _NOT_LIBRARIES:
                continue
            known = needed.get(asked.module)
            if known is None or (certain and not known.at_start):
                needed[asked.module] = NeededModule(asked.module, file, asked.line, certain)
    return tuple(needed.values())


def _asked(tree: ast.Module, file: str, is_entry: bool) -> Iterator[_Asked]:
    """Yield the imports of one file that it cannot do without."""
    pending: list[tuple[ast.AST, bool]] = [(node, True) for node in tree.body]
    while pending:
        node, at_start = pending.pop(0)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for asked in _imported(node, file, at_start):
                yield asked
                if "TensorBoard" in asked.names:
                    yield _Asked("tensorboard", (), node.lineno, at_start)
        elif isinstance(node, ast.Attribute) and _writes_summaries(node):
            yield _Asked("tensorboard", (), node.lineno, at_start)
        below = at_start and not isinstance(node, _FUNCTIONS)
        pending += [(child, below) for child in _children(node, is_entry)]


def _writes_summaries(node: ast.Attribute) -> bool:
    """Return whether this is Keras's TensorBoard or a ``tf.summary.scalar``, which import late.

    Source: TensorFlow, tensorflow/python/summary/tb_summary.py.
    """
    if node.attr == "TensorBoard":
        return True
    base = node.value
    if not isinstance(base, ast.Attribute) or base.attr != "summary":
        return False
    written = node.attr in ("scalar", "histogram", "image", "text", "audio")
    return written and isinstance(base.value, ast.Name) and base.value.id in ("tf", "tensorflow")


def _children(node: ast.AST, is_entry: bool) -> Iterator[ast.AST]:
    """Yield the nodes below, without those that the program can do without."""
    if isinstance(node, ast.Try) and any(map(_catches_import, node.handlers)):
        yield from (*node.orelse, *node.finalbody)
    elif isinstance(node, ast.With) and any(map(_suppresses_import, node.items)):
        return
    elif isinstance(node, ast.If):
        if is_entry and _is_main(node.test):
            yield from node.body
    else:
        yield from ast.iter_child_nodes(node)


def _catches_import(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(_last_name(one) in _CAUGHT for one in types)


def _suppresses_import(item: ast.withitem) -> bool:
    call = item.context_expr
    if not isinstance(call, ast.Call) or _last_name(call.func) != "suppress":
        return False
    return any(_last_name(one) in _CAUGHT for one in call.args)


def _last_name(node: ast.expr) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _is_main(test: ast.expr) -> bool:
    left = test.left if isinstance(test, ast.Compare) else None
    return isinstance(left, ast.Name) and left.id == "__name__"


def _imported(node: ast.Import | ast.ImportFrom, file: str, at_start: bool) -> Iterator[_Asked]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield _Asked(alias.name, (), node.lineno, at_start)
        return
    module = node.module or ""
    if node.level:
        folder = PurePosixPath(file).parent.parts
        above = folder[: len(folder) - node.level + 1]
        module = ".".join((*above, *([module] if module else ())))
    if module:
        names = tuple(alias.name for alias in node.names)
        yield _Asked(module, names, node.lineno, at_start)


def _local_files(asked: _Asked, files: Mapping[str, bytes]) -> list[str]:
    """Return the program's own files that an import loads; none for a library's."""
    dotted = [asked.module, *(f"{asked.module}.{name}" for name in asked.names)]
    found: dict[str, None] = {}
    for name in dotted:
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            place = "/".join(parts[:length])
            found |= dict.fromkeys(_present((f"{place}/__init__.py", f"{place}.py"), files))
    return list(found)


def _present(paths: Iterable[str], files: Mapping[str, bytes]) -> list[str]:
    return [path for path in paths if path in files]
