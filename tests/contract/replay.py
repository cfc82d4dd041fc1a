"""Replays recorded exchanges against Local Vertex: ``make replay [RECORDED=folder]``.

Each request is sent as it was recorded, over HTTP to the same host and path, or over gRPC, with the
names that hold here; each answer is compared. It prints a table, and ends with 1 if an answer
differs in a place that its record does not list, or no longer differs in one that it lists.
"""

import dataclasses
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import grpc
import requests
from exchanges import MORE, ReplayError, new_marker
from google.api_core import exceptions
from google.cloud import aiplatform_v1
from google.protobuf import json_format
from job_forms import TERMINAL
from records import FOLDER, Difference, Exchange, Names, Record, read_all

from vertex_jobs import testing
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.packaging.sdist import write_sdist

PATIENCE_SECONDS = 60.0
_POLL_SECONDS = 0.02
_OPTIONS_HEADER = "x-vertex-jobs-options"
_VERTEX_AI = "us-central1-aiplatform.googleapis.com"
#: What every server says anew each time, or by its way of sending.
_OF_THE_WIRE = ("date", "content-length", "transfer-encoding", "connection")


@dataclass(frozen=True)
class Outcome:
    """What the replay of one exchange has shown."""

    record: Record
    exchange: Exchange
    differences: tuple[Difference, ...]

    @property
    def unlisted(self) -> list[Difference]:
        """Differences that the record does not list."""
        return [one for one in self.differences if one.place not in self.exchange.differs]

    @property
    def gone(self) -> list[str]:
        """Places that the record lists, and where nothing differs any more."""
        places = {one.place for one in self.differences}
        return [place for place in self.exchange.differs if place not in places]


class Replay:
    """Sends the requests of one record to Local Vertex."""

    def __init__(self, endpoint: Endpoint, record: Record) -> None:
        place = endpoint.place
        self._record = record
        self._url = f"http://127.0.0.1:{endpoint.server.record.port}"
        self._endpoint = endpoint
        number = _project_number(self._url, place.project)
        known = {"project-id": place.project, "project-number": number}
        known |= {"bucket": place.project + "-replay", "unique": new_marker()}
        self._names = Names(known, record.marker)

    def outcomes(self) -> list[Outcome]:
        """What each answer has shown.

        Raises:
            ReplayError: If a preparation has failed.
        """
        found = []
        for exchange in _without_polls(self._record.exchanges):
            request = self._names.filled(dict(exchange.request))
            self._make_packages(request)
            here = self._answer(request, exchange)
            if exchange.answer is not None:
                differences = self._names.differences({**exchange.answer, MORE: True}, here)
                found.append(Outcome(self._record, exchange, tuple(differences)))
            else:
                wanted = {"body": {**exchange.learns, MORE: True}, MORE: True}
                for difference in self._names.differences(wanted, here):
                    raise ReplayError(f"{self._record.path.name}: {difference}")
        return found

    def _make_packages(self, request: Mapping[str, Any]) -> None:
        """Put a program where a job looks for its own, which nobody has published."""
        uris = set(re.findall(r'"(gs://[^"]+\.tar\.gz)"', json.dumps(request.get("body", ""))))
        if uris:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "trainer-0.1.tar.gz")
                files = {"__init__.py": b"", "task.py": self._record.program.encode()}
                write_sdist(path, name="trainer", version="0.1", contents=files, requirements=[])
                for uri in uris:
                    self._endpoint.outputs().write_bytes(uri, path.read_bytes())

    def _answer(self, request: dict[str, Any], exchange: Exchange) -> dict[str, Any]:
        send = self._over_grpc if "rpc" in request else self._over_http
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            answer = send(request)
            body = answer.get("body")
            at = body if isinstance(body, Mapping) else {}
            reached = all(at.get(key) == value for key, value in exchange.until.items())
            if reached or at.get("state") in TERMINAL or time.monotonic() > deadline:
                return answer
            time.sleep(_POLL_SECONDS)

    def _over_http(self, request: dict[str, Any]) -> dict[str, Any]:
        body = request.get("body")
        headers = {"Host": request.get("host", _VERTEX_AI)}
        if self._record.local:
            headers[_OPTIONS_HEADER] = json.dumps(dict(self._record.local))
        if isinstance(body, (dict, list)):
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        response = requests.request(
            request["method"],
            self._url + request["path"],
            params=parse_qsl(request.get("query", ""), keep_blank_values=True),
            data=body.encode() if body else None,
            headers=headers | request.get("headers", {}),
            timeout=PATIENCE_SECONDS,
        )
        shown = {
            name: value
            for name, value in response.headers.lower_items()
            if name not in _OF_THE_WIRE
        }
        return {"status": response.status_code, "headers": shown, "body": _body(response)}

    def _over_grpc(self, request: dict[str, Any]) -> dict[str, Any]:
        service, _, method = request["rpc"].rpartition("/")
        message = getattr(aiplatform_v1, f"{method}Request")()
        json_format.ParseDict(request["body"], type(message).pb(message))
        call = re.sub(r"(?<!^)(?=[A-Z])", "_", method).lower()
        kind = getattr(aiplatform_v1, f"{service.rpartition('.')[2]}Client")
        with testing.google_clients(self._endpoint) as variables:
            # gRPC keeps the default authority of a process's first channel, another server's.
            authority = Path(variables["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"]).read_bytes()
            channel = grpc.secure_channel(_VERTEX_AI, grpc.ssl_channel_credentials(authority))
            client = kind(transport=kind.get_transport_class("grpc")(channel=channel))
            try:
                answer = getattr(client, call)(request=message, timeout=PATIENCE_SECONDS)
            except exceptions.GoogleAPICallError as error:
                return {"code": error.grpc_status_code.name, "message": error.message}
            finally:
                client.transport.close()
        return {"code": "OK", "body": _form(answer)}


