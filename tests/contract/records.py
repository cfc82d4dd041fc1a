"""Exchanges with the service as data: what was asked, what it answered, where that was published.

A file of ``recorded`` holds one conversation: its ``title``, the ``source`` and ``date`` of the
publication, how it is ``known`` (``recorded``: request and answer; ``seen``: an answer, to which
the request was added), its ``extent`` and what the publication ``normalised``. Project, bucket and
e-mail addresses are replaced in it, as by the recorder of ``exchanges``. Its form:

- An exchange without an answer prepares a later one, which needs the names that it ``learns``.
  ``until`` repeats a request until the answer has these fields. ``local`` are settings for the job,
  ``program`` is its ``trainer/task.py``, in place of one that nobody has published.
- A mapping with the key ``...`` has more keys than are shown, a list that ends in ``...`` more
  elements: the record is an excerpt then, otherwise complete. Headers are shown or not known.
- ``<form>`` in a text stands for anything of that form, ``<form:name>`` for the same thing
  wherever the name occurs, in requests too. Times, and ids in resource names, are such forms even
  where they are written out.
- ``differs`` says, for a place in the answer, why Local Vertex answers otherwise; ``not_emulated``
  why it does not answer at all.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from exchanges import BUCKET, MORE, NUMBER, PROJECT

FOLDER = Path(__file__).parent / "recorded"

_DATE = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
_FORMS = {
    "any": r"[\s\S]*",
    "bucket": "",
    "hex": r"[0-9a-f]{16}",
    "id": r"[\w-]+",
    "job-id": r"\d{18,19}",
    "nanoseconds": rf"{_DATE}\.\d{{9}}Z",
    "project-id": "",
    "project-number": "",
    "second": rf"{_DATE}Z",
    "study-id": r"\d{13}",
    "text": r"[\s\S]+",
    "time": rf"{_DATE}(\.\d+)?Z",
    "unique": "",
}
_TOKEN = re.compile(rf"<({'|'.join(_FORMS)})(?::([\w.-]+))?>")
_NUMBER = "<number>"
#: Texts that depend on what was written when, and stand for any other.
_OF_CONTENT = ("crc32c", "etag", "generation", "md5Hash", "mediaLink", "size")
#: What is a form though it is written out.
_WRITTEN_OUT = (
    (re.compile(re.escape(PROJECT)), "<project-id>"),
    (re.compile(rf"\b{NUMBER}\b"), "<project-number>"),
    (re.compile(re.escape(BUCKET)), "<bucket>"),
    (re.compile(rf"{_DATE}\.\d{{9}}Z"), "<nanoseconds>"),
    (re.compile(rf"{_DATE}\.\d+Z"), "<time>"),
    (re.compile(rf"{_DATE}Z"), "<second>"),
    (re.compile(r"(?<=/)(\d{10,})\b"), r"<id:\1>"),
)


@dataclass(frozen=True)
class Exchange:
    """A request, and what is known of its answer; none for a preparation."""

    request: Mapping[str, Any]
    answer: Mapping[str, Any] | None = None
    learns: Mapping[str, Any] = field(default_factory=dict)
    until: Mapping[str, Any] = field(default_factory=dict)
    differs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Record:
    """One conversation; see the module."""

    path: Path
    title: str
    source: str
    date: str
    known: str
    extent: str
    normalised: str
    exchanges: tuple[Exchange, ...]
    local: Mapping[str, Any] = field(default_factory=dict)
    program: str = ""
    not_emulated: str = ""
    marker: str = ""

    @classmethod
    def read(cls, path: Path) -> "Record":
        """The record of a file, YAML or JSON."""
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        exchanges = tuple(Exchange(**one) for one in form.pop("exchanges"))
        return cls(path=path, exchanges=exchanges, **form)

    @property
    def answers(self) -> list[Exchange]:
        """The exchanges whose answer is known."""
        return [one for one in self.exchanges if one.answer is not None]

    @property
    def is_excerpt(self) -> bool:
        """Whether the body of any answer has more than is shown."""
        return any(MORE in _keys((one.answer or {}).get("body")) for one in self.answers)


def read_all(folder: Path = FOLDER) -> list[Record]:
    """Every record of a folder, by name."""
    return [Record.read(path) for path in sorted(folder.iterdir())]


def _keys(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield key
            yield from _keys(one)
    elif isinstance(value, list):
        yield from (one for one in value if one == MORE)
        for one in value:
            yield from _keys(one)


@dataclass(frozen=True)
class Difference:
    """A place in an answer at which Local Vertex answers otherwise."""

    place: str
    recorded: Any
    here: Any


class Names:
    """What the names in one record stand for here, as far as it has been said.

    Args:
        known: Values of ``project-id``, ``project-number``, ``bucket`` and ``unique``.
        marker: The word that the recording used where a new one is needed each time.
    """

    def __init__(self, known: Mapping[str, str], marker: str = "") -> None:
        self._known = dict(known)
        self._marker = marker

    def _form(self, text: str) -> str:
        if self._marker:
            text = text.replace(self._marker, "<unique>")
        for pattern, form in _WRITTEN_OUT:
            text = pattern.sub(form, text)
        for name in (name for name in self._known if name.isdecimal()):
            text = re.sub(rf"(?<![\d:]){name}(?!\d)", f"<id:{name}>", text)
        return text

    def filled(self, value: Any) -> Any:
        """A part of a request, with what its names stand for here."""
        if isinstance(value, Mapping):
            return {key: self.filled(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        if not isinstance(value, str):
            return value
        return _TOKEN.sub(
            lambda token: self._known.get(token[2] or token[1], token[2] or token[0]),
            self._form(value),
        )

    def differences(self, recorded: Any, here: Any, place: str = "") -> Iterator[Difference]:
        """Where an answer differs from the recorded one; learns what names stand for."""
        if isinstance(recorded, Mapping) and isinstance(here, Mapping):
            yield from self._in_mapping(recorded, here, place)
        elif isinstance(recorded, list) and isinstance(here, list):
            yield from self._in_list(recorded, here, place)
        elif not self._equal(recorded, here):
            yield Difference(place, recorded, here)

    def _in_mapping(
        self, recorded: Mapping[str, Any], here: Mapping[str, Any], place: str
    ) -> Iterator[Difference]:
        for key, value in recorded.items():
            inner = f"{place}.{key}" if place else str(key)
            if key == MORE:
                continue
            if key not in here:
                yield Difference(inner, value, None)
            elif key not in _OF_CONTENT or not isinstance(here[key], str):
                yield from self.differences(value, here[key], inner)
        if MORE not in recorded:
            for key in here.keys() - recorded.keys():
                yield Difference(f"{place}.{key}" if place else key, None, here[key])

    def _in_list(self, recorded: list[Any], here: list[Any], place: str) -> Iterator[Difference]:
        shown = recorded[:-1] if recorded[-1:] == [MORE] else recorded
        if len(here) < len(shown) or (shown is recorded and len(here) > len(shown)):
            yield Difference(f"{place}.length", len(shown), len(here))
        for number, (one, other) in enumerate(zip(shown, here, strict=False)):
            yield from self.differences(one, other, f"{place}[{number}]")

    def _equal(self, recorded: Any, here: Any) -> bool:
        if recorded == _NUMBER:
            return isinstance(here, (int, float)) and not isinstance(here, bool)
        if not isinstance(recorded, str) or not isinstance(here, str):
            same_kind = isinstance(recorded, bool) is isinstance(here, bool)
            return same_kind and bool(recorded == here)
        groups: dict[str, str] = {}

        def pattern(token: re.Match[str]) -> str:
            name = token[2] or (token[1] if not _FORMS[token[1]] else "")
            if name in self._known:
                return re.escape(self._known[name])
            if not name:
                return _FORMS[token[1]]
            group = next((one for one, its in groups.items() if its == name), "")
            if group:
                return f"(?P={group})"
            groups[f"g{len(groups)}"] = name
            return f"(?P<g{len(groups) - 1}>{_FORMS[token[1]]})"

        parts, end, text = [], 0, self._form(recorded)
        for token in _TOKEN.finditer(text):
            parts += [re.escape(text[end : token.start()]), pattern(token)]
            end = token.end()
        match = re.fullmatch("".join([*parts, re.escape(text[end:])]), here)
        if match:
            self._known |= {name: match[group] for group, name in groups.items()}
        return match is not None
