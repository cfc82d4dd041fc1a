"""What stood in for the network and for what this machine lacks, told from a slice's cells."""

import re
from collections.abc import Sequence

#: What a cell or a program names, and what stood in for it.
_STAND_INS = (
    (r"docker (?:build|push)|docker buildx", "docker: files copied, RUN left out"),
    (r"\bbq\b.*(?:mk|load|query|extract)", "bq: refused"),
    (r"keras\.datasets|datasets\.\w+\.load_data", "Keras's data sets: random numbers"),
    (r"\btfds\b|tensorflow_datasets", "TensorFlow Datasets: its own mock data"),
    (r"ai-platform/iris", "Iris: made-up rows"),
    (r"pip3? install", "pip install: the environment as it is"),
)


def in_use(cells: Sequence[str]) -> list[str]:
    """Return what stood in, in the words of the page."""
    text = "\n".join(cells)
    return [words for pattern, words in _STAND_INS if re.search(pattern, text)]
