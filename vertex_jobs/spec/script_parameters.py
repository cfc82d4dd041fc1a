"""Parameters that a training script itself declares as tunable, read from its source.

For ``loading``, and for Python programs that keep the space beside the settings:

    learning_rate: float = field(
        default=0.01, metadata={"range": (1e-5, 1.0), "tune": {"scale": "log"}}
    )

The source is read, never run, so what stands in the metadata must be written out: numbers, texts,
and arithmetic on numbers. Type and limits come from the annotation and from ``range``; ``tune``
may say any key of a parameter spec, which then counts.
"""

import ast
import operator
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.spec.parameters import (
    CategoricalParameterSpec,
    DiscreteParameterSpec,
    DoubleParameterSpec,
    IntegerParameterSpec,
    ParameterSpec,
)
from vertex_jobs.spec.suggestions import suggestion

__all__ = ["FROM_SCRIPT", "fill_in", "script_parameters"]

#: What a config writes instead of a parameter's spec, or instead of all of them.
FROM_SCRIPT = "from_script"
_PATH = "parameter_spec"
_KINDS: Mapping[str, Callable[..., ParameterSpec]] = {
    "categorical": CategoricalParameterSpec,
    "discrete": DiscreteParameterSpec,
    "double": DoubleParameterSpec,
    "integer": IntegerParameterSpec,
}
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
#: So that no source makes a number that takes minutes to work out.
_MAX_EXPONENT = 1024


def script_parameters(path: Path | str) -> dict[str, ParameterSpec]:
    """The parameters that a script's dataclass fields declare, in their order.

    Args:
        path: A ``.py`` file, or a package directory, all of whose modules are read.

    Raises:
        InvalidJobError: If a file cannot be read, or a declaration cannot be understood.
    """
    found, faults = _read(Path(path))
    if faults:
        raise InvalidJobError(faults, str(path))
    return {name: _KINDS[keys.pop("type")](**keys) for name, keys in found.items()}


def fill_in(written: Any, script: Path | None) -> tuple[Any, list[Fault]]:
    """A config's ``parameter_spec`` with the script's own parameters in it.

    Args:
        written: ``from_script``, or a mapping in which some parameters are ``from_script``;
            anything else stays as it is.
        script: Where ``script_path`` leads; None when nowhere.

    Returns:
        What the config says then, and the faults; a parameter with a fault is left out.
    """
    takes_all = written == FROM_SCRIPT
    parts = written if isinstance(written, Mapping) else {}
    wanted = [name for name, one in parts.items() if one == FROM_SCRIPT]
    if not takes_all and not wanted:
        return written, []
    if script is None:
        rule = "reads the fields of script_path, and there is none"
        return {}, [Fault(_PATH, FROM_SCRIPT, rule, "add script_path, or write the parameters")]
    found, faults = _read(script)
    if takes_all:
        return found, faults or ([] if found else [_nothing_found(script)])
    at_fault = {fault.path for fault in faults}
    faults = [one for one in faults if one.path in {_PATH, *(f"{_PATH}.{name}" for name in wanted)}]
    if _PATH not in at_fault:
        missing = [name for name in wanted if name not in found]
        faults += [
            _no_such_field(name, found, script)
            for name in missing
            if f"{_PATH}.{name}" not in at_fault
        ]
    filled = {name: found.get(name) if name in wanted else one for name, one in parts.items()}
    return {name: one for name, one in filled.items() if one is not None}, faults


def _nothing_found(script: Path) -> Fault:
    rule = f"finds no field with tune in its metadata in {script.name}"
    return Fault(_PATH, FROM_SCRIPT, rule, 'write metadata={"range": (low, high), "tune": True}')


def _no_such_field(name: str, found: Mapping[str, Any], script: Path) -> Fault:
    rule = f"{script.name} has no field of that name with tune in its metadata"
    remedy = suggestion(name, found, f"those that have: {', '.join(found) or 'none'}")
    return Fault(f"{_PATH}.{name}", FROM_SCRIPT, rule, remedy)


