"""The forms of texts that the service checks: labels, and names of resources that a job refers to.

For the rules of the spec and for Local Vertex, each of which has its own words for a text that does
not fit.

Source: CustomJob, CustomJobSpec; public error texts of the service, "There can be no more than 64
labels attached to a single resource. …" and "persistent_resource_id can only contain …".
"""

import re

_NETWORK = re.compile(r"projects/\d+/global/networks/[^/]+")
_PERSISTENT_RESOURCE = re.compile(r"[a-z]([a-z0-9-]*[a-z0-9])?")


def fits_label(text: str) -> bool:
    """Return whether a label's key or value has lower case letters, digits, _ and - only."""
    return all(
        letter in "_-" or letter.isdigit() or (letter.isalpha() and letter == letter.lower())
        for letter in text
    )


def starts_label_key(text: str) -> bool:
    """Return whether a label's key starts as it must, with a letter or digit."""
    return text[:1].isalnum()


def is_network_name(text: str) -> bool:
    """Return whether a text names a network, with the number of its project."""
    return _NETWORK.fullmatch(text) is not None


def is_persistent_resource_id(text: str) -> bool:
    """Return whether a text may be the id of a persistent resource."""
    return _PERSISTENT_RESOURCE.fullmatch(text) is not None
