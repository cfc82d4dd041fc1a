"""Which of Google's APIs a host name means.

The environment-only mode catches every Google host; only these APIs are answered, the others are
refused by name. Sources: "Vertex AI locations" (regional and multi-regional endpoints), "Cloud
Storage request endpoints", "Regional endpoints", "mTLS endpoints" of Google Cloud.
"""

import re

__all__ = ["LOCATIONS", "api_of", "is_google_host"]

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
#: Where Vertex AI has endpoints; a certificate must name the hosts of each by itself.
LOCATIONS = (
    *("us", "eu", "africa-south1", "asia-east1", "asia-east2", "asia-northeast1"),
    *("asia-northeast2", "asia-northeast3", "asia-south1", "asia-south2", "asia-southeast1"),
    *("asia-southeast2", "australia-southeast1", "australia-southeast2", "europe-central2"),
    *("europe-north1", "europe-southwest1", "europe-west1", "europe-west2", "europe-west3"),
    *("europe-west4", "europe-west6", "europe-west8", "europe-west9", "europe-west12"),
    *("me-central1", "me-central2", "me-west1", "northamerica-northeast1"),
    *("northamerica-northeast2", "southamerica-east1", "southamerica-west1", "us-central1"),
    *("us-east1", "us-east4", "us-east5", "us-south1", "us-west1", "us-west2", "us-west3"),
    "us-west4",
)


def is_google_host(host: str) -> bool:
    """Whether the fronts answer for this host instead of the network."""
    host = host.lower()
    return host.endswith(_DOMAIN) or host in ("googleapis.com", "metadata.google.internal")


def api_of(host: str) -> str:
    """The API of a Google host that is answered here, e.g. ``aiplatform``; empty for any other.

    A host of Cloud Storage may carry a bucket, one of Vertex AI a location.
    """
    name = host.lower()
    if not name.endswith(_DOMAIN):
        return ""
    name = name.removesuffix(_DOMAIN)
    return next((api for api, pattern in _APIS.items() if pattern.fullmatch(name)), "")
