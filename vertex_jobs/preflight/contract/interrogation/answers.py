"""The answer to the parent: one JSON object, written once, after which the process ends."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import stand_ins

#: Returns the parser's verdict on some tokens.
Ask = Callable[[list[str]], Mapping[str, Any]]


def verdict(
    error: str = "", unknown: Iterable[str] = (), abbreviates: str = "", reads_text: bool = False
) -> dict[str, Any]:
    """Return a verdict in the form in which the parent reads it.

    Args:
        error: In the parser's words; empty if it accepted the tokens.
        unknown: Tokens that it did not know.
        abbreviates: The flag that a token was short for.
        reads_text: Whether it reads every text as true.
    """
    return {
        "error": error,
        "unknown": list(unknown),
        "abbreviates": abbreviates,
        "reads_text": reads_text,
    }


class Answer:
    """Puts the questions to a parser, and writes the verdicts."""

    def __init__(self, descriptor: int, questions: Mapping[str, Any]) -> None:
        """Prepare an answer.

        Args:
            descriptor: Of the open file that it is written to.
            questions: From the parent.
        """
        self._descriptor = descriptor
        self.questions = questions

    def give(self, ask: Ask, whole: Ask, flags: Iterable[str], **fields: Any) -> None:
        """Ask every question, write the answer and end the process.

        Args:
            ask: Judges tokens by themselves, with nothing else required.
            whole: Judges a whole command line.
            flags: Every flag that the parser knows.
            fields: Further fields of the answer.
        """
        verdicts = [ask(tokens) for tokens in self.questions["single"]]
        wrong = {
            token
            for tokens, one in zip(self.questions["single"], verdicts, strict=True)
            if one["error"] or one["unknown"]
            for token in tokens
        }
        # Without the tokens that are wrong by themselves, the only fault left is what is missing.
        sound = (
            [token for token in line if token not in wrong] for line in self.questions["whole"]
        )
        complete = [whole(line) for line in sound]
        known = [flag for flag in flags if flag.startswith("--") and flag != "--help"]
        if stand_ins.touched():
            self.end(outcome="needs_real", detail=stand_ins.touched())
        self.end(outcome="answered", whole=complete, single=verdicts, flags=known, **fields)

    def end(self, **fields: Any) -> None:
        """Write the answer and end the process; the script does not go on."""
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(self._descriptor, json.dumps(fields).encode())
        os._exit(0)
