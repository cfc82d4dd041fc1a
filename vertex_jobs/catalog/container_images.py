"""Container images by their address alone: nothing is pulled.

For the pools of a spec, the request, preflight and the emulator, which all ask the same questions:
does this image run a package by itself, which image is it, what does it bring, can training pull
it, is it still there?

Source: "Prebuilt containers for serverless training": names such as ``tf-gpu.2-17.py310`` give
the framework, its version and Python's. What is known of images on Docker Hub is in the catalog.
"""

import re
from dataclasses import dataclass
from datetime import date

from vertex_jobs.catalog.rows import Image, PublicImage
from vertex_jobs.catalog.table import load

_NAME = re.compile(
    r"(?P<framework>[a-z-]+)-(?:cpu|gpu|tpu|xla)\.(?P<version>\d+(?:-\d+)*)"
    r"(?:\.(?:py|cp)(?P<python>\d+))?"
)
#: What pip calls the frameworks that images are named after.
_DISTRIBUTIONS = {"tf": "tensorflow", "pytorch": "torch", "sklearn": "scikit-learn"}
_DOCKER_HUB = ("docker.io", "index.docker.io")
#: The last NumPy before 2, which every TensorFlow built for it takes.
_NUMPY_1 = "1.26"


@dataclass(frozen=True)
class ImageContents:
    """What is known to be in an image.

    Attributes:
        framework: ``tf``, ``pytorch``, ``sklearn``, ``xgboost`` or ``ray``; empty for Python alone.
        version: Of the framework, e.g. ``(2, 17)``, or of Python.
        python: E.g. ``3.10``; empty when it is not known.
        is_prebuilt: Whether it is one of Google's, which bring more than is known.
    """

    framework: str
    version: tuple[int, ...]
    python: str
    is_prebuilt: bool = True

    @property
    def version_text(self) -> str:
        """The version with dots."""
        return ".".join(map(str, self.version))

    @property
    def distribution(self) -> str:
        """The name by which pip installs the framework; empty for Python alone."""
        return _DISTRIBUTIONS.get(self.framework, self.framework)

    @property
    def is_bare(self) -> bool:
        """True if there is Python alone, without git and a compiler."""
        return not self.framework

    @property
    def has_legacy_keras(self) -> bool:
        """True if ``tf.keras`` means Keras 2 there."""
        return self.framework == "tf" and self.version < load().image_addresses.keras_3_since

    @property
    def requirements(self) -> tuple[str, ...]:
        """The packages in the image, as far as training code usually counts on them.

        Source: "Prebuilt containers for serverless training": cloudml-hypertune is in all of them.
        """
        if self.is_prebuilt:
            return (f"{self.distribution}=={self.version_text}.*", "cloudml-hypertune")
        return (f"{self.distribution}=={self.version_text}",) if self.framework else ()

    @property
    def fixed_versions(self) -> dict[str, str]:
        """Versions by distribution that a requirement should not change; TensorFlow's and NumPy's.

        NumPy 2 stands for any of its releases.
        """
        if self.framework != "tf":
            return {}
        has_numpy_2 = self.version >= load().image_addresses.numpy_2_since
        return {"tensorflow": self.version_text} | ({} if has_numpy_2 else {"numpy": _NUMPY_1})


def short_name(uri: str) -> str | None:
    """Return the name without host and tag of what is at the address of the prebuilt images."""
    for host in load().image_addresses.hosts:
        if uri.startswith(host):
            return uri.removeprefix(host).partition(":")[0]
    return None


def parse_image(uri: str) -> ImageContents | None:
    """Return what a prebuilt image's name says, or the catalog of a public one; None for others."""
    match = _NAME.fullmatch(short_name(uri) or "")
    if match is not None:
        digits = match["python"] or ""
        return ImageContents(
            match["framework"],
            tuple(int(part) for part in match["version"].split("-")),
            f"{digits[0]}.{digits[1:]}" if digits else "",
        )
    public = public_image(uri)
    if public is None:
        return None
    version = tuple(int(part) for part in public.version.split("."))
    return ImageContents(public.framework, version, public.python or "", is_prebuilt=False)


def listed_image(uri: str) -> Image | None:
    """Return what the catalog says of a prebuilt image; None for any other image."""
    return load().images.get(short_name(uri) or "")


def public_image(uri: str) -> PublicImage | None:
    """Return what the catalog says of an image on Docker Hub, with or without its digest."""
    name = uri.partition("@")[0]
    host, _, rest = name.partition("/")
    if host in _DOCKER_HUB:
        name = rest
    return load().public_images.get(name.removeprefix("library/"))


def why_gone(uri: str, today: date) -> str:
    """Return why an image can no longer be pulled; empty as long as it can.

    Source: documentation page "Framework support policy".
    """
    image = listed_image(uri)
    if image is None or today <= image.end_of_availability:
        return ""
    return (
        f"its availability ended on {image.end_of_availability}, and such images are "
        '"no longer available for download"'
    )


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
