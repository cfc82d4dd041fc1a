"""The environment variables that point every Google client on this machine at Local Vertex.

One table for the replicas, for ``emulate -- COMMAND`` and for ``--print-env``. A program that runs
under them needs no change: gRPC, REST, hard-coded Google hosts, google-cloud-storage, gcsfs and
TensorFlow's ``gs://`` file system all arrive at the listener.
"""

import os
from collections.abc import Mapping

from vertex_jobs.emulator.client_environment.certificates import Certificates

#: Variables that a replica inherits from the server's starter; it inherits no others.
_INHERITED = (
    "HOME",
    "LANG",
    "LD_LIBRARY_PATH",
    "LOGNAME",
    "PATH",
    "PYTHONDONTWRITEBYTECODE",
    "SHELL",
    "TMPDIR",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
)
_LOOPBACK = "127.0.0.1,localhost"


def google_variables(port: int, certificates: Certificates, project: str) -> dict[str, str]:
    """Return the variables for one running server; the project is for programs that name none."""
    proxy, bundle = f"http://127.0.0.1:{port}", str(certificates.bundle)
    return {
        "https_proxy": proxy,
        "HTTPS_PROXY": proxy,
        # Replicas talk to each other over gRPC; through the proxy they would hang at start-up.
        "no_proxy": _LOOPBACK,
        "NO_PROXY": _LOOPBACK,
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": bundle,
        "REQUESTS_CA_BUNDLE": bundle,
        # TensorFlow connects anew for each request and reads all of this file each time: with the
        # system's roots in it that takes 7 ms of processor time. The command curl gets its own.
        "CURL_CA_BUNDLE": str(certificates.authority),
        "CURL_HOME": str(certificates.curl_home),
        "SSL_CERT_FILE": bundle,
        "GOOGLE_APPLICATION_CREDENTIALS": str(certificates.credentials),
        "GOOGLE_CLOUD_PROJECT": project,
        "STORAGE_EMULATOR_HOST": proxy,
        # TensorFlow: no token request. google-auth and TensorFlow: no metadata server.
        "GOOGLE_AUTH_TOKEN_FOR_TESTING": "local-vertex",
        "NO_GCE_CHECK": "true",
        # gcsfs would ask the bucket's type over TLS at the emulator's port and stall for a minute.
        "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false",
        # The commands gcloud and gsutil read none of the above but the proxy.
        "CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE": str(certificates.credentials),
        "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE": bundle,
        "CLOUDSDK_CORE_PROJECT": project,
        "CLOUDSDK_CORE_CHECK_GCE_METADATA": "false",
    }


def plain_variables(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return what a replica has of its starter's environment: paths and language, no settings."""
    environ = os.environ if environ is None else environ
    kept = {key: environ[key] for key in _INHERITED if key in environ}
    kept |= {key: value for key, value in environ.items() if key.startswith("LC_")}
    # The service's images log unbuffered as well: lines appear as they are printed.
    return kept | {"PYTHONUNBUFFERED": "1"}
