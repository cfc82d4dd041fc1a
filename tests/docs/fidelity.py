"""Writes ``docs/fidelity.md``: ``python tests/docs/fidelity.py``.

Facts and choices come from ``fidelity_facts``; fields from the emulator's own table, walked along
the API's descriptors, so that a field which is not in the table cannot be left out. The keys that
send them are those of the tables by which requests are built.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from fidelity_facts import CHOICES, FACTS

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.fields import TABLE, Fate, key_of
from vertex_jobs.requests.bodies import TABLES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "fidelity.md"
ROOTS = ("CustomJob", "HyperparameterTuningJob", "TrainingPipeline", "StudySpec")
_PACKAGE = "google.cloud.aiplatform.v1."

INTRODUCTION = """\
# Fidelity: what Local Vertex does as Vertex AI does

*This page is generated (`python tests/docs/fidelity.py`); a test fails when it is out of date.*

Local Vertex speaks the API of Vertex AI, and behaves as public sources say the service behaves.
This page says which behaviour that is, where it is from, how sure it is and which test holds it;
what was decided where nothing is established; and what becomes of every field of a job.

**Not yet verified against the live service.** No row below was tried on Vertex AI by this project.
`make contract-live PROJECT=… BUDGET=…` runs the contract suite there; see
[how to run it](how-to/check-against-vertex-ai.md). A row that was tried carries the date.

Confidence: *high*, official documentation, a comment of a proto, the source of a library or a
published log; *medium*, an official sample, or several public repositories that agree; *low*, one
report.
"""


def test_link(test: str) -> str:
    """A test's name, linked to its file."""
    module, _, name = test.partition("::")
    return f"[`{name.rpartition('::')[2]}`](../tests/{module}.py)"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    head = list(head)
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


def facts() -> Iterator[str]:
    yield "## What is followed\n"
    for area, rows in groupby(FACTS, key=lambda fact: fact.area):
        yield f"### {area}\n"
        yield from table(
            ("behaviour", "source", "confidence", "held by", "verified"),
            (
                (one.text, one.source, one.confidence, test_link(one.test), one.verified or "no")
                for one in rows
            ),
        )


def choices() -> Iterator[str]:
    yield "## What was chosen, since nothing is established\n"
    yield "Each is a constant or a function of its own, so that one real run can correct it.\n"
    yield from table(
        ("question", "choice", "where", "held by"),
        (
            (one.question, one.choice, f"`{one.place}`", test_link(one.test) if one.test else "")
            for one in CHOICES
        ),
    )


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
                found[key_of(field)] = (fate, "as the field that holds it")
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
    counts = Counter(fate for fate, _ in found.values())
    yield "## What becomes of each field\n"
    yield (
        f"{len(found)} fields can be reached from {', '.join(ROOTS[:-1])} and {ROOTS[-1]}: "
        f"{counts['acted']} are acted on, {counts['output']} are set by the service, "
        f"{counts['stored']} are stored, echoed and named in a warning, {counts['refused']} are "
        "refused by name. None is ignored. Beside a field are the keys of a config that send it, "
        "from the job or, with a dot, from within another key; the fields of a message without one "
        "have keys of their own.\n"
    )
    names = sorted(found, key=lambda key: key.rpartition(".")[::2])
    for message, paths in groupby(names, key=lambda key: key.rpartition(".")[0]):
        yield f"### {message}\n"
        rows = (
            (f"`{path.rpartition('.')[2]}`", sent_by(keys.get(path, [])), *found[path])
            for path in paths
        )
        yield from table(("field", "sent by", "fate", "what it does"), rows)


def sent_by(keys: Iterable[str]) -> str:
    return ", ".join(f"`{key}`" for key in keys)


def page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *facts(), *choices(), *fields()]).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
