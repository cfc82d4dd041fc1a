"""What a person's sources say about themselves, read and not run.

For ``contracts`` and ``metric_tags``.
"""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from vertex_jobs.packaging import Package

__all__ = ["called_name", "calls", "parsers_in", "reads_often", "trees"]

#: Module that a source imports, and whose parser it means.
_PARSERS = {
    "absl": "absl",
    "argparse": "argparse",
    "argparse_dataclass": "argparse",
    "click": "click",
    "configargparse": "argparse",
    "jsonargparse": "argparse",
    "simple_parsing": "argparse",
    "tap": "argparse",
    "vertex_jobs": "argparse",
}
_READS = {"parse_args", "parse_known_args", "parse_args_into_dataclasses"}
#: Ours, in every package.
_OWN = ("vertex_jobs", "__init__.py", "__main__.py")


def trees(package: Package) -> Iterator[ast.Module]:
    """The syntax tree of each of the person's modules."""
    for file in package.files:
        path = PurePosixPath(file.path)
        if path.suffix == ".py" and path.parts[0] not in _OWN:
            yield ast.parse(file.content)


def parsers_in(package: Package) -> tuple[str, ...]:
    """The kinds of parser that the sources import, ``argparse``, ``click``, ``absl``."""
    found = {
        _PARSERS[name] for tree in trees(package) for name in _imported(tree) if name in _PARSERS
    }
    return tuple(sorted(found))


def reads_often(package: Package) -> bool:
    """Whether a command line is read in more than one place."""
    reads = [call for tree in trees(package) for call in calls(tree) if called_name(call) in _READS]
    return len(reads) > 1


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    """Every call in a tree."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def called_name(call: ast.Call) -> str:
    """The last name of what is called: ``report`` of ``metrics.report(…)``."""
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            top = node.module.partition(".")[0]
            names = {alias.name for alias in node.names}
            if top != "vertex_jobs" or "arguments" in names or "arguments" in node.module:
                yield top
