"""Question ``argparse`` and whatever is built on it: argparse-dataclass, our own runtime."""

import argparse
import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from .answers import Answer, verdict

_parse_known = argparse.ArgumentParser.parse_known_args
#: Calls parse_known_args, and refuses unknown arguments itself.
_STRICT = "vertex_jobs.runtime.arguments"


class _Refused(Exception):  # noqa: N818 - never leaves this module
    pass


def intercept(answer: Answer) -> None:
    """Make the first parser that reads the command line answer instead."""
    asking: list[bool] = []

    def parse_args(parser: Any, args: Sequence[str] | None = None, namespace: Any = None) -> Any:
        asking.append(True)
        _answer(answer, parser, args, tolerant=False)

    def parse_known_args(
        parser: Any, args: Sequence[str] | None = None, namespace: Any = None
    ) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if asking:  # a subcommand's parser
            return _parse_known(parser, args, namespace)
        # One of several parsers: it takes its part, and the last one is questioned.
        if answer.questions["several"] and answer.questions["stand_ins"] and caller != _STRICT:
            return _parse_known(parser, args, namespace)
        asking.append(True)
        return _answer(answer, parser, args, tolerant=caller != _STRICT)

    parsers: Any = argparse.ArgumentParser
    parsers.parse_args = parsers.parse_intermixed_args = parse_args
    parsers.parse_known_args = parsers.parse_known_intermixed_args = parse_known_args


def _answer(answer: Answer, parser: Any, args: Sequence[str] | None, tolerant: bool) -> None:
    ignores = args is not None and not list(args) and bool(answer.questions["argv"])
    for one in _with_subparsers(parser):
        one.error = _refuse
        one.exit = _leave

    def whole(tokens: list[str]) -> dict[str, Any]:
        return _ask(parser, tokens)

    def single(tokens: list[str]) -> dict[str, Any]:
        with _nothing_required(parser):
            return _ask(parser, tokens)

    flags = [flag for one in _with_subparsers(parser) for flag in one._option_string_actions]
    answer.give(single, whole, flags, parser="argparse", tolerant=tolerant, ignores=ignores)


def _ask(parser: Any, tokens: list[str]) -> dict[str, Any]:
    try:
        _, unknown = _parse_known(parser, tokens)
    except _Refused as error:
        return verdict(error=str(error))
    except Exception as error:  # a type function's own
        return verdict(error=f"{type(error).__name__}: {error}")
    actions = {
        flag: action
        for one in _with_subparsers(parser)
        for flag, action in one._option_string_actions.items()
    }
    last = tokens[-1].partition("=")[0] if tokens else ""
    abbreviates = ""
    if last.startswith("--") and last not in actions and not unknown:
        abbreviates = next((flag for flag in actions if flag.startswith(last)), "")
    action = actions.get(abbreviates or last)
    return verdict(
        unknown=unknown,
        abbreviates=abbreviates,
        reads_text=action is not None and action.type is bool and "=" in tokens[-1],
    )


def _with_subparsers(parser: Any) -> Iterator[Any]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from _with_subparsers(one)


@contextlib.contextmanager
def _nothing_required(parser: Any) -> Iterator[None]:
    parts = [
        part
        for one in _with_subparsers(parser)
        for part in (*one._actions, *one._mutually_exclusive_groups)
        if part.required
    ]
    for part in parts:
        part.required = False
    yield
    for part in parts:
        part.required = True


def _refuse(message: str) -> None:
    raise _Refused(message)


def _leave(status: int = 0, message: str | None = None) -> None:
    raise _Refused(message or f"it ended with {status}")