def _without_polls(exchanges: Sequence[Exchange]) -> Iterator[Exchange]:
    """The exchanges, with one read for several of the same: how often one looks is chance."""
    for one, following in zip(exchanges, [*exchanges[1:], None], strict=True):
        if following is not None and one.request == following.request and _is_read(one):
            continue
        body, until = (one.answer or {}).get("body"), one.until
        if _is_read(one) and isinstance(body, Mapping) and not until:
            until = {key: body[key] for key in ("state", "done") if key in body}
        yield dataclasses.replace(one, until=until)


def _is_read(exchange: Exchange) -> bool:
    return bool(exchange.request.get("method") == "GET")


def _form(answer: Any) -> dict[str, Any]:
    """An answer of a generated client in JSON's form: a message, a page or an operation."""
    if answer is None:
        return {}
    page = getattr(answer, "_response", answer)
    message = getattr(page, "operation", None) or type(page).pb(page)
    form: dict[str, Any] = json_format.MessageToDict(message)
    return form


def _body(response: requests.Response) -> Any:
    if not response.content:
        return None
    try:
        return response.json()
    except requests.JSONDecodeError:
        return response.text


def _project_number(url: str, project: str) -> str:
    headers = {"Host": "cloudresourcemanager.googleapis.com"}
    found = requests.get(f"{url}/v3/projects/{project}", headers=headers, timeout=30)
    return str(found.json()["name"]).partition("/")[2]


def replayed(endpoint: Endpoint, record: Record) -> list[Outcome]:
    """What the replay of a record has shown."""
    return Replay(endpoint, record).outcomes()


def _line(outcome: Outcome) -> Iterator[str]:
    request = outcome.exchange.request
    said = request.get("rpc") or f"{request['method']} {request['path']}"
    if outcome.record.not_emulated:
        verdict = "not emulated"
    elif outcome.unlisted or outcome.gone:
        verdict = "DIFFERS" if outcome.unlisted else "LISTED IN VAIN"
    else:
        verdict = "but as listed" if outcome.differences else "equal"
    known = f"{outcome.record.known}, {outcome.record.extent}"
    yield f"{verdict:14}  {known:20}  {said.rpartition('/')[2][:36]:36}  {outcome.record.title}"
    for one in outcome.unlisted:
        yield f"    {one.place}: recorded {one.recorded!r}, here {one.here!r}"
    for place in outcome.gone:
        yield f"    {place}: nothing differs any more"


def main(folder: Path) -> int:
    """Replay every record of a folder."""
    good = True
    with testing.local_vertex() as endpoint:
        for record in read_all(folder):
            for outcome in replayed(endpoint, record):
                print("\n".join(_line(outcome)), flush=True)
                good &= bool(record.not_emulated) or not (outcome.unlisted or outcome.gone)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
