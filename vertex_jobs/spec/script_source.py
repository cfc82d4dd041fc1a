"""The values that a script's source writes out, and what its types say of a parameter.

For ``script_parameters``. Types are taken as ``runtime.arguments`` takes them. Nothing is run.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
#: So that no source makes a number that takes minutes to work out.
_MAX_EXPONENT = 1024


class NotUnderstoodError(Exception):
    """A part of the source that is not written out, or says nothing of a parameter."""

    def __init__(self, rule: str, remedy: str) -> None:
        super().__init__(rule)
        self.rule = rule
        self.remedy = remedy


def parse(text: str, name: str) -> ast.Module:
    """Return the tree of a source, in which ``dict(low=1)`` is ``{"low": 1}``.

    Raises:
        SyntaxError: If it is no Python.
    """
    tree: ast.Module = _DictCalls().visit(ast.parse(text, name))
    return tree


class _DictCalls(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name) or node.func.id != "dict" or node.args:
            return node
        keys: list[ast.expr | None] = [
            None if keyword.arg is None else ast.Constant(keyword.arg) for keyword in node.keywords
        ]
        values = [keyword.value for keyword in node.keywords]
        return ast.fix_missing_locations(ast.copy_location(ast.Dict(keys, values), node))


def entry(mapping: ast.Dict, name: str) -> ast.expr | None:
    """Return the value of a key that is written as text."""
    for key, found in zip(mapping.keys, mapping.values, strict=True):
        if isinstance(key, ast.Constant) and key.value == name:
            return found
    return None


def value(node: ast.expr) -> Any:
    """Return the value of a literal, or of arithmetic on numbers.

    Raises:
        NotUnderstoodError: If it is anything else.
    """
    if isinstance(node, ast.Dict):
        keys = [value(key) if key is not None else None for key in node.keys]
        if None not in keys:
            return dict(zip(keys, map(value, node.values), strict=True))
    if isinstance(node, (ast.List, ast.Tuple)):
        return [value(one) for one in node.elts]
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left, right = value(node.left), value(node.right)
        numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
        if numbers and not (isinstance(node.op, ast.Pow) and abs(right) > _MAX_EXPONENT):
            try:
                return _ARITHMETIC[type(node.op)](left, right)
            except ArithmeticError:
                pass
    elif isinstance(node, (ast.Constant, ast.UnaryOp)):
        try:
            return ast.literal_eval(node)
        except ValueError:
            pass
    rule = f"is not written out in the script: {ast.unparse(node)}"
    raise NotUnderstoodError(rule, "write numbers and texts there, or the spec in the config")


def keys_of_type(annotation: ast.expr) -> dict[str, Any]:
    """Return what a field's type says about its parameter; nothing for any other type."""
    members = _members(annotation)
    if len(members) != 1:
        return {}
    (member,) = members
    if isinstance(member, ast.Name):
        numbers = {"float": "double", "int": "integer"}
        if member.id == "bool":
            return {"type": "categorical", "values": ["true", "false"]}
        return {"type": numbers[member.id]} if member.id in numbers else {}
    if isinstance(member, ast.Subscript) and _last_name(member.value) == "Literal":
        return _of_choices([value(choice) for choice in _inside(member)])
    return {}


def _members(annotation: ast.expr) -> list[ast.expr]:
    """Return the types of a union except None; that of any other annotation alone."""
    if isinstance(annotation, ast.Constant):
        return _members(_unquoted(annotation.value)) if isinstance(annotation.value, str) else []
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return [*_members(annotation.left), *_members(annotation.right)]
    if isinstance(annotation, ast.Subscript):
        name = _last_name(annotation.value)
        if name in ("Optional", "Union"):
            return [member for one in _inside(annotation) for member in _members(one)]
        if name == "Annotated":
            return _members(_inside(annotation)[0])
    return [annotation]


def _unquoted(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return ast.Constant(None)


def _inside(subscript: ast.Subscript) -> list[ast.expr]:
    inner = subscript.slice
    return inner.elts if isinstance(inner, ast.Tuple) else [inner]


def _of_choices(choices: list[Any]) -> dict[str, Any]:
    """Return the keys of a Literal: of texts it is categorical, of numbers discrete."""
    if all(isinstance(choice, str) for choice in choices):
        return {"type": "categorical", "values": choices}
    if all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in choices):
        return {"type": "discrete", "values": sorted(choices)}
    return {}


def _last_name(node: ast.expr) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))
