"""Parameters that a training script itself declares as tunable, read from its source.

For ``loading``, and for Python programs that keep the space beside the settings:

    learning_rate: float = field(
        default=0.01, metadata={"range": (1e-5, 1.0), "tune": {"scale": "log"}}
    )

The source is read, never run, so the metadata must be written out, as ``{...}`` or as
``dict(...)``: numbers, texts, and arithmetic on numbers. Type and limits come from the annotation
and from ``range``; ``tune`` may say any key of a parameter spec, which then counts.
"""

import ast
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
from vertex_jobs.spec.script_source import (
    NotUnderstoodError,
    entry,
    keys_of_type,
    parse,
    value,
)
from vertex_jobs.spec.spelling import suggestion

#: What a config writes instead of a parameter's spec, or instead of all of them.
FROM_SCRIPT = "from_script"
_PATH = "parameter_spec"
_KINDS: Mapping[str, Callable[..., ParameterSpec]] = {
    "categorical": CategoricalParameterSpec,
    "discrete": DiscreteParameterSpec,
    "double": DoubleParameterSpec,
    "integer": IntegerParameterSpec,
}


def script_parameters(path: Path | str) -> dict[str, ParameterSpec]:
    """Return the parameters that a script's dataclass fields declare, in their order.

    Of a package directory all modules are read.

    Raises:
        InvalidJobError: If a file cannot be read, or a declaration cannot be understood.
    """
    found, faults = _read(Path(path))
    if faults:
        raise InvalidJobError(faults, str(path))
    return {name: _KINDS[keys.pop("type")](**keys) for name, keys in found.items()}


def fill_in(written: Any, script: Path | None) -> tuple[Any, list[Fault]]:
    """Return a config's ``parameter_spec`` with the script's own parameters in it, and the faults.

    They replace ``from_script``, alone or as the value of single parameters; anything else stays as
    it is, and a parameter with a fault is left out. ``script`` is where ``script_path`` leads; None
    when nowhere.
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
    """Return the keys of every parameter declared below a path, and what cannot be read."""
    found: dict[str, dict[str, Any]] = {}
    faults: list[Fault] = []
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        try:
            tree = parse(file.read_text(encoding="utf-8"), str(file))
        except (OSError, ValueError, SyntaxError) as error:
            rule = f"reads the fields of {file.name}, which is no Python source: {error}"
            faults.append(Fault(_PATH, FROM_SCRIPT, rule, "write the parameters in the config"))
            continue
        for name, annotation, metadata in _tuned_fields(tree):
            try:
                keys = _keys(annotation, metadata)
                if found.setdefault(name, keys) != keys:
                    raise NotUnderstoodError(
                        "is declared twice in the script, each time with another space",
                        "keep one of the two",
                    )
            except NotUnderstoodError as error:
                place = f"{os.path.relpath(file)}:{metadata.lineno}"
                faults.append(
                    Fault(f"{_PATH}.{name}", FROM_SCRIPT, error.rule, error.remedy, place=place)
                )
    return found, faults


def _tuned_fields(tree: ast.AST) -> Iterator[tuple[str, ast.expr, ast.expr]]:
    """Yield name, type and metadata of each dataclass field that has ``tune``, or may have it."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        for line in node.body:
            if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name):
                continue
            if not isinstance(line.value, ast.Call):
                continue
            for keyword in line.value.keywords:
                if keyword.arg == "metadata" and _may_tune(keyword.value):
                    yield line.target.id, line.annotation, keyword.value


def _may_tune(metadata: ast.expr) -> bool:
    if isinstance(metadata, ast.Dict):
        written_out = all(isinstance(key, ast.Constant) for key in metadata.keys)
        return not written_out or entry(metadata, "tune") is not None
    return not isinstance(metadata, ast.Constant)  # None, which is no metadata


def _keys(annotation: ast.expr, metadata: ast.expr) -> dict[str, Any]:
    tune_node = entry(metadata, "tune") if isinstance(metadata, ast.Dict) else None
    if not isinstance(metadata, ast.Dict) or tune_node is None:
        rule = f"its metadata is not written out in the script: {ast.unparse(metadata)}"
        remedy = 'write metadata={...} there, with or without "tune", or the spec in the config'
        raise NotUnderstoodError(rule, remedy)
    tune = value(tune_node)
    if tune is True:
        tune = {}
    if not isinstance(tune, dict):
        rule = f"its tune is {tune!r}, and must be True or a mapping"
        raise NotUnderstoodError(rule, 'write "tune": {"scale": "log"}')
    inferred = keys_of_type(annotation)
    if "values" in tune and inferred.get("type") in ("double", "integer"):
        inferred = {"type": "discrete"}
    kind = tune.get("type", inferred.get("type"))
    if kind not in _KINDS:
        if "type" in tune:
            rule = f"its type is {kind!r}"
            raise NotUnderstoodError(rule, f"write one of {', '.join(_KINDS)}")
        rule = f"its type {ast.unparse(annotation)} says no kind of parameter"
        raise NotUnderstoodError(rule, 'add "type" to its tune, e.g. "categorical"')
    if kind != inferred.get("type"):
        inferred = {}
    range_node = entry(metadata, "range")
    if kind in ("double", "integer") and range_node is not None:
        limits = value(range_node)
        if isinstance(limits, (tuple, list)) and len(limits) == 2:
            inferred |= {"min": limits[0], "max": limits[1]}
    return {**inferred, **tune, "type": kind}
