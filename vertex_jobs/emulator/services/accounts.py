"""Tokens and signatures that Google clients ask for around the API.

No credential is checked: the owner of the connection decides who may call. Everything is
signed with the throw-away service account that the clients were given, so signatures verify.
Sources: OAuth 2.0 token endpoint of Google accounts; IAM Service Account Credentials API, v1.
"""

import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from vertex_jobs.emulator.status import ApiError
from vertex_jobs.timestamps import timestamp

_TOKEN_PATHS = ("/token", "/oauth2/v4/token")
_TOKEN_INFO_PATHS = ("/tokeninfo", "/oauth2/v3/tokeninfo")
_ACCOUNTS = "/v1/projects/-/serviceAccounts/"
#: An hour, as the real endpoints grant.
_LIFETIME_SECONDS = 3600
_ACCESS_TOKEN = "local-vertex"

Form = Mapping[str, Any]


class AccountService:
    """Answers the token and credentials calls."""

    def __init__(self, credentials: Path, clock: Callable[[], float]) -> None:
        """Sign as the service account of the file, by a clock in seconds since 1970."""
        self._account: dict[str, str] = json.loads(credentials.read_text(encoding="utf-8"))
        self._clock = clock

    @staticmethod
    def takes(path: str) -> bool:
        """Return whether this service answers requests to that path."""
        return path in (*_TOKEN_PATHS, *_TOKEN_INFO_PATHS) or path.startswith(_ACCOUNTS)

    def answer(self, verb: str, path: str, body: bytes) -> Form:
        """Return the JSON answer to a request that this service ``takes``.

        Raises:
            ApiError: If the request makes no sense; NOT_FOUND for the list of allowed locations,
                which google-auth accepts.
        """
        if path in _TOKEN_PATHS:
            return self._token(_read(body))
        if path in _TOKEN_INFO_PATHS:
            return {"email": self._account["client_email"], "expires_in": str(_LIFETIME_SECONDS)}
        email, _, action = path.removeprefix(_ACCOUNTS).partition(":")
        calls: dict[str, Callable[[str, Form], Form]] = {
            "generateAccessToken": self._generate_access_token,
            "generateIdToken": self._generate_id_token,
            "signBlob": self._sign_blob,
            "signJwt": self._sign_jwt,
        }
        if verb != "POST" or action not in calls:
            raise ApiError("NOT_FOUND", "Local Vertex restricts no location.")
        return calls[action](email, _read(body))

    def _token(self, form: Form) -> Form:
        """Return an access token, or an identity token if the assertion names an audience."""
        audience = _claims(str(form.get("assertion", ""))).get("target_audience")
        if audience:
            return {"id_token": self._identity_token(self._account["client_email"], str(audience))}
        return {
            "access_token": _ACCESS_TOKEN,
            "expires_in": _LIFETIME_SECONDS,
            "token_type": "Bearer",
        }

    def _generate_access_token(self, email: str, form: Form) -> Form:
        expiry = timestamp(self._clock() + _LIFETIME_SECONDS, "seconds")
        return {"accessToken": _ACCESS_TOKEN, "expireTime": expiry}

    def _generate_id_token(self, email: str, form: Form) -> Form:
        if not form.get("audience"):
            raise ApiError("INVALID_ARGUMENT", "audience: The audience is required.")
        return {"token": self._identity_token(email, str(form["audience"]))}

    def _sign_blob(self, email: str, form: Form) -> Form:
        payload = base64.b64decode(str(form.get("payload", "")))
        signature = self._signer().sign(payload)
        return {
            "keyId": self._account["private_key_id"],
            "signedBlob": base64.b64encode(signature).decode(),
        }

    def _sign_jwt(self, email: str, form: Form) -> Form:
        try:
            claims = json.loads(str(form.get("payload", "")))
        except json.JSONDecodeError as error:
            raise ApiError("INVALID_ARGUMENT", f"payload: {error}") from error
        return {"keyId": self._account["private_key_id"], "signedJwt": self._encoded(claims)}

    def _identity_token(self, email: str, audience: str) -> str:
        now = int(self._clock())
        return self._encoded(
            {
                "iss": "https://accounts.google.com",
                "aud": audience,
                "sub": email,
                "email": email,
                "iat": now,
                "exp": now + _LIFETIME_SECONDS,
            }
        )

    def _encoded(self, claims: Form) -> str:
        from google.auth import jwt

        untyped: Any = jwt
        return str(untyped.encode(self._signer(), dict(claims)).decode())

    def _signer(self) -> Any:
        from google.auth import crypt

        untyped: Any = crypt
        return untyped.RSASigner.from_service_account_info(self._account)


def _read(body: bytes) -> Form:
    """Return a body that is a JSON object or a form."""
    text = body.decode("utf-8", errors="replace")
    if text.lstrip().startswith("{"):
        try:
            form: Form = json.loads(text)
        except json.JSONDecodeError as error:
            raise ApiError("INVALID_ARGUMENT", f"Invalid JSON payload received. {error}") from error
        return form
    return dict(parse_qsl(text))


def _claims(assertion: str) -> Form:
    """Return the unchecked claims of a JWT; empty if the text is none."""
    try:
        _, payload, _ = assertion.split(".")
        claims: Form = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except ValueError:
        return {}
    return claims
