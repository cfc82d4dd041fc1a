"""Exchanges with the service: recorded on the way, sanitised, and replayed without a server.

An adapter of ``requests``, below the generated clients and google-cloud-storage. It writes the form
of ``records``, which ``replay`` sends to Local Vertex. Of headers only the type of an answer is
recorded, so no token is; project ids and numbers, buckets, e-mail addresses and what looks like a
token are replaced in paths and bodies.
"""

import io
import json
import re
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
import urllib3
from budget import Budget, UnpricedJobError
from job_forms import PROGRAM
from requests.adapters import HTTPAdapter

PROJECT, NUMBER, BUCKET = "sanitised-project", "123456789012", "sanitised-bucket"
#: The key, and the last element, that say that there is more.
MORE = "..."
_NUMBERS = re.compile(r"projects(?:/|%2F)(\d{5,})", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_TOKEN = re.compile(r"ya29\.[\w.-]+|eyJ[\w-]+\.[\w-]+\.[\w-]+")


class ReplayError(Exception):
    """A request that was not recorded."""


def new_marker() -> str:
    """A word for labels and paths that no earlier run has used."""
    return f"m{time.time_ns()}"


def sanitise(text: str, project: str, bucket: str) -> str:
    """The text without what belongs to a person or a project.

    The number of a project is known by its names; it is then replaced wherever it stands.
    """
    for number in set(_NUMBERS.findall(text)):
        text = text.replace(number, NUMBER)
    text = re.sub(rf"(?<![\w-]){re.escape(bucket)}(?![\w-])", BUCKET, text)
    text = re.sub(rf"(?<![\w-]){re.escape(project)}(?![\w-])", PROJECT, text)
    return _TOKEN.sub("a-token", _EMAIL.sub("someone@example.com", text))


def _body(content: bytes) -> Any:
    """Content as JSON, else as text; what is none, such as an archive, by its size alone."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return f"({len(content)} bytes)"
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text or None


class Recorder(HTTPAdapter):
    """Sends requests and keeps what was said."""

    def __init__(self, project: str, bucket: str, budget: Budget) -> None:
        super().__init__()
        self._project = project
        self._bucket = bucket
        self._budget = budget
        self.marker = new_marker()
        self.complete = True
        self.exchanges: list[dict[str, Any]] = []

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> Any:
        """Pay, send, and note request and answer."""
        parts = urlsplit(request.url or "")
        sent = request.body or b""
        body = sent.encode() if isinstance(sent, str) else sent
        assert isinstance(body, bytes), "streams are not recorded"
        try:
            price = self._budget.pay(request.method or "", parts.path, body)
        except UnpricedJobError as error:
            self.complete = False
            pytest.skip(f"not for a project that pays: {error}")
        response = super().send(request, *args, **kwargs)
        if response.status_code >= 400:
            self._budget.refund(price)
        said = {"method": request.method, "host": parts.hostname, "path": parts.path}
        said |= {"query": parts.query, "body": _body(body)}
        heads = {"content-type": response.headers.get("content-type", ""), MORE: True}
        answer = {"status": response.status_code, "headers": heads}
        answer |= {"body": _body(response.content)}
        self.exchanges.append({"request": said, "answer": answer})
        return response

    def write(self, path: Path) -> None:
        """Write what was said to a file, sanitised; nothing for a test that was skipped."""
        if not self.complete:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        form = {
            "title": path.stem,
            "source": "the live service, recorded by the contract suite",
            "date": time.strftime("%Y-%m-%d", time.gmtime()),
            "known": "recorded",
            "extent": "complete",
            "normalised": "project, bucket, e-mail addresses, tokens; headers but for the type",
            "marker": self.marker,
            "program": PROGRAM,
            "exchanges": self.exchanges,
        }
        text = json.dumps(form, indent=1, ensure_ascii=False) + "\n"
        path.write_text(sanitise(text, self._project, self._bucket), encoding="utf-8")


class Replayer(HTTPAdapter):
    """Answers requests as a file says.

    The answers of one method and path come in the order in which they were recorded; the last one
    is given again, so that it does not matter how often a client polls.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        form = json.loads(path.read_text(encoding="utf-8"))
        self.marker: str = form["marker"]
        self._answers: defaultdict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
        for exchange in form["exchanges"]:
            request = exchange["request"]
            self._answers[request["method"], request["path"]].append(exchange["answer"])

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> Any:
        """The recorded answer.

        Raises:
            ReplayError: If there is none.
        """
        key = (request.method or "", urlsplit(request.url or "").path)
        answers = self._answers.get(key)
        if not answers:
            raise ReplayError(f"{key[0]} {key[1]} was not recorded")
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        body, kind = answer["body"], answer["headers"]["content-type"]
        text = body if isinstance(body, str) else json.dumps(body) if body is not None else ""
        raw = urllib3.HTTPResponse(
            body=io.BytesIO(text.encode()),
            status=answer["status"],
            headers={"content-type": kind},
            preload_content=False,
        )
        return self.build_response(request, raw)
