"""The REST front: an ASGI application that turns HTTP requests into calls of the method table.

Paths, query parameters and bodies are transcoded as the API's annotations say; answers are JSON,
enums as names or, when the client asks as the generated clients do, as integers.
Source: google.api.HttpRule; AIP-127.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from google.protobuf import json_format

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.asgi import Receive, Scope, Send, headers_of, read_body, send_json
from vertex_jobs.emulator.faults.injection import ConnectionDroppedError, end_connection
from vertex_jobs.emulator.fronts.calls import HoldPolicy, call_of
from vertex_jobs.emulator.resources.study_rules import is_finished
from vertex_jobs.emulator.services.methods import Method
from vertex_jobs.emulator.services.versions import retyped_json
from vertex_jobs.emulator.status import ApiError

#: Source: "System parameters" of Google Cloud APIs.
_SYSTEM_PARAMETERS = frozenset(
    ("access_token", "alt", "callback", "key", "oauth_token", "prettyPrint", "quotaUser")
)
_VERSIONED = re.compile(r"/(ui|v\d\w*)/(.*)", re.DOTALL)
#: The version in paths for operations, locations and policies of generated REST clients.
_OTHER_NAMES = {"ui": "v1"}
#: Beside each answer, an error too. Source: GoogleCloudPlatform/k8s-config-connector, _http.log of
#: vertexaicustomjob and vertexaiendpoint.
_HEADERS = (
    ("Server", "ESF"),
    ("Vary", "Origin"),
    ("Vary", "X-Origin"),
    ("Vary", "Referer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "SAMEORIGIN"),
    ("X-XSS-Protection", "0"),
)
#: Finished trials whose JSON is kept, a kilobyte each: several studies of 2,000 trials.
_MOST_TRIALS = 10_000


class RestFront:
    """The API's methods over REST."""

    def __init__(self, methods: Sequence[Method], hold: HoldPolicy) -> None:
        self._methods = [(method, rule) for method in methods for rule in method.rules]
        self._hold = hold
        self._forms = JsonForms()

    def find(self, verb: str, path: str) -> tuple[Method, str, str, dict[str, str]] | None:
        """Return the method of a request, its version, the body's field and the path's fields."""
        parts = _VERSIONED.fullmatch(path)
        if parts is None:
            return None
        version, rest = _OTHER_NAMES.get(parts[1], parts[1]), parts[2]
        for method, rule in self._methods:
            fields = rule.match(verb, rest) if version in method.versions else None
            if fields is not None:
                return method, version, rule.body, fields
        return None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request whose path belongs to this API."""
        pairs = parse_qsl(scope["query_string"].decode(), keep_blank_values=True)
        query = dict(pairs)
        integers = "enum-encoding=int" in (query.get("$alt") or query.get("alt", ""))
        try:
            path = scope["raw_path"].decode("latin-1").partition("?")[0]
            found = self.find(scope["method"], path)
            if found is None:
                raise ApiError(
                    "UNIMPLEMENTED",
                    f"{scope['method']} {path} is not emulated by Local Vertex.",
                )
            method, version, body_field, path_fields = found
            body = await read_body(receive)
            fields = _with_lists(_fields(query), pairs, method.request)
            request = _request(method, body_field, path_fields, fields, body)
            call = call_of(headers_of(scope), self._hold)
            answer = await method.handler(request, call)
        except ApiError as error:
            await send_json(send, error.http_status, error.to_json(), _HEADERS)
            return
        except ConnectionDroppedError as error:
            await end_connection(scope, receive, error)
            return
        form = self._forms.form(answer, integers)
        await send_json(send, 200, retyped_json(form, version), _HEADERS)


def _fields(query: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters that are fields of the request, without those of the transport.

    Raises:
        ApiError: UNIMPLEMENTED, if a part of the answer is asked for.
    """
    if "fields" in query or "$fields" in query:
        raise ApiError(
            "UNIMPLEMENTED",
            "fields: Local Vertex gives whole answers; lists take a readMask, or leave it out.",
        )
    return {
        key: value
        for key, value in query.items()
        if key not in _SYSTEM_PARAMETERS and not key.startswith("$")
    }


def _request(
    method: Method,
    body_field: str,
    path_fields: dict[str, str],
    query: dict[str, str | list[str]],
    body: bytes,
) -> protos.Message:
    request = method.request()
    try:
        if body_field and body.strip():
            form = json.loads(body)
            target = request if body_field == "*" else getattr(request, body_field)
            protos.from_json(form, target)
            if body_field != "*":
                target.SetInParent()
        protos.from_json(_nested({**query, **path_fields}), request)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ApiError("INVALID_ARGUMENT", f"Invalid JSON payload received. {error}") from error
    except json_format.ParseError as error:
        raise ApiError("INVALID_ARGUMENT", f"Invalid JSON payload received. {error}") from error
    return request


def _with_lists(
    fields: Mapping[str, str], pairs: Sequence[tuple[str, str]], request_class: protos.Message
) -> dict[str, str | list[str]]:
    """Return the fields; repeated ones with all of their values."""
    repeated = {
        name
        for field in request_class.DESCRIPTOR.fields
        if field.is_repeated
        for name in (field.name, field.json_name)
    }
    return {
        name: [one for key, one in pairs if key == name] if name in repeated else value
        for name, value in fields.items()
    }


def _nested(fields: Mapping[str, str | list[str]]) -> dict[str, Any]:
    """Return fields such as ``model.name`` as the JSON that they mean."""
    form: dict[str, Any] = {}
    for path, value in fields.items():
        *parents, last = path.split(".")
        target = form
        for parent in parents:
            target = target.setdefault(parent, {})
        target[last] = value
    return form


class JsonForms:
    """Turns answers into JSON and keeps that of finished trials.

    A watched study is asked for at every change, and each answer holds all of its trials: without
    this the work would grow with the square of their number.
    """

    def __init__(self) -> None:
        self._trials: dict[tuple[str, str, bool], dict[str, Any]] = {}

    def form(self, answer: protos.Message, integers_for_enums: bool) -> dict[str, Any]:
        """Return the answer's JSON form, which the caller must not change."""
        if not isinstance(answer, protos.HyperparameterTuningJob) or not answer.trials:
            return protos.to_json(answer, integers_for_enums=integers_for_enums)
        bare = protos.HyperparameterTuningJob()
        bare.CopyFrom(answer)
        bare.ClearField("trials")
        form = protos.to_json(bare, integers_for_enums=integers_for_enums)
        form["trials"] = [
            self._trial(answer.name, trial, integers_for_enums) for trial in answer.trials
        ]
        return form

    def _trial(self, job: str, trial: protos.Message, integers_for_enums: bool) -> dict[str, Any]:
        key = (job, trial.id, integers_for_enums)
        known = self._trials.get(key)
        if known is not None:
            return known
        form = protos.to_json(trial, integers_for_enums=integers_for_enums)
        if is_finished(trial):
            if len(self._trials) >= _MOST_TRIALS:
                self._trials.pop(next(iter(self._trials)))
            self._trials[key] = form
        return form
