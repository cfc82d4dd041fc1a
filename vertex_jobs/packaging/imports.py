"""The imports of Python sources, found by reading them without running them.

For the modules that must travel with a script, and the libraries that a warm parent may import
ahead of it. Names that are known only at run time are not found, except a literal for
``import_module``.
"""

import ast
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from vertex_jobs.errors import PackagingError

#: Modules that TensorFlow imports late, in each trial again, when a source uses the name before
#: them.
_IMPORTED_AT_USE = {"TensorBoard": "tensorboard.summary.v2"}
#: CPython 3.11 counts the depth of all threads' syntax trees together: jobs submitted from several
#: threads would sometimes fail with "AST constructor recursion depth mismatch".
_PARSER = threading.Lock()


@dataclass(frozen=True)
class Import:
    """One imported module by its absolute dotted name.

    The names are those after ``from module import``, each perhaps a submodule.
    """

    module: str
    names: tuple[str, ...] = ()


def parse(content: bytes, path: Path) -> ast.Module:
    """Return the syntax tree of one source file.

    Raises:
        PackagingError: If it is not valid Python; the message has file and line.
    """
    try:
        with _PARSER:
            return ast.parse(content, filename=str(path))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        reason = getattr(error, "msg", None) or str(error)
        raise PackagingError(
            f"{path}:{line}: {reason}; it would fail at the start of the job, correct it first"
        ) from error


def find_imports(tree: ast.AST) -> Iterator[Import]:
    """Yield every absolute import, those inside functions included."""
    nodes = [tree]  # the list grows during the loop: ast.walk takes twice as long
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.Call)):
            yield from _imports_at(node)
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                nodes += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                nodes.append(value)


def third_party_imports(
    source_files: Iterable[Path], environment: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Return the modules that the files import when they are loaded, without ours and siblings.

    The result is sorted, with dotted names as written. Only statements that run at import count:
    not those in functions, under ``TYPE_CHECKING`` or under ``if __name__ == "__main__"``; nor, in
    each file, those after a change of the environment that may affect an import, such as
    ``os.environ["KERAS_BACKEND"] = "jax"``. To set a variable to the value that it has in
    ``environment`` changes nothing. Files that are not Python, or not valid, are skipped: the
    replica's own error is the better message. ``keras.callbacks.TensorBoard`` counts as the modules
    that it imports when it is made.
    """
    files = [path for path in source_files if path.suffix == ".py"]
    if not files:
        return ()
    root = Path(os.path.commonpath([path.parent for path in files]))
    below = [path.relative_to(root) for path in files]
    ignored = {part for path in below for part in path.with_suffix("").parts}
    ignored |= {root.name, "vertex_jobs"} | set(sys.stdlib_module_names)
    found: set[str] = set()
    used: set[str] = set()
    for path in below:
        # A copied runtime imports its libraries late, and the script may need none of them.
        if path.parts[0] == "vertex_jobs":
            continue
        try:
            tree = parse((root / path).read_bytes(), root / path)
        except PackagingError:
            continue
        for statement in _executed_at_import(tree.body):
            if _changes_environment(statement, environment or {}):
                break
            found |= {entry.module for entry in _imports_at(statement)}
        used |= {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(tree)}
    if not found.isdisjoint(("keras", "tensorflow", "tf_keras")):
        found |= {_IMPORTED_AT_USE[name] for name in used & _IMPORTED_AT_USE.keys()}
    return tuple(sorted(name for name in found if name.partition(".")[0] not in ignored))


def _imports_at(node: ast.AST) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Import(alias.name)
    elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        yield Import(node.module, tuple(alias.name for alias in node.names))
    elif isinstance(node, ast.Call) and node.args:
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        literal = node.args[0]
        if called == "import_module" and isinstance(literal, ast.Constant):
            name = str(literal.value)
            if not name.startswith("."):
                yield Import(name)


def _changes_environment(statement: ast.AST, environment: Mapping[str, str]) -> bool:
    if isinstance(statement, (ast.Assign, ast.Delete)):
        for target in statement.targets:
            if isinstance(target, ast.Subscript) and _is_environment(target.value):
                name, value = _text(target.slice), _text(getattr(statement, "value", None))
                return value is None or environment.get(name or "") != value
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr == "setdefault" and _is_environment(call.func.value):
        return not call.args or _text(call.args[0]) not in environment
    return call.func.attr in ("putenv", "unsetenv") or _is_environment(call.func.value)


def _is_environment(node: ast.expr) -> bool:
    return getattr(node, "attr", getattr(node, "id", "")) == "environ"


def _text(node: ast.expr | None) -> str | None:
    literal = node.value if isinstance(node, ast.Constant) else None
    return literal if isinstance(literal, str) else None


def _executed_at_import(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the statements of a module that run when it is loaded, nested blocks included."""
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(statement, ast.If) and _is_guard(statement.test):
            continue
        yield statement
        for block in ("body", "orelse", "finalbody", "handlers"):
            yield from _executed_at_import(getattr(statement, block, ()))


def _is_guard(test: ast.expr) -> bool:
    if isinstance(test, ast.Compare):
        return isinstance(test.left, ast.Name) and test.left.id == "__name__"
    return getattr(test, "attr", getattr(test, "id", "")) == "TYPE_CHECKING"
