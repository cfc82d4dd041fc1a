"""YAML text to plain data, with faults instead of surprises, and plain data to YAML text.

For ``loading`` and ``writing``. Scalars follow YAML 1.2: ``1e-4`` is a number, ``yes`` and ``off``
are text. A key that stands twice is a fault and not a silent choice.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from vertex_jobs.errors import Fault, InvalidJobError


class _Loader(yaml.SafeLoader):
    """Safe loading with the scalars of YAML 1.2; collects keys that stand twice."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - PyYAML's own table, replaced as a whole

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.repeated: list[Fault] = []

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if key.value in seen:
                    rule = f"stands twice, in line {seen[key.value]} and in line {line}"
                    self.repeated.append(Fault(key.value, None, rule, "remove one of the two"))
                seen[key.value] = line
        return super().construct_mapping(node, deep)


_SCALARS = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": (r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    "float": (
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
    "merge": (r"<<", ["<"]),
}


class _Dumper(yaml.SafeDumper):
    """Quotes every text that a reader of YAML 1.1 or 1.2 would take for something else."""


for _class in (_Loader, _Dumper):
    for _name, (_pattern, _first) in _SCALARS.items():
        _class.add_implicit_resolver(
            f"tag:yaml.org,2002:{_name}", re.compile(rf"^(?:{_pattern})$"), _first
        )


def _construct_int(loader: _Loader, node: yaml.ScalarNode) -> int:
    """Read a number as decimal unless it is marked, so that 010 is ten."""
    text = node.value
    return int(text, 0) if text[:2] in ("0o", "0x") else int(text)


_Loader.add_constructor("tag:yaml.org,2002:int", _construct_int)


class Parsed(NamedTuple):
    """One YAML document as data.

    Attributes:
        faults: The keys in it that stand twice.
        lines: Dotted path of each value to the line, from 1 on, where its key or item begins.
    """

    data: Any
    faults: list[Fault]
    lines: dict[str, int]


def parse(text: str, source: str) -> Parsed:
    """Read one YAML document.

    Raises:
        InvalidJobError: If the text is no YAML, with line and column.
    """
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        data = loader.construct_document(node) if node is not None else None
        lines = dict(_lines(node, "")) if isinstance(data, dict) else {}
        return Parsed(data, loader.repeated, lines)
    except yaml.YAMLError as error:
        raise InvalidJobError([_syntax_fault(error)], source) from error
    finally:
        loader.dispose()


def _lines(node: yaml.Node | None, prefix: str) -> Iterator[tuple[str, int]]:
    entries: list[tuple[str, yaml.Node, yaml.Node]] = []
    if isinstance(node, yaml.MappingNode):
        entries = [(str(key.value), key, value) for key, value in node.value]
    elif isinstance(node, yaml.SequenceNode):
        entries = [(str(number), item, item) for number, item in enumerate(node.value)]
    for name, start, value in entries:
        yield f"{prefix}{name}", start.start_mark.line + 1
        yield from _lines(value, f"{prefix}{name}.")


def render(value: Any) -> str:
    """Return text that ``parse`` reads back to equal data, innermost collections on one line."""
    text: str = yaml.dump(
        value,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=100,
        default_flow_style=None,
    )
    return text


def _syntax_fault(error: yaml.YAMLError) -> Fault:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    if mark is None:
        return Fault("text", None, f"is no YAML: {problem}", "correct it")
    place = f"line {mark.line + 1}, column {mark.column + 1}"
    return Fault(place, None, f"is no YAML: {problem}", "correct it there or in the line before")
