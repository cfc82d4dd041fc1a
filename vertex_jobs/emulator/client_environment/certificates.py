"""The throw-away certificate authority and credentials of one state directory.

Unmodified Google clients insist on TLS and on a key; both are made here, live in the state
directory, readable by their owner alone, and are never installed anywhere.
"""

import json
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vertex_jobs import catalog

#: Source: "Vertex AI locations" (multi-regional endpoints).
_MULTI_REGIONS = ("us", "eu")
#: Roots that a user had to name, such as those of a company's proxy.
_ROOT_VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@dataclass(frozen=True)
class Certificates:
    """Paths of the PEM files in one folder.

    Attributes:
        authority: Our own root alone.
        bundle: The system's roots and ours, so that other hosts keep working.
        key: The leaf's private key.
        chain: The leaf's certificate and its issuer.
        credentials: A service-account file for application default credentials.
    """

    authority: Path
    bundle: Path
    key: Path
    chain: Path
    credentials: Path

    @property
    def curl_home(self) -> Path:
        """The folder of a ``.curlrc`` that has the command ``curl`` trust the bundle."""
        return self.bundle.parent

    @classmethod
    def load_or_make(cls, folder: Path, project: str) -> "Certificates":
        """Return the folder's certificates, which the first call makes."""
        files = cls(
            folder / "authority.pem",
            folder / "bundle.pem",
            folder / "leaf-key.pem",
            folder / "leaf-chain.pem",
            folder / "credentials.json",
        )
        if not files.credentials.exists():
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            files._make(project)
        return files

    def _make(self, project: str) -> None:
        import trustme

        authority = trustme.CA(organization_name="Local Vertex throw-away authority")
        leaf = authority.issue_cert(*_host_names())
        root = authority.cert_pem.bytes()
        _write(self.authority, root)
        _write(self.bundle, _system_roots(os.environ) + b"\n" + root)
        _write(self.key, leaf.private_key_pem.bytes())
        _write(self.chain, b"".join(blob.bytes() for blob in leaf.cert_chain_pems) + root)
        _write(self.curl_home / ".curlrc", _curl_settings(self.bundle))
        _write(self.credentials, _service_account(project))

    def server_context(self) -> ssl.SSLContext:
        """Return the TLS context of the HTTPS side."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.chain, self.key)
        context.set_alpn_protocols(["http/1.1"])
        context.num_tickets = 0  # of these clients none resumes a session
        return context


def _host_names() -> list[str]:
    """Return every host name that a Google client may ask for; a star means any one label.

    So the hosts of each location need a name of their own.
    """
    locations = (*_MULTI_REGIONS, *catalog.load().regions)
    return [
        "googleapis.com",
        "*.googleapis.com",
        "*.storage.googleapis.com",
        "*.mtls.googleapis.com",
        *(f"*.{location}.rep.googleapis.com" for location in locations),
        "localhost",
        "127.0.0.1",
    ]


def _write(path: Path, data: bytes) -> None:
    """Write a file that only its owner reads, aside and then renamed."""
    aside = path.with_name(f"{path.name}.new")
    aside.touch(mode=0o600)
    aside.write_bytes(data)
    aside.rename(path)


def _system_roots(environ: Mapping[str, str]) -> bytes:
    """Return the roots that this machine trusts, else certifi's, and the user's own."""
    default = ssl.get_default_verify_paths().cafile
    if default is None or not Path(default).exists():
        import certifi

        default = certifi.where()
    named = [environ[name] for name in _ROOT_VARIABLES if environ.get(name)]
    paths = dict.fromkeys([default, *(name for name in named if Path(name).is_file())])
    return b"\n".join(Path(path).read_bytes() for path in paths)


def _curl_settings(bundle: Path) -> bytes:
    """Return the user's own settings of ``curl``, in which a bundle outranks variables."""
    own = Path.home() / ".curlrc"
    text = own.read_text() if own.is_file() else ""
    return f'{text}\ncacert = "{bundle}"\n'.encode()


def _service_account(project: str) -> bytes:
    """Return a service-account key that no service knows; the fronts answer its token endpoint."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    form = {
        "type": "service_account",
        "project_id": project,
        "private_key_id": "local-vertex",
        "private_key": pem.decode(),
        "client_email": f"local-vertex@{project}.iam.gserviceaccount.com",
        "client_id": "0",
        "token_uri": "https://oauth2.googleapis.com/token",
    }
    return json.dumps(form, indent=2).encode()
