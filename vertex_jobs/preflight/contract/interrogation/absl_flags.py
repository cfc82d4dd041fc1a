"""Question ``absl`` flags, which ``app.run`` or a call of ``FLAGS`` reads."""

from collections.abc import Sequence
from typing import Any

from .answers import Answer, verdict


def intercept(answer: Answer) -> None:
    """Make the flags answer when the program is about to read them."""
    from absl import app, flags

    values: Any = flags.FLAGS
    program: Any = app
    read = type(values).__call__

    def give(*_: Any, **__: Any) -> None:
        own = values.flags_by_module_dict()
        names = [
            f"--{flag.name}"
            for module, found in own.items()
            if not module.startswith("absl.")
            for flag in found
        ]
        answer.give(_single, lambda tokens: _whole(read, tokens), names, parser="absl")

    program.run = give
    type(values).__call__ = give


def _whole(read: Any, tokens: Sequence[str]) -> dict[str, Any]:
    from absl import flags

    try:
        read(flags.FLAGS, ["script", *tokens])
    except flags.UnrecognizedFlagError as error:
        return verdict(unknown=[one for one in tokens if _name(one) == error.flagname])
    except flags.Error as error:
        return verdict(error=str(error))
    return verdict()


def _single(tokens: Sequence[str]) -> dict[str, Any]:
    from absl import flags

    for token in tokens:
        name, separator, text = token.lstrip("-").partition("=")
        negated = name.removeprefix("no")
        if name not in flags.FLAGS and negated not in flags.FLAGS:
            return verdict(unknown=[token])
        flag = flags.FLAGS[name if name in flags.FLAGS else negated]
        try:
            if separator:
                flag.parser.parse(text)
        except (TypeError, ValueError) as error:
            return verdict(error=f"flag --{name}={text}: {error}")
    return verdict()


def _name(token: str) -> str:
    return token.lstrip("-").partition("=")[0]
