"""One thing that was looked at, and what follows from it."""

from dataclasses import dataclass
from typing import Literal

#: ``missing`` stops every job; ``limited`` only those that count on it; ``unknown`` could not be
#: found out.
Verdict = Literal["ok", "limited", "missing", "unknown"]


@dataclass(frozen=True)
class Finding:
    """One finding about a subject, e.g. ``bucket``.

    The verdict is whether jobs can count on it; the remedy is empty when nothing needs to be done
    or is known.
    """

    subject: str
    verdict: Verdict
    fact: str
    remedy: str = ""
