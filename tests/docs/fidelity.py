"""Writes ``docs/fidelity.md``: ``python tests/docs/fidelity.py``.

Statements and questions come from ``fidelity_facts``; fields from the emulator's own table, walked
along the API's descriptors, so that a field which is not in the table cannot be left out. The keys
that send them are those of the tables by which requests are built.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from fidelity_facts import FACTS, KNOWN, QUESTIONS, Fact

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.fields import TABLE, Fate, key_of
from vertex_jobs.requests.bodies import TABLES

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests" / "contract"))
from records import Record, read_all  # noqa: E402
from sweep_sources import OURS  # noqa: E402

PAGE = ROOT / "docs" / "fidelity.md"
ROOTS = ("CustomJob", "HyperparameterTuningJob", "TrainingPipeline", "StudySpec")
_PACKAGE = "google.cloud.aiplatform.v1."
#: Why a field of a message has the fate of the field that holds the message.
_AS_THE_HOLDER = "as the field that holds it"

INTRODUCTION = """\
# Fidelity: what Local Vertex does as Vertex AI does

*This page is generated (`python tests/docs/fidelity.py`); a test fails when it is out of date.*

Local Vertex speaks the API of Vertex AI. Each statement below says how it is known that the service
behaves so, and which test holds Local Vertex to it.
"""
UNTRIED = """\
**This project has tried none of them on the live service.** `make contract-live PROJECT=… BUDGET=…`
does, for a few dollars; see [how to run it](how-to/check-against-vertex-ai.md). What it confirms
becomes *recorded*.
"""


def test_link(test: str) -> str:
    """A test's name, linked to its file; empty for none."""
    module, _, name = test.partition("::")
    return f"[`{name.rpartition('::')[2]}`](../tests/{module}.py)" if test else ""


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    head = list(head)
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


def counts() -> Iterator[str]:
    counted = Counter(one.known for one in FACTS)
    yield from table(
        ("known", "statements", "because"),
        ((f"*{known}*", str(counted[known]), meaning) for known, meaning in KNOWN.items()),
    )
    yield UNTRIED


def questions() -> Iterator[str]:
    yield "## What the first live run should settle\n"
    yield "The most important first: what most jobs meet, and where a wrong guess misleads most.\n"
    yield from table(
        ("", "question", "until then, here", "asked by"),
        (
            (str(number), one.text, one.here, test_link(one.test))
            for number, one in enumerate(QUESTIONS, 1)
        ),
    )


def facts() -> Iterator[str]:
    surest_first = list(KNOWN)
    for area, rows in groupby(FACTS, key=lambda fact: fact.area):
        yield f"## {area}\n"
        yield from table(
            ("statement", "known", "from", "held by"),
            (
                (one.text, one.known, source(one), test_link(one.test))
                for one in sorted(rows, key=lambda fact: surest_first.index(fact.known))
            ),
        )


def recordings() -> Iterator[str]:
    records = read_all()
    answers = [one for record in records for one in record.answers]
    yield "## What is replayed\n"
    yield (
        f"{len(answers)} answers of the service are kept, in "
        f"[{len(records)} files](../tests/contract/recorded) that each name their source. "
        "`make replay` sends the requests to Local Vertex and compares; so does `make test`. Local "
        "Vertex differs in these places alone:\n"
    )
    yield from table(("answer", "place", "why"), sorted(set(differing(records))))
    yield from table(
        ("not emulated", "why"),
        ((record.title, record.not_emulated) for record in records if record.not_emulated),
    )


def only_here() -> Iterator[str]:
    yield "## What only Local Vertex shows\n"
    yield (
        "[A test](../tests/contract/test_sweep.py) drives the whole API and looks at every field, "
        "header, file and service's line in the answers. Each stands in a recording, in a document "
        "or here:\n"
    )
    yield from table(
        ("shown", "marked how, and why"),
        ((f"`{place}`", why) for place, why in sorted(OURS.items())),
    )


def differing(records: Iterable[Record]) -> Iterator[tuple[str, str, str]]:
    for record in records:
        for one in record.answers:
            for place, why in one.differs.items():
                yield (record.title, f"`{place}`", why)


def source(fact: Fact) -> str:
    return f"`{fact.source}`" if fact.known == "ours" else fact.source


