"""One row of the table of fields, and how rows are written down."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass


class Fate(enum.Enum):
    """The fate of a field."""

    ACTED = "acted"
    STORED = "stored"
    REFUSED = "refused"


@dataclass(frozen=True)
class Field:
    """What Local Vertex does with one field of the API.

    Attributes:
        path: Message and field, e.g. ``Scheduling.timeout``. Below a field that is stored or
            refused, every field shares its fate.
        fate: In jobs and pipelines.
        note: What it does, or what it would do on Vertex AI.
        source: Where the rule comes from.
        confidence: H, M, L or ``?``, as to how the service behaves.
        output: Whether the service is the one to set it; what a request says there is dropped.
        default: Value that means the same as not set, so that it needs no warning.
        vizier: Its fate in studies of the Vizier service, where it differs.
    """

    path: str
    fate: Fate
    note: str
    source: str
    confidence: str = "H"
    output: bool = False
    default: object = None
    vizier: Fate | None = None

    def fate_in(self, vizier: bool) -> Fate:
        """Return its fate in a Vizier study, or in a job."""
        return self.vizier if vizier and self.vizier is not None else self.fate


def rows(
    message: str,
    *,
    acted: Mapping[str, str] | None = None,
    output: Mapping[str, str] | None = None,
    stored: Mapping[str, str] | None = None,
    refused: Mapping[str, str] | None = None,
) -> list[Field]:
    """Return the fields of one message with their notes; the source is the message's comment."""
    source = f"{message} proto"
    groups = ((acted, Fate.ACTED), (stored, Fate.STORED), (refused, Fate.REFUSED))
    found = [
        Field(f"{message}.{name}", fate, note, source)
        for group, fate in groups
        for name, note in (group or {}).items()
    ]
    return found + [
        Field(f"{message}.{name}", Fate.ACTED, note, source, output=True)
        for name, note in (output or {}).items()
    ]
