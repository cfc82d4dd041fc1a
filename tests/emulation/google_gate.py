"""Google as a client with credentials meets it: TLS, tokens that are checked, and quota projects.

A CONNECT proxy that answers for ``*.googleapis.com`` with certificates of its own. Tokens are
issued and checked here; a call that carries a good one goes on to Local Vertex.
"""

import http.client
import http.server
import io
import json
import ssl
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import trustme
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import jwt

TOKEN_URI = "https://oauth2.googleapis.com/token"
PROJECT = "local-project"
ROBOT = f"robot@{PROJECT}.iam.gserviceaccount.com"
DEPUTY = f"deputy@{PROJECT}.iam.gserviceaccount.com"
PERSON = "person@example.com"
REFRESH_TOKEN = "refresh"
_HOP_BY_HOP = ("connection", "content-length", "transfer-encoding", "host", "proxy-connection")


@dataclass(frozen=True)
class Seen:
    """One call of an API that came with a good token.

    Attributes:
        host: E.g. ``us-central1-aiplatform.googleapis.com``.
        call: Method and path.
        identity: Whose token it was.
        quota_project: The header ``x-goog-user-project``; None without one.
    """

    host: str
    call: str
    identity: str
    quota_project: str | None


@dataclass
class Gate:
    """The proxy, and what it knows.

    Attributes:
        target_port: Of Local Vertex.
        directory: Its certificate authority and credential files.
        deputies: Who may make tokens for whom.
        seen: Calls of the APIs, oldest first.
        refused: Calls without a good token.
        revoked: Whether the person's sign-in has been taken back.
    """

    target_port: int
    directory: Path
    deputies: dict[str, set[str]] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    revoked: bool = False

    def __post_init__(self) -> None:
        self._authority = trustme.CA()
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._tokens: dict[str, str] = {}
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.authority = self.directory / "authority.pem"
        self._authority.cert_pem.write_to_path(str(self.authority))
        gate = self

        class Handler(_Handler):
            def __init__(self, *arguments: Any) -> None:
                self.gate = gate
                super().__init__(*arguments)

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def service_account_file(self) -> Path:
        key = self._key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return self._write(
            "service_account",
            project_id=PROJECT,
            client_email=ROBOT,
            private_key=key.decode(),
            private_key_id="1",
            token_uri=TOKEN_URI,
        )

    def person_file(self) -> Path:
        return self._write(
            "authorized_user",
            client_id="client",
            client_secret="secret",
            refresh_token=REFRESH_TOKEN,
        )

    def _write(self, kind: str, **fields: str) -> Path:
        path = self.directory / f"{kind}.json"
        path.write_text(json.dumps({"type": kind, **fields}))
        return path

    def context(self, host: str) -> ssl.SSLContext:
        if host not in self._contexts:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._authority.issue_cert(host).configure_cert(context)
            self._contexts[host] = context
        return self._contexts[host]

    def expire_tokens(self) -> None:
        """Every token that was issued is worth nothing any more."""
        self._tokens.clear()

    def issue(self, identity: str) -> str:
        token = f"token-{len(self._tokens)}-{time.monotonic_ns()}"
        self._tokens[token] = identity
        return token

    def identity(self, authorization: str) -> str:
        """Whose token it is; empty for one that is none."""
        token = authorization.removeprefix("Bearer ")
        # A service account may sign its token itself.
        return self._tokens.get(token) or (self._signer(token) if token.count(".") == 2 else "")

    def _signer(self, assertion: str, audience: str | None = None) -> str:
        public = self._key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        try:
            claims = jwt.decode(assertion, certs={"1": public}, audience=audience)
        except ValueError:
            return ""
        return str(claims["iss"])

    def grant(self, form: dict[str, list[str]]) -> tuple[int, dict[str, Any]]:
        """The token endpoint."""
        identity = ""
        if form["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]:
            identity = self._signer(form["assertion"][0], TOKEN_URI)
        elif form["grant_type"] == ["refresh_token"] and not self.revoked:
            secret = (form["client_id"], form["client_secret"], form["refresh_token"])
            identity = PERSON if secret == (["client"], ["secret"], [REFRESH_TOKEN]) else ""
        if not identity:
            text = "Token has been expired or revoked."
            return 400, {"error": "invalid_grant", "error_description": text}
        answer = {"access_token": self.issue(identity), "expires_in": 3600, "token_type": "Bearer"}
        return 200, answer

    def lend(self, identity: str, account: str) -> tuple[int, dict[str, Any]]:
        """``generateAccessToken`` of IAM Credentials."""
        if account not in self.deputies.get(identity, ()):
            text = (
                "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not "
                "exist)."
            )
            return 403, _error(403, "PERMISSION_DENIED", text)
        expiry = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
        return 200, {"accessToken": self.issue(account), "expireTime": expiry}


class _Handler(http.server.BaseHTTPRequestHandler):
    """One connection: a CONNECT, then TLS, then calls."""

    protocol_version = "HTTP/1.1"
    gate: Gate

    def do_CONNECT(self) -> None:
        self.host = self.path.partition(":")[0]
        self.send_response(200)
        self.end_headers()
        try:
            tls = self.gate.context(self.host).wrap_socket(self.request, server_side=True)
        except OSError:  # a client that does not trust us
            self.close_connection = True
            return
        self.connection = tls
        self.rfile, self.wfile = tls.makefile("rb"), tls.makefile("wb")  # type: ignore[assignment]
        self.close_connection = False
        while not self.close_connection:
            self.handle_one_request()
        self.wfile = io.BytesIO()  # the rest of the base class's work finds nothing to flush
        tls.close()

    def do_GET(self) -> None:
        body = self._body()
        path = self.path.partition("?")[0]
        if self.host == "oauth2.googleapis.com" and path == "/token":
            self._answer(*self.gate.grant(parse_qs(body.decode())))
            return
        identity = self.gate.identity(self.headers.get("authorization", ""))
        if not identity:
            self.gate.refused.append(f"{self.command} {path}")
            text = "Request had invalid authentication credentials."
            self._answer(401, _error(401, "UNAUTHENTICATED", text))
        elif path.endswith(":generateAccessToken"):
            account = path.rpartition("/")[2].partition(":")[0]
            self._answer(*self.gate.lend(identity, account))
        elif self.host.startswith("iamcredentials."):
            self._answer(404, _error(404, "NOT_FOUND", "No location is restricted."))
        else:
            quota = self.headers.get("x-goog-user-project")
            self.gate.seen.append(Seen(self.host, f"{self.command} {path}", identity, quota))
            self._forward(body)

    do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 - http.server chooses the names

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def _forward(self, body: bytes) -> None:
        onward = http.client.HTTPConnection("127.0.0.1", self.gate.target_port, timeout=60)
        kept = {name: v for name, v in self.headers.items() if name.lower() not in _HOP_BY_HOP}
        onward.request(self.command, self.path, body, kept)
        answer = onward.getresponse()
        payload = answer.read()
        onward.close()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)
        self.wfile.flush()

    def _answer(self, status: int, form: dict[str, Any]) -> None:
        payload = json.dumps(form).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)
        self.wfile.flush()

    def log_message(self, *arguments: Any) -> None:
        """Keep quiet."""


def _error(code: int, status: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status}}
