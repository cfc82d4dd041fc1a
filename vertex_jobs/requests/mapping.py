"""Tables by which the keys of a config and the fields of a message become each other.

For the modules of ``requests``, which have one table per message of the API. A table is used both
ways: to build a request, and to read a job or gcloud's YAML. This module knows the API's form of
JSON, in which fields at their default are left out, and no message. A key that starts with an
underscore is none of a config's: the functions beside a table put it there.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from vertex_jobs.errors import Fault
from vertex_jobs.requests.codecs import AS_IS, Codec, snake_case


class Message:
    """A message whose fields are taken out; each that stays at the end is a fault."""

    def __init__(self, fields: Any, path: str, faults: list[Fault]) -> None:
        """Begin with all fields, as written; anything but a mapping is a fault.

        The path has a dot at its end; what is wrong is added to ``faults``.
        """
        self.path = path
        self.faults = faults
        self.fields = dict(fields) if isinstance(fields, Mapping) else {}
        if not isinstance(fields, Mapping):
            rule = "must be a mapping of keys to values"
            faults.append(Fault(path.rstrip("."), fields, rule, "write it as key: value"))

    def take(self, name: str) -> Any:
        """Remove the field and return its value, None without one."""
        return self.fields.pop(name, None)

    def message(self, name: str) -> "Message":
        """Take the message in a field, an empty one if it is not there."""
        value = self.take(name)
        return Message({} if value is None else value, f"{self.path}{name}.", self.faults)

    def messages(self, name: str) -> "list[Message]":
        """Take the messages in a list."""
        written = self.take(name)
        items = written if isinstance(written, list) else [] if written is None else [written]
        return [
            Message(item, f"{self.path}{name}.{number}.", self.faults)
            for number, item in enumerate(items)
        ]

    def close(self) -> None:
        """Report every field that nobody took."""
        for name, value in self.fields.items():
            rule = "is nothing that a config can say"
            remedy = "remove it, or correct the key; gcloud's keys are in camelCase"
            self.faults.append(Fault(f"{self.path}{name}", value, rule, remedy))
        self.fields = {}


class Row(NamedTuple):
    """One field of one message, for who asks what there is.

    Attributes:
        path: Message and field by the proto's names, e.g. ``Scheduling.timeout``.
        name: In the API's JSON.
        key: Dotted path of the config's key that says it; empty for none.
    """

    path: str
    name: str
    key: str
    codec: Codec


@dataclass(frozen=True)
class Entry:
    """One line of a table, or several that belong together.

    Attributes:
        encode: From keys to the fields that say them; none for what is at its default.
        decode: Takes the fields out of a message and returns the keys that say them.
        fields: JSON name, key and codec of each field.
        tables: Of the messages in it, each with the start of its keys' paths.
    """

    encode: Callable[[Mapping[str, Any]], dict[str, Any]]
    decode: Callable[[Message], dict[str, Any]]
    fields: tuple[tuple[str, str, Codec], ...]
    tables: tuple[tuple["MessageTable", str], ...] = ()


class MessageTable:
    """The fields of one message in the order in which they are written.

    It has the proto's name, e.g. ``StudySpec.MetricSpec``.
    """

    def __init__(self, name: str, *entries: Entry) -> None:
        self.name = name
        self.entries = entries

    def encode(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the message that says these keys."""
        message: dict[str, Any] = {}
        for entry in self.entries:
            message |= entry.encode(values)
        return message

    def decode(self, message: Message) -> dict[str, Any]:
        """Return the keys that a message says; what they cannot say is a fault."""
        keys: dict[str, Any] = {}
        for entry in self.entries:
            keys |= entry.decode(message)
        message.close()
        return keys

    def rows(self, prefix: str = "") -> Iterator[Row]:
        """Return every field of the message and of those in it."""
        for entry in self.entries:
            for name, key, codec in entry.fields:
                said = "" if not key or key.startswith("_") else f"{prefix}{key}"
                yield Row(f"{self.name}.{snake_case(name)}", name, said, codec)
            for table, below in entry.tables:
                yield from table.rows(f"{prefix}{below}")


