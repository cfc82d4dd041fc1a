"""The metrics that a script reports, as far as its sources say.

For the rules. A tag that is computed is not found; ``check --dry-trial`` sees what is reported.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from vertex_jobs.packaging import Package
from vertex_jobs.preflight.contract.sources import called_name, calls, trees

__all__ = ["MetricTags", "find_metric_tags"]

#: cloudml-hypertune's method, and the variable by which its file is found.
_HYPERTUNE = "report_hyperparameter_tuning_metric"
_METRIC_FILE = "CLOUD_ML_HP_METRIC_FILE"


@dataclass(frozen=True)
class MetricTags:
    """What the sources report.

    Attributes:
        tags: That stand there as text.
        is_complete: Whether every report names its tags so.
        is_reported: Whether there is any report at all.
    """

    tags: tuple[str, ...]
    is_complete: bool
    is_reported: bool


def find_metric_tags(package: Package) -> MetricTags:
    """Look for every report in the person's modules."""
    tags: list[str] = []
    complete, reported = True, False
    for tree in trees(package):
        for expression in _reports(tree):
            reported = True
            found = _literals(expression)
            complete = complete and found is not None
            tags += found or ()
        if any(
            isinstance(node, ast.Constant) and node.value == _METRIC_FILE for node in ast.walk(tree)
        ):
            reported, complete = True, False  # it writes the file itself
    return MetricTags(tuple(dict.fromkeys(tags)), complete, reported)


def _reports(tree: ast.AST) -> Iterator[ast.expr | None]:
    """What each report gives as its tag or tags."""
    for call in calls(tree):
        name = called_name(call)
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        if name == _HYPERTUNE:
            yield named.get("hyperparameter_metric_tag", call.args[0] if call.args else None)
        elif name == "ReportMetrics":
            yield next(iter(call.args), None) or next(iter(named.values()), None)
        elif name == "report" and _is_ours(call.func):
            yield named.get("tag", call.args[0] if call.args else None)


def _is_ours(function: ast.expr) -> bool:
    """``metrics.report``; any other thing called report is not ours."""
    owner = getattr(function, "value", None)
    return isinstance(function, ast.Attribute) and getattr(owner, "id", "") == "metrics"


def _literals(expression: ast.expr | None) -> list[str] | None:
    """The texts in a tag, a list or a mapping of tags; None where one is computed."""
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
