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
    """Return a verdict in the form in which the parent reads it, as ``asking.Verdict``."""
    return {
        "error": error,
        "unknown": list(unknown),
        "abbreviates": abbreviates,
        "reads_text": reads_text,
    }


class Answer:
    """Puts the questions to a parser, and writes the verdicts."""

    def __init__(self, descriptor: int, questions: Mapping[str, Any]) -> None:
        """Take the descriptor of the open file to write to, and the parent's questions."""
        self._descriptor = descriptor
        self.questions = questions

    def give(self, ask: Ask, whole: Ask, flags: Iterable[str], **fields: Any) -> None:
        """Ask every question, write the answer and end the process.

        ``ask`` judges tokens by themselves, with nothing else required; ``whole`` judges a whole
        command line; ``flags`` are all that the parser knows.
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
