"""The table of RPCs: one row serves the REST front and the gRPC front.

A row names the service and the method, the request and response classes, the REST bindings as the
API's own annotations write them, and the function that answers.
Source: the REST transports generated with google-cloud-aiplatform; google.api.HttpRule.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.job_settings import JobSettings

#: Stands for the dot of a nested field in the name of a pattern's group.
_DOT = "__"


@dataclass(frozen=True)
class Call:
    """The part of a request beside its message.

    Attributes:
        hold_seconds: How long a read may be held until something changes; 0 answers at once.
        seen: The update time that the caller knows; the answer is held until it changes. Empty:
            until the job has ended.
        options: Settings that Vertex AI does not have, from ``OPTIONS_HEADER``.
    """

    hold_seconds: float = 0.0
    seen: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def settings(self) -> JobSettings:
        """The options, read; raises ApiError for what is wrong in them."""
        return JobSettings.read(self.options)


@dataclass(frozen=True)
class HttpRule:
    """One REST binding: verb, path below the version, and the field that the body fills."""

    verb: str
    pattern: "re.Pattern[str]"
    body: str = ""

    def match(self, verb: str, path: str) -> dict[str, str] | None:
        """Return the fields that the path sets, or None if the rule does not match."""
        found = self.pattern.fullmatch(path) if verb == self.verb else None
        if found is None:
            return None
        groups = found.groupdict().items()
        return {key.replace(_DOT, "."): unquote(value) for key, value in groups}


#: Versions of this API; v1beta1 is served with the messages of v1, whose fields have its numbers.
API_VERSIONS = ("v1", "v1beta1")

Handler = Callable[[protos.Message, Call], Awaitable[protos.Message]]


@dataclass(frozen=True)
class Method:
    """One RPC.

    Attributes:
        service: Full name, or the last part of one of this API's services.
        rules: REST bindings, without the version.
        versions: Served over REST below these, over gRPC as services of these.
    """

    service: str
    name: str
    request: protos.Message
    response: protos.Message
    rules: tuple[HttpRule, ...]
    handler: Handler
    versions: tuple[str, ...] = API_VERSIONS


def methods_of(
    service: str,
    rows: Iterable[tuple[str, protos.Message, HttpRule | tuple[HttpRule, ...], Handler]],
    message: Callable[[str], protos.Message] = protos.message_class,
) -> list[Method]:
    """Return the methods of one service, from name, response, bindings and handler of each.

    The request's class goes by the method's name; ``message`` finds the class of a message.
    """
    return [
        Method(
            service,
            name,
            message(f"{name}Request"),
            response,
            rules if isinstance(rules, tuple) else (rules,),
            handler,
        )
        for name, response, rules, handler in rows
    ]


def rule(verb: str, template: str, body: str = "") -> HttpRule:
    """Return the binding of a template such as ``{name=projects/*/locations/*/models/*}``."""

    def group(match: "re.Match[str]") -> str:
        segments = match["segments"].replace("*", "[^/:]+")
        return f"(?P<{match['name'].replace('.', _DOT)}>{segments})"

    pattern = re.sub(r"\{(?P<name>[\w.]+)=(?P<segments>[^}]+)\}", group, template)
    return HttpRule(verb, re.compile(pattern), body)
