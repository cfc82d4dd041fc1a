"""The Google API that a host name means.

The environment-only mode catches every Google host; only these APIs are answered, the others are
refused by name. Sources: "Vertex AI locations", "Cloud Storage request endpoints", "Regional
endpoints", "mTLS endpoints" of Google Cloud.
"""

import re

_DOMAIN = ".googleapis.com"
#: What may follow an API's name: mutual TLS, or the location of a regional endpoint.
_VARIANT = r"(?:\.mtls|\.[a-z0-9-]+\.rep)?"
_APIS = {
    "aiplatform": re.compile(rf"(?:[a-z0-9-]+-)?aiplatform{_VARIANT}"),
    "storage": re.compile(rf"(?:[a-z0-9._-]+\.)?storage{_VARIANT}"),
    **{
        name: re.compile(f"{name}{_VARIANT}")
        for name in (
            "accounts",
            "cloudresourcemanager",
            "iam",
            "iamcredentials",
            "logging",
            "oauth2",
            "www",
        )
    },
}


def is_google_host(host: str) -> bool:
    """Return whether the fronts answer for this host instead of the network."""
    host = host.lower()
    return host.endswith(_DOMAIN) or host in ("googleapis.com", "metadata.google.internal")


def api_of(host: str) -> str:
    """Return the API of a Google host, e.g. ``aiplatform``; empty if it is not emulated.

    A host of Cloud Storage may carry a bucket, one of Vertex AI a location.
    """
    name = host.lower()
    if not name.endswith(_DOMAIN):
        return ""
    name = name.removesuffix(_DOMAIN)
    return next((api for api, pattern in _APIS.items() if pattern.fullmatch(name)), "")