def _read(path: Path) -> tuple[dict[str, dict[str, Any]], list[Fault]]:
    """The keys of every parameter declared below a path, and what cannot be understood."""
    found: dict[str, dict[str, Any]] = {}
    faults: list[Fault] = []
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        try:
            tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
        except (OSError, ValueError, SyntaxError) as error:
            rule = f"reads the fields of {file.name}, which is no Python source: {error}"
            faults.append(Fault(_PATH, FROM_SCRIPT, rule, "write the parameters in the config"))
            continue
        for name, annotation, metadata in _tuned_fields(tree):
            try:
                keys = _keys(annotation, metadata)
                if found.setdefault(name, keys) != keys:
                    raise _NotUnderstoodError(
                        "is declared twice in the script, each time with another space",
                        "keep one of the two",
                    )
            except _NotUnderstoodError as error:
                place = f"{os.path.relpath(file)}:{metadata.lineno}"
                faults.append(
                    Fault(f"{_PATH}.{name}", FROM_SCRIPT, error.rule, error.remedy, place=place)
                )
    return found, faults


class _NotUnderstoodError(Exception):
    def __init__(self, rule: str, remedy: str) -> None:
        super().__init__(rule)
        self.rule = rule
        self.remedy = remedy


def _tuned_fields(tree: ast.AST) -> Iterator[tuple[str, ast.expr, ast.Dict]]:
    """Name, annotation and metadata of each dataclass field that has ``tune``."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        for line in node.body:
            if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name):
                continue
            if not isinstance(line.value, ast.Call):
                continue
            for keyword in line.value.keywords:
                metadata = keyword.value if keyword.arg == "metadata" else None
                if isinstance(metadata, ast.Dict) and _entry(metadata, "tune") is not None:
                    yield line.target.id, line.annotation, metadata


def _entry(mapping: ast.Dict, name: str) -> ast.expr | None:
    """The value of a key that is written as text."""
    for key, value in zip(mapping.keys, mapping.values, strict=True):
        if isinstance(key, ast.Constant) and key.value == name:
            return value
    return None


def _keys(annotation: ast.expr, metadata: ast.Dict) -> dict[str, Any]:
    tune_node, range_node = _entry(metadata, "tune"), _entry(metadata, "range")
    assert tune_node is not None
    tune = _value(tune_node)
    if tune is True:
        tune = {}
    if not isinstance(tune, dict):
        rule = f"its tune is {tune!r}, and must be True or a mapping"
        raise _NotUnderstoodError(rule, 'write "tune": {"scale": "log"}')
    inferred = _of_annotation(annotation)
    if "values" in tune and inferred.get("type") in ("double", "integer"):
        inferred = {"type": "discrete"}
    kind = tune.get("type", inferred.get("type"))
    if kind not in _KINDS:
        if "type" in tune:
            rule = f"its type is {kind!r}"
            raise _NotUnderstoodError(rule, f"write one of {', '.join(_KINDS)}")
        rule = f"its type {ast.unparse(annotation)} says no kind of parameter"
        raise _NotUnderstoodError(rule, 'add "type" to its tune, e.g. "categorical"')
    if kind != inferred.get("type"):
        inferred = {}
    if kind in ("double", "integer") and range_node is not None:
        limits = _value(range_node)
        if isinstance(limits, (tuple, list)) and len(limits) == 2:
            inferred |= {"min": limits[0], "max": limits[1]}
    return {**inferred, **tune, "type": kind}


def _of_annotation(annotation: ast.expr) -> dict[str, Any]:
    """What a field's type says about its parameter."""
    if isinstance(annotation, ast.Name):
        numbers = {"float": "double", "int": "integer"}
        if annotation.id == "bool":
            return {"type": "categorical", "values": ["true", "false"]}
        return {"type": numbers[annotation.id]} if annotation.id in numbers else {}
    if isinstance(annotation, ast.Subscript) and _last_name(annotation.value) == "Literal":
        inner = annotation.slice
        choices = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        return _of_choices([_value(choice) for choice in choices])
    if isinstance(annotation, ast.Subscript) and _last_name(annotation.value) == "Optional":
        return _of_annotation(annotation.slice)
    return {}


def _of_choices(values: list[Any]) -> dict[str, Any]:
    """A Literal of texts is categorical, one of numbers discrete."""
    if all(isinstance(value, str) for value in values):
        return {"type": "categorical", "values": values}
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return {"type": "discrete", "values": sorted(values)}
    return {}


def _last_name(node: ast.expr) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _value(node: ast.expr) -> Any:
    """A literal, with arithmetic on numbers.

    Raises:
        _NotUnderstoodError: If it is anything else.
    """
    if isinstance(node, ast.Dict):
        keys = [_value(key) if key is not None else None for key in node.keys]
        if None not in keys:
            return dict(zip(keys, map(_value, node.values), strict=True))
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(one) for one in node.elts]
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left, right = _value(node.left), _value(node.right)
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
    raise _NotUnderstoodError(rule, "write numbers and texts there, or the spec in the config")
