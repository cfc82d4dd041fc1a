"""Container images by their address alone: nothing is pulled.

For the pools of a spec, the request, preflight and the emulator, which all ask the same questions:
does this image run a package by itself, which prebuilt image is it, can training pull it?

Source: "Prebuilt containers for serverless training": names such as ``tf-gpu.2-17.py310`` give
the framework, its version and Python's.
"""

import re
from dataclasses import dataclass

from vertex_jobs.catalog.rows import Image
from vertex_jobs.catalog.table import load

_NAME = re.compile(
    r"(?P<framework>[a-z-]+)-(?:cpu|gpu|tpu|xla)\.(?P<version>\d+(?:-\d+)*)"
    r"(?:\.(?:py|cp)(?P<python>\d+))?"
)
#: What pip calls the frameworks that images are named after.
_DISTRIBUTIONS = {"tf": "tensorflow", "pytorch": "torch", "sklearn": "scikit-learn"}


@dataclass(frozen=True)
class ImageName:
    """A prebuilt image as its name describes it.

    Attributes:
        framework: ``tf``, ``pytorch``, ``sklearn``, ``xgboost`` or ``ray``.
        version: E.g. ``(2, 17)``.
        python: E.g. ``3.10``; empty when the name does not say.
    """

    framework: str
    version: tuple[int, ...]
    python: str

    @property
    def version_text(self) -> str:
        """The version with dots."""
        return ".".join(map(str, self.version))

    @property
    def distribution(self) -> str:
        """The name by which pip installs the framework."""
        return _DISTRIBUTIONS.get(self.framework, self.framework)

    @property
    def has_legacy_keras(self) -> bool:
        """True if ``tf.keras`` means Keras 2 there."""
        return self.framework == "tf" and self.version < load().image_addresses.keras_3_since

    @property
    def requirements(self) -> tuple[str, ...]:
        """The packages in the image, as far as training code usually counts on them.

        Source: "Prebuilt containers for serverless training": cloudml-hypertune is in all of them.
        """
        return (f"{self.distribution}=={self.version_text}.*", "cloudml-hypertune")


def short_name(uri: str) -> str | None:
    """Return the name without host and tag of what is at the address of the prebuilt images."""
    for host in load().image_addresses.hosts:
        if uri.startswith(host):
            return uri.removeprefix(host).partition(":")[0]
    return None


def parse_image(uri: str) -> ImageName | None:
    """Return what the name of a prebuilt image says; None for any other image."""
    match = _NAME.fullmatch(short_name(uri) or "")
    if match is None:
        return None
    digits = match["python"] or ""
    return ImageName(
        match["framework"],
        tuple(int(part) for part in match["version"].split("-")),
        f"{digits[0]}.{digits[1:]}" if digits else "",
    )


def listed_image(uri: str) -> Image | None:
    """Return what the catalog says of a prebuilt image; None for any other image."""
    return load().images.get(short_name(uri) or "")


def is_prebuilt(uri: str) -> bool:
    """Return whether an image runs a package by itself; the SDK makes the same test."""
    return any(part in uri for part in load().image_addresses.sdk_substrings)


def is_reduction_server(uri: str) -> bool:
    """Return whether an image is Google's all-reduce server, which runs as it is."""
    return load().image_addresses.reduction_server in uri


def can_be_pulled(uri: str) -> bool:
    """Return whether training can pull an image; without a registry it is of Docker Hub."""
    host, slash, _ = uri.partition("/")
    has_registry = slash and ("." in host or ":" in host)
    return not has_registry or host.endswith(load().image_addresses.registries)
