"""What a prebuilt training image would bring, as far as its name tells.

Source: "Prebuilt containers for serverless training": names such as ``tf-gpu.2-17.py310`` give
the framework, its version and Python's.
"""

import re
from dataclasses import dataclass

__all__ = ["Image", "is_prebuilt", "parse_image"]

_PREBUILT = re.compile(
    r"(?:(?:us|europe|asia)-docker\.pkg\.dev/vertex-ai|gcr\.io/cloud-aiplatform)/training/"
    r"(?P<framework>[a-z]+)-(?P<device>[a-z]+)\.(?P<version>[\d-]+)"
    r"(?:\.py(?P<python>\d+))?(?::\w+)?"
)
#: What pip calls the frameworks that images are named after.
_DISTRIBUTIONS = {"tf": "tensorflow", "pytorch": "torch", "sklearn": "scikit-learn"}
#: The first TensorFlow whose Keras is Keras 3.
_KERAS_3 = (2, 16)


@dataclass(frozen=True)
class Image:
    """A prebuilt image.

    Attributes:
        framework: ``tf``, ``pytorch``, ``sklearn``, ``xgboost`` or ``ray``.
        version: E.g. ``(2, 17)``.
        python: E.g. ``3.10``; empty when the name does not say.
    """

    framework: str
    version: tuple[int, ...]
    python: str

    @property
    def has_legacy_keras(self) -> bool:
        """Whether ``tf.keras`` means Keras 2 there."""
        return self.framework == "tf" and self.version < _KERAS_3

    @property
    def requirements(self) -> tuple[str, ...]:
        """What the image brings, as far as training code usually counts on it.

        Source: "Prebuilt containers for serverless training": cloudml-hypertune is in all of them.
        """
        distribution = _DISTRIBUTIONS.get(self.framework, self.framework)
        version = ".".join(str(number) for number in self.version)
        return (f"{distribution}=={version}.*", "cloudml-hypertune")


def parse_image(uri: str) -> Image | None:
    """The prebuilt image of that URI; None for any other image."""
    match = _PREBUILT.fullmatch(uri)
    if match is None:
        return None
    digits = match["python"] or ""
    return Image(
        match["framework"],
        tuple(int(part) for part in match["version"].split("-")),
        f"{digits[0]}.{digits[1:]}" if digits else "",
    )


def is_prebuilt(uri: str) -> bool:
    """Whether the URI names a prebuilt training image."""
    return parse_image(uri) is not None