def fate_of_every_field() -> dict[str, tuple[str, str]]:
    """Fate and note of every field that can be reached from the roots.

    Raises:
        LookupError: If one is not in the table.
    """
    found: dict[str, tuple[str, str]] = {}
    settled: list[tuple[Any, str]] = []  # messages that share the fate of the field that holds them

    def walk(descriptor: Any) -> None:
        for field in descriptor.fields:
            key = key_of(field)
            if key in found:
                continue
            row = TABLE.get(key)
            if row is None:
                raise LookupError(f"{key} is not in the table of fields")
            fate = "output" if row.output else row.fate.value
            note = row.note
            if row.vizier not in (None, row.fate):
                note += f"; in Vizier's own studies: {row.vizier.value}"
            found[key] = (fate, note)
            acted = Fate.ACTED in (row.fate, row.vizier) and not note.startswith("never set")
            for message in messages_of(field):
                if acted:
                    walk(message)
                else:
                    settled.append((message, fate))

    for root in ROOTS:
        walk(protos.message_class(root).DESCRIPTOR)
    while settled:
        descriptor, fate = settled.pop()
        for field in descriptor.fields:
            if key_of(field) not in found:
                found[key_of(field)] = (fate, _AS_THE_HOLDER)
                settled += [(message, fate) for message in messages_of(field)]
    return found


def keys_of_fields() -> dict[str, list[str]]:
    """The keys of a config by the field that they send; several for a message in several places."""
    found: dict[str, list[str]] = {}
    for one in TABLES.values():
        for row in one.rows():
            keys = found.setdefault(row.path, [])
            if row.key and row.key not in keys:
                keys.append(row.key)
    return found


def messages_of(field: Any) -> list[Any]:
    """The message of this API that a field holds, if it holds one."""
    kind = field.message_type
    ours = kind is not None and kind.full_name.startswith(_PACKAGE)
    return [kind] if ours and not kind.GetOptions().map_entry else []


def fields() -> Iterator[str]:
    found, keys = fate_of_every_field(), keys_of_fields()
    counted = Counter(fate for fate, _ in found.values())
    yield "## What becomes of each field\n"
    yield (
        f"{len(found)} fields can be reached from {', '.join(ROOTS[:-1])} and {ROOTS[-1]}; none is "
        "ignored. Beside a field are the keys of a config that send it, from the job or, with a "
        "dot, from within another key; the fields of a message without one have keys of their "
        "own.\n"
    )
    headings = {"refused": "refused by name", "acted": "acted on", "output": "set by the service"}
    for fate, heading in headings.items():
        yield f"### {counted[fate]} are {heading}\n"
        sent = ["sent by"] if fate != "output" else []
        yield from table(
            ("field", *sent, "what it does"),
            (
                (f"`{path}`", *[sent_by(keys.get(path, []))][: len(sent)], note)
                for path, (its_fate, note) in sorted(found.items(), key=by_message)
                if its_fate == fate
            ),
        )
    yield f"### {counted['stored']} are stored, echoed and named in a warning\n"
    yield "<details>\n<summary>The list, by message</summary>\n"
    stored = sorted((one for one in found.items() if one[1][0] == "stored"), key=by_message)
    for message, rows in groupby(stored, key=lambda one: one[0].rpartition(".")[0]):
        names = (stored_field(path, note, keys.get(path, [])) for path, (_, note) in rows)
        yield f"- {message}: {', '.join(names)}"
    yield "\n</details>\n"


def by_message(one: tuple[str, Any]) -> tuple[str, ...]:
    return one[0].rpartition(".")[::2]


def stored_field(path: str, note: str, keys: list[str]) -> str:
    because = [note] if note != _AS_THE_HOLDER else []
    beside = "; ".join([*([sent_by(keys)] if keys else []), *because])
    return f"`{path.rpartition('.')[2]}`" + (f" ({beside})" if beside else "")


def sent_by(keys: Iterable[str]) -> str:
    return ", ".join(f"`{key}`" for key in keys)


def page() -> str:
    """The whole page."""
    lines = [
        INTRODUCTION,
        *counts(),
        *questions(),
        *facts(),
        *recordings(),
        *only_here(),
        *fields(),
    ]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
