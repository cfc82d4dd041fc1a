"""The check of a name against the known ones, for the modules of ``strategies``."""

import difflib
from collections.abc import Collection


def check_choice(subject: str, name: str, known: Collection[str]) -> None:
    """Refuse a name that is not known, and name the nearest one.

    Raises:
        ValueError: If the name is not known.
    """
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"use {', '.join(known)}"
        raise ValueError(f"no {subject} is called {name!r}; {hint}")