def field(name: str, key: str, codec: Codec = AS_IS, absent: Any = None) -> Entry:
    """Return the entry of a field, named as in the API's JSON, that is one key of a config.

    ``absent`` is what a message without the field means; None for the key's own default.
    """

    def encode(values: Mapping[str, Any]) -> dict[str, Any]:
        value = values.get(key)
        encoded = None if value is None else codec.encode(value)
        return {name: encoded} if encoded else {}

    def decode(message: Message) -> dict[str, Any]:
        value = message.take(name)
        found = absent if value is None else codec.decode(value)
        return {} if found is None else {key: found}

    return Entry(encode, decode, ((name, key, codec),))


def inner(name: str, table: MessageTable, key: str = "") -> Entry:
    """Return the entry of a field that is a message; an empty one is left out.

    The config has the message's keys under ``key``, or beside it if that is empty.
    """

    def encode(values: Mapping[str, Any]) -> dict[str, Any]:
        encoded = table.encode(dict(values[key] or {}) if key else values)
        return {name: encoded} if encoded else {}

    def decode(message: Message) -> dict[str, Any]:
        is_there = message.fields.get(name) is not None
        keys = table.decode(message.message(name))
        if not key:
            return keys
        return {key: keys} if is_there else {}

    return Entry(encode, decode, ((name, key, AS_IS),), ((table, f"{key}." if key else ""),))


def choice(*members: tuple[str, Entry]) -> Entry:
    """Return the entry of fields of which a job has one at most.

    A member is the key that calls for a field, empty for the one that is left, and its entry.
    """

    def encode(values: Mapping[str, Any]) -> dict[str, Any]:
        meant = (entry for key, entry in members if not key or values.get(key))
        return next((entry.encode(values) for entry in meant), {})

    def decode(message: Message) -> dict[str, Any]:
        keys: dict[str, Any] = {}
        for _, entry in members:
            keys |= entry.decode(message)
        return keys

    fields = tuple(one for _, entry in members for one in entry.fields)
    return Entry(encode, decode, fields, tuple(one for _, entry in members for one in entry.tables))


def tagged(members: Mapping[str, tuple[str, MessageTable]], key: str = "") -> Entry:
    """Return the entry of messages of which one is there, even if empty.

    ``members`` leads from what ``type`` says in a config to the field's JSON name and its table;
    ``key`` is as for ``inner``, and the type stands beside the message's keys.
    """

    def encode(values: Mapping[str, Any]) -> dict[str, Any]:
        said = dict(values[key] or {}) if key else values
        if not said:
            return {}
        name, table = members[said["type"]]
        return {name: table.encode(said)}

    def decode(message: Message) -> dict[str, Any]:
        for type_name, (name, table) in members.items():
            if name in message.fields:
                said = {"type": type_name, **table.decode(message.message(name))}
                return {key: said} if key else said
        return {}

    fields = tuple((name, key or "type", AS_IS) for name, _ in members.values())
    prefix = f"{key}." if key else ""
    return Entry(encode, decode, fields, tuple((table, prefix) for _, table in members.values()))


def special(
    name: str,
    key: str,
    write: Callable[[Any], list[Any]],
    read: Callable[[list[Message]], dict[str, Any]],
    tables: Mapping[MessageTable, str],
) -> Entry:
    """Return the entry of a list of messages whose two directions are functions of their own.

    ``write`` makes the list of the key's value, ``read`` the keys of the messages; ``tables`` are
    those of the messages, each with the start of its keys' paths.
    """

    def encode(values: Mapping[str, Any]) -> dict[str, Any]:
        written = write(values[key])
        return {name: written} if written else {}

    def decode(message: Message) -> dict[str, Any]:
        return read(message.messages(name))

    return Entry(encode, decode, ((name, key, AS_IS),), tuple(tables.items()))


def pairs(name: str, key: str, table: MessageTable, absent: Any = None) -> Entry:
    """Return the entry of a list of messages that is a mapping in a config.

    The table of one message has the keys ``_name`` and ``_value``; ``absent`` is as for ``field``,
    of an empty list.
    """

    def write(mapping: Mapping[str, Any]) -> list[Any]:
        return [table.encode({"_name": one, "_value": mapping[one]}) for one in mapping]

    def read(messages: list[Message]) -> dict[str, Any]:
        entries = [table.decode(message) for message in messages]
        found = {str(entry.get("_name")): entry.get("_value") for entry in entries} or absent
        return {} if found is None else {key: found}

    return special(name, key, write, read, {table: ""})
