"""Every fault of what was written, found in one pass.

For ``base.Spec``. Pydantic reports the faults of single values, all at once. Rules across values
are functions of ours that take the fields they speak of by parameter name; each runs whenever its
own fields could be read, whatever else is wrong.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError, create_model
from pydantic_core import ErrorDetails

from vertex_jobs.errors import Fault
from vertex_jobs.spec.translation import example_of, read_path, translate

#: Takes fields of a model by name, yields the faults among them.
Rule = Callable[..., Iterable[Fault]]

_Path = tuple[int | str, ...]


@dataclass(frozen=True)
class Inspection:
    """A model's fields as far as they can be read, and their faults.

    Attributes:
        draft: An instance of a subclass of the model, every unreadable part left out.
        faults: All of them, those of single values first.
        damaged: Fields that are missing, or of which some part was left out.
    """

    draft: BaseModel
    faults: list[Fault]
    damaged: frozenset[str]


def find_faults(
    model: type[BaseModel],
    written: Mapping[str, Any],
    rules: Sequence[Rule],
    whole_rules: Sequence[Rule] = (),
) -> list[Fault]:
    """Return the faults of ``inspect_fields``."""
    return inspect_fields(model, written, rules, whole_rules).faults


def inspect_fields(
    model: type[BaseModel],
    written: Mapping[str, Any],
    rules: Sequence[Rule],
    whole_rules: Sequence[Rule] = (),
) -> Inspection:
    """Read one model's fields, as written, as far as they can be read.

    ``rules`` may see a collection from which unreadable entries were left out; ``whole_rules`` see
    one only if all of it could be read.
    """
    draft, faults, left_out = _read(model, written)
    absent = [
        name
        for name, field in model.model_fields.items()
        if field.is_required() and name not in written
    ]
    faults += [
        Fault(name, None, "is required", example_of(model, name), rule_id="required")
        for name in absent
    ]
    lost = {path[0] for path in left_out if len(path) == 1} | set(absent)
    damaged = lost | {path[0] for path in left_out}
    for unusable, table in ((lost, rules), (damaged, whole_rules)):
        for rule in table:
            names = inspect.signature(rule).parameters
            if not unusable.intersection(names):
                found = rule(**{name: getattr(draft, name) for name in names})
                faults += [fault.of_rule(rule_id(rule)) for fault in found]
    return Inspection(draft, faults, frozenset(str(name) for name in damaged))


def rule_id(rule: Callable[..., Any]) -> str:
    """Return a rule's name for programs, ``names-are-unique`` for ``_names_are_unique``."""
    return rule.__name__.strip("_").replace("_", "-")


def _read(
    model: type[BaseModel], written: Mapping[str, Any]
) -> tuple[BaseModel, list[Fault], set[_Path]]:
    """Return a draft without the unreadable parts, the faults found, and the paths left out."""
    faults: list[Fault] = []
    left_out: set[_Path] = set()
    readable = _copy(written)
    while True:
        try:
            return _draft_of(model).model_validate(readable), faults, left_out
        except ValidationError as error:
            details = error.errors(include_url=False)
            if not left_out:  # later rounds only meet consequences of what was left out
                faults += [translate(model, written, detail) for detail in details]
            paths = [_unreadable(readable, detail) for detail in details]
            gone = {path for path in (_leave_out(readable, path) for path in paths) if path}
            for detail in details if not gone else ():  # so that every round takes something out
                readable.pop(detail["loc"][0], None)
                gone.add(detail["loc"][:1])
            left_out |= gone


def _unreadable(readable: Any, detail: ErrorDetails) -> _Path:
    """Return what has to go for an error to go: the part it is at, or what lacks a part."""
    path = read_path(readable, detail["loc"])
    return path[:-1] if detail["type"] == "missing" else path


@functools.cache
def _draft_of(model: type[BaseModel]) -> type[BaseModel]:
    """Return the same model with nothing required, so that rules can run on what there is."""
    optional: dict[str, Any] = {
        name: (field.rebuild_annotation(), None)
        for name, field in model.model_fields.items()
        if field.is_required()
    }
    return create_model(f"{model.__name__}Draft", __base__=model, **optional)


def _copy(value: Any) -> Any:
    """Copy containers, so that parts can be taken out; all else is shared."""
    if isinstance(value, Mapping):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy(item) for item in value]
    return value


def _leave_out(root: dict[str, Any], path: _Path) -> _Path:
    """Take out the part at the path and return the path that went; empty if nothing did.

    An entry of a list takes the list with it: without it the others would stand elsewhere.
    """
    containers: list[Any] = [root]
    for part in path[:-1]:
        here = containers[-1]
        within = part in here if isinstance(here, dict) else int(part) < len(here)
        if not within:  # went already, with another fault
            return ()
        containers.append(here[part])
    while isinstance(containers[-1], list):
        containers.pop()
        path = path[:-1]
    if not path or path[-1] not in containers[-1]:
        return ()
    del containers[-1][path[-1]]
    return path
