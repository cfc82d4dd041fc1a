"""YAML text to plain data, with faults instead of surprises, and plain data to YAML text.

For ``loading`` and ``writing``. Scalars follow YAML 1.2: ``1e-4`` is a number, ``yes`` and ``off``
are text, and so is every key. A key that stands twice is a fault and not a silent choice. Only what
JSON can say is read; sizes are bounded before anything is made of them.
"""

import re
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple, NoReturn

import yaml

from vertex_jobs.errors import Fault, InvalidJobError

#: Characters of a file, collections in each other, and values once every alias is written out.
MAX_CHARACTERS = 512 * 1024
MAX_DEPTH = 40
MAX_VALUES = 100_000

#: What no terminal, path or argument can carry: control characters, and half of a character.
_UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")


class _Loader(yaml.SafeLoader):
    """Safe loading with the scalars of YAML 1.2; collects keys that stand twice."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - PyYAML's own tables, replaced as a whole
    yaml_constructors = {  # noqa: RUF012
        tag: function
        for tag, function in yaml.SafeLoader.yaml_constructors.items()
        if tag is None or tag.rpartition(":")[2] in ("null", "bool", "float", "str", "seq", "map")
    }

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.repeated: list[Fault] = []
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            rule = f"more than {MAX_DEPTH} collections in each other"
            raise yaml.composer.ComposerError(None, None, rule, self.get_mark())
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> str:
        text: str = super().construct_scalar(node)
        found = _UNUSABLE.search(text)
        if found:
            _refuse(f"the character U+{ord(found[0]):04X}, which is no text", node)
        return text

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, KeyError):  # of the tag's own reading, as of ``!!int abc``
            _refuse(f"no value of the tag {node.tag.rpartition(':')[2]}", node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                _refuse("a key that is no text", key)
            if key.tag != "tag:yaml.org,2002:merge":
                if key.value in seen:
                    rule = f"stands twice, in line {seen[key.value]} and in line {line}"
                    self.repeated.append(
                        Fault(key.value, None, rule, "remove one of the two", rule_id="key-once")
                    )
                seen[key.value] = line
        self.flatten_mapping(node)
        return {
            self.construct_scalar(key): self.construct_object(value, deep=True)
            for key, value in node.value
        }


def _refuse(problem: str, node: yaml.Node) -> NoReturn:
    raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


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
    text = loader.construct_scalar(node)
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
        InvalidJobError: If the text is no YAML, with line and column, or beyond the limits.
    """
    if len(text) > MAX_CHARACTERS:
        rule = f"has {len(text):,} characters, and a config {MAX_CHARACTERS:,} at most"
        remedy = "keep data in files of its own"
        raise InvalidJobError([Fault("text", None, rule, remedy, rule_id="config-size")], source)
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return Parsed(None, [], {})
        _count_values(node, {})
        data = loader.construct_document(node)
        lines = dict(_lines(node, "")) if isinstance(data, dict) else {}
        return Parsed(data, loader.repeated, lines)
    except yaml.YAMLError as error:
        raise InvalidJobError([_syntax_fault(error, text)], source) from error


def _count_values(node: yaml.Node, counted: dict[yaml.Node, int | None]) -> int:
    """Return how many values a node is with its aliases written out.

    Raises:
        ConstructorError: If it holds itself, or too many.
    """
    if node in counted:
        known = counted[node]
        if known is None:
            _refuse("an alias of a collection that it is in", node)
        return known
    counted[node] = None
    total = 1
    for entry in node.value if isinstance(node, yaml.CollectionNode) else ():
        parts = entry if isinstance(entry, tuple) else (entry,)
        total += sum(_count_values(part, counted) for part in parts)
    if total > MAX_VALUES:
        _refuse(f"more than {MAX_VALUES:,} values with its aliases written out", node)
    counted[node] = total
    return total


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


def _syntax_fault(error: yaml.YAMLError, text: str) -> Fault:
    if isinstance(error, yaml.reader.ReaderError):
        before = text[: error.position]
        line, column = before.count("\n") + 1, error.position - before.rfind("\n")
        problem = f"the character U+{error.character:04X}, which is no text"
    else:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        problem = getattr(error, "problem", None) or str(error)
    place = f"line {line}, column {column}"
    remedy = "correct it there or in the line before"
    return Fault(place, None, f"is no YAML: {problem}", remedy, rule_id="yaml")
