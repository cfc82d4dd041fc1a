"""Images that the spec knows by name.

For the pools, the rules and ``requests``. Their support dates are in the catalog.
"""

import re

__all__ = ["DEFAULT_CPU_IMAGE", "DEFAULT_GPU_IMAGE", "is_prebuilt", "is_reduction_server"]

#: The newest prebuilt TensorFlow images. Source: documentation page "Prebuilt containers".
DEFAULT_CPU_IMAGE = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest"
DEFAULT_GPU_IMAGE = "us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-17.py310:latest"
#: Source: documentation page "Distributed training".
_REDUCTION_SERVER = "vertex-ai-restricted/training/reductionserver"
#: Hosts of the prebuilt training images; the SDK makes the same test.
_PREBUILT = re.compile(r"docker\.pkg\.dev/vertex-ai/|gcr\.io/cloud-aiplatform/")


def is_prebuilt(image: str) -> bool:
    """Whether the image is one of Google's, which can run a package by itself."""
    return _PREBUILT.search(image) is not None


def is_reduction_server(image: str) -> bool:
    """Whether the image is Google's all-reduce server, which runs as it is."""
    return _REDUCTION_SERVER in image
