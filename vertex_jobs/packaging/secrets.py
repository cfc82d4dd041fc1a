"""Files that must not travel because they hold keys, tokens or passwords.

Everyone who can read the staging bucket can read a package, and it stays there for long. A file is
recognised by its name, else by its content. A password that looks like any other word is not found.

Source: pages of the issuers on the forms of their keys and tokens: Google Cloud "API keys" and
"Service account keys", AWS IAM "Unique identifiers", GitHub "Token types", Hugging Face "User
access tokens", Slack "Token types"; RFC 7468 on private keys as text.
"""

import fnmatch
import re

_TELLING_NAMES = {
    ".env": "environment files hold passwords",
    ".env.*": "environment files hold passwords",
    ".netrc": "it holds passwords",
    ".pypirc": "it holds passwords",
    "*.jks": "it is a key store",
    "*.key": "it is a private key",
    "*.p12": "it is a key store",
    "*.pfx": "it is a key store",
    "id_dsa": "it is a private key",
    "id_ecdsa": "it is a private key",
    "id_ed25519": "it is a private key",
    "id_rsa": "it is a private key",
}
#: Samples of environment files hold no secrets.
_SAMPLES = ("*.example", "*.sample", "*.template")
_TELLING_TEXTS = re.compile(
    rb"(?P<private_key>-----BEGIN [A-Z ]*PRIVATE KEY-----)"
    rb'|(?P<refresh_token>"refresh_token"\s*:\s*"[^"]{20,}")'
    rb"|(?P<Google_API_key>\bAIza[0-9A-Za-z_-]{35}\b)"
    rb"|(?P<Google_access_token>\bya29\.[0-9A-Za-z_-]{20,})"
    rb"|(?P<AWS_access_key>\b(?:AKIA|ASIA)(?!\w{9}EXAMPLE)[0-9A-Z]{16}\b)"
    rb"|(?P<GitHub_token>\b(?:gh[oprsu]_[0-9A-Za-z]{36}|github_pat_\w{60,}))"
    rb"|(?P<Hugging_Face_token>\bhf_[0-9A-Za-z]{34}\b)"
    rb"|(?P<Slack_token>\bxox[abprs]-[0-9A-Za-z-]{10,})"
)
#: Keys and tokens are found in small files and in code; the rest of a larger file is data.
_SEARCHED_BYTES = 1_000_000


def secret_in(name: str, content: bytes) -> str:
    """Return why a file is a secret, with the line that shows it; empty when it is none.

    The name is without folders.
    """
    for pattern, reason in _TELLING_NAMES.items():
        is_sample = any(fnmatch.fnmatchcase(name, sample) for sample in _SAMPLES)
        if fnmatch.fnmatchcase(name, pattern) and not is_sample:
            return reason
    found = _TELLING_TEXTS.search(content, 0, _SEARCHED_BYTES)
    if found is None:
        return ""
    line = content.count(b"\n", 0, found.start()) + 1
    return f"line {line} holds a {str(found.lastgroup).replace('_', ' ')}"
