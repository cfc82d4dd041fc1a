"""Claims about the time of a command's answer, against importing the SDK in a fresh process."""

import sys
from functools import partial
from pathlib import Path

from measuring import Claim, alternate, at_most, seconds_of

__all__ = ["measure"]

_CLI = str(Path(sys.executable).with_name("vertex-jobs"))
_CONFIG = "configs/digits_search.yaml"
_SDK = "the SDK's import"


def measure(rounds: int) -> list[Claim]:
    """Measure the help, the preview and the preflight."""
    seen = alternate(
        {
            _SDK: partial(seconds_of, [sys.executable, "-c", "import google.cloud.aiplatform"]),
            "--help": partial(seconds_of, [_CLI, "--help"]),
            "show": partial(seconds_of, [_CLI, "show", _CONFIG]),
            "check": partial(seconds_of, [_CLI, "check", _CONFIG]),
        },
        rounds,
    )
    subject = "`vertex-jobs {}` against `import google.cloud.aiplatform`"
    limits = {"--help": 0.1, "show": 0.2, "check": 1.0}
    return [
        at_most(subject.format(verb), seen.ratios(verb, _SDK), limit)
        for verb, limit in limits.items()
    ]
