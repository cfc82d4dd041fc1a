"""Read the sources of a script for the parsers that it uses and the metrics that it reports.

For ``contracts``. Nothing is run. A tag that is computed is not found; ``check --dry-trial`` sees
which metrics are really reported.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from vertex_jobs.packaging import Package

#: The kind of parser that an imported module stands for.
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
#: Our own files, in every package.
_OWN = ("vertex_jobs", "__init__.py", "__main__.py")
#: cloudml-hypertune's method, and the variable by which its file is found.
_HYPERTUNE = "report_hyperparameter_tuning_metric"
_METRIC_FILE = "CLOUD_ML_HP_METRIC_FILE"


@dataclass(frozen=True)
class MetricTags:
    """The metrics that the sources report by tags written as text.

    They are complete if every report has its tags as text.
    """

    tags: tuple[str, ...]
    is_complete: bool
    is_reported: bool


def _trees(package: Package) -> Iterator[ast.Module]:
    for file in package.files:
        path = PurePosixPath(file.path)
        if path.suffix == ".py" and path.parts[0] not in _OWN:
            yield ast.parse(file.content)


def parsers_in(package: Package) -> tuple[str, ...]:
    """Return the kinds of parser that the sources import, of ``argparse``, ``click``, ``absl``."""
    found = {
        _PARSERS[name] for tree in _trees(package) for name in _imported(tree) if name in _PARSERS
    }
    return tuple(sorted(found))


def reads_often(package: Package) -> bool:
    """Return whether the sources read a command line in more than one place."""
    reads = [
        call for tree in _trees(package) for call in _calls(tree) if _called_name(call) in _READS
    ]
    return len(reads) > 1


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _called_name(call: ast.Call) -> str:
    """Return the last part of a called name: ``report`` for ``metrics.report(…)``."""
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


def find_metric_tags(package: Package) -> MetricTags:
    """Return the tags of every report in the user's modules."""
    tags: list[str] = []
    complete, reported = True, False
    for tree in _trees(package):
        for expression in _reports(tree):
            reported = True
            found = _literals(expression)
            complete = complete and found is not None
            tags += found or ()
        if any(
            isinstance(node, ast.Constant) and node.value == _METRIC_FILE for node in ast.walk(tree)
        ):
            reported, complete = True, False  # the script writes the file itself
    return MetricTags(tuple(dict.fromkeys(tags)), complete, reported)


def _reports(tree: ast.AST) -> Iterator[ast.expr | None]:
    """Yield the tag or tags of each report."""
    for call in _calls(tree):
        name = _called_name(call)
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        if name == _HYPERTUNE:
            yield named.get("hyperparameter_metric_tag", call.args[0] if call.args else None)
        elif name == "ReportMetrics":
            yield next(iter(call.args), None) or next(iter(named.values()), None)
        elif name == "report" and _is_ours(call.func):
            yield named.get("tag", call.args[0] if call.args else None)


def _is_ours(function: ast.expr) -> bool:
    """Return whether a function is ``metrics.report``; any other ``report`` is not ours."""
    owner = getattr(function, "value", None)
    return isinstance(function, ast.Attribute) and getattr(owner, "id", "") == "metrics"


def _literals(expression: ast.expr | None) -> list[str] | None:
    """Return the texts in a tag, a list or a mapping of tags; None if one is computed."""
    if isinstance(expression, ast.Constant) and isinstance(expression.value, str):
        return [expression.value]
    parts: list[ast.expr | None] = []
    if isinstance(expression, ast.Dict):
        parts = list(expression.keys)
    elif isinstance(expression, (ast.List, ast.Tuple, ast.Set)):
        parts = list(expression.elts)
    else:
        return None
    found = [_literals(part) for part in parts]
    if any(one is None for one in found):
        return None
    return [tag for one in found for tag in one or ()]
