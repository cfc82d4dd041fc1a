"""Messages in the API's JSON form, taken apart so that nothing in them is lost.

For ``gcloud``. It knows the form and no message.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from vertex_jobs.errors import Fault

__all__ = ["Message", "lower", "pair", "seconds", "snake", "snakes", "whole", "word"]

_DURATION = re.compile(r"(\d+)(?:\.0+)?s")
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


class Message:
    """A message whose fields are taken out; what stays at the end is a fault each."""

    def __init__(self, fields: Any, path: str, faults: list[Fault]) -> None:
        """Begin with all fields.

        Args:
            fields: As written; anything but a mapping is a fault.
            path: Of the message, with a dot at its end.
            faults: Where to put what is wrong.
        """
        self.path = path
        self.faults = faults
        self.fields = dict(fields) if isinstance(fields, Mapping) else {}
        if not isinstance(fields, Mapping):
            rule = "must be a mapping of keys to values"
            faults.append(Fault(path.rstrip("."), fields, rule, "write it as key: value"))

    def take(self, name: str) -> Any:
        """The field, or None."""
        return self.fields.pop(name, None)

    def named(
        self, name: str, key: str, convert: Callable[[Any], Any] = lambda value: value
    ) -> dict[str, Any]:
        """The field under a config's key; empty if it is not there."""
        value = self.take(name)
        return {} if value is None else {key: convert(value)}

    def message(self, name: str) -> "Message":
        """The message in a field, empty if it is not there."""
        value = self.take(name)
        return Message({} if value is None else value, f"{self.path}{name}.", self.faults)

    def messages(self, name: str) -> "list[Message]":
        """The messages in a list."""
        written = self.take(name)
        items = written if isinstance(written, list) else [] if written is None else [written]
        return [
            Message(item, f"{self.path}{name}.{number}.", self.faults)
            for number, item in enumerate(items)
        ]

    def close(self) -> None:
        """Every field that nobody took is a fault."""
        for name, value in self.fields.items():
            rule = "is nothing that a config can say"
            remedy = "remove it, or correct the key; gcloud's keys are in camelCase"
            self.faults.append(Fault(f"{self.path}{name}", value, rule, remedy))
        self.fields = {}


def snake(name: str) -> str:
    """``machine_type`` for ``machineType``."""
    return _CAPITAL.sub("_", name).lower()


def snakes(node: Any) -> Any:
    """The same for every key within a value."""
    if isinstance(node, Mapping):
        return {snake(str(key)): snakes(value) for key, value in node.items()}
    return [snakes(item) for item in node] if isinstance(node, list) else node


def seconds(value: Any) -> Any:
    """60 for ``60s``; anything else as it is, for the field to judge."""
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) if match else value


def whole(value: Any) -> Any:
    """A 64-bit integer, which the API writes as text."""
    return int(value) if isinstance(value, str) and value.lstrip("-").isdecimal() else value


def lower(value: Any) -> Any:
    """A text in lower case."""
    return value.lower() if isinstance(value, str) else value


def word(value: Any, ending: str) -> Any:
    """An enum's name without its ending, in lower case."""
    return value.removesuffix(ending).lower() if isinstance(value, str) else value


def pair(message: Message, name: str, value: str, convert: Callable[[Any], Any]) -> tuple[str, Any]:
    """A message that is an entry of a mapping."""
    pair = (str(message.take(name)), convert(message.take(value)))
    message.close()
    return pair
