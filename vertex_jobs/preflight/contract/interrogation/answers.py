"""What goes back to the parent: one JSON object, written once, and then the process is over."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import stand_ins

__all__ = ["Answer", "verdict"]

#: Takes tokens, says what the parser makes of them.
Ask = Callable[[list[str]], Mapping[str, Any]]


def verdict(
    error: str = "", unknown: Iterable[str] = (), abbreviates: str = "", reads_text: bool = False
) -> dict[str, Any]:
    """What a parser made of some tokens.

    Args:
        error: Its own words; empty when it took them.
        unknown: Tokens that it did not know.
        abbreviates: The flag that a token was short for.
        reads_text: Whether it takes every text for true.
    """
    return {
        "error": error,
        "unknown": list(unknown),
        "abbreviates": abbreviates,
        "reads_text": reads_text,
    }


class Answer:
    """Puts the questions to a parser, and writes what came of it."""

    def __init__(self, descriptor: int, questions: Mapping[str, Any]) -> None:
        """Keep where the answer goes.

        Args:
            descriptor: Of an open file.
            questions: From the parent.
        """
        self._descriptor = descriptor
        self.questions = questions

    def give(self, ask: Ask, whole: Ask, flags: Iterable[str], **fields: Any) -> None:
        """Ask everything and end the process.

        Args:
            ask: For tokens by themselves, nothing else required.
            whole: For a whole command line.
            flags: Every flag that the parser knows.
            fields: What else is known.
        """
        verdicts = [ask(tokens) for tokens in self.questions["single"]]
        wrong = {
            token
            for tokens, one in zip(self.questions["single"], verdicts, strict=True)
            if one["error"] or one["unknown"]
            for token in tokens
        }
        # Without what is wrong by itself: what is missing is then the only thing to complain of.
        sound = (
            [token for token in line if token not in wrong] for line in self.questions["whole"]
        )
        complete = [whole(line) for line in sound]
        known = [flag for flag in flags if flag.startswith("--") and flag != "--help"]
        if stand_ins.touched():
            self.end(outcome="needs_real", detail=stand_ins.touched())
        self.end(outcome="answered", whole=complete, single=verdicts, flags=known, **fields)

    def end(self, **fields: Any) -> None:
        """Write the answer; nothing of the script runs after this."""
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(self._descriptor, json.dumps(fields).encode())
        os._exit(0)
