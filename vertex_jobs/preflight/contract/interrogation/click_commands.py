"""Question ``click`` commands and groups."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from .answers import Answer, verdict


def intercept(answer: Answer) -> None:
    """Make the command that is run answer instead."""
    import click

    def main(command: Any, args: Sequence[str] | None = None, *_: Any, **__: Any) -> Any:
        ignores = args is not None and not list(args) and bool(answer.questions["argv"])

        def whole(tokens: list[str]) -> dict[str, Any]:
            return _ask(command, tokens)

        def single(tokens: list[str]) -> dict[str, Any]:
            with _nothing_required(command):
                return _ask(command, tokens)

        commands = list(_with_subcommands(command))
        for one in commands:
            one.no_args_is_help = False
            for parameter in one.params:
                parameter.prompt = None  # nobody is asked here
        flags = [
            flag
            for one in commands
            for parameter in one.params
            if isinstance(parameter, click.Option)
            for flag in (*parameter.opts, *parameter.secondary_opts)
        ]
        answer.give(single, whole, flags, parser="click", tolerant=False, ignores=ignores)

    getattr(click, "Command").main = main  # noqa: B009 - types of click need not be there


def _ask(command: Any, tokens: Sequence[str]) -> dict[str, Any]:
    import click

    try:
        _parse(command, list(tokens))
    except click.NoSuchOption as error:
        known = error.option_name
        return verdict(unknown=[token for token in tokens if token.partition("=")[0] == known])
    except click.ClickException as error:
        return verdict(error=error.format_message())
    except (click.exceptions.Exit, click.Abort) as error:
        return verdict(error=f"it ended: {error!r}")
    return verdict()


def _parse(command: Any, tokens: list[str]) -> None:
    import click

    context = command.make_context(command.name or "script", tokens)
    if isinstance(command, click.Group):
        rest = [*getattr(context, "_protected_args", ()), *context.args]
        if rest:
            _, subcommand, left = command.resolve_command(context, rest)
            if subcommand is not None:
                _parse(subcommand, left)


@contextlib.contextmanager
def _nothing_required(command: Any) -> Iterator[None]:
    commands = _with_subcommands(command)
    required = [one for part in commands for one in part.params if one.required]
    for parameter in required:
        parameter.required = False
    yield
    for parameter in required:
        parameter.required = True


def _with_subcommands(command: Any) -> Iterator[Any]:
    yield command
    for one in getattr(command, "commands", {}).values():
        yield from _with_subcommands(one)
