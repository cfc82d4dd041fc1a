"""Why a submission cell or a job did not come through: known words, whose they are, their source.

Ordered: the first pattern that is found decides. What no row knows is *unknown*, and read by a
person.
"""

import re
from dataclasses import dataclass

SUCCEEDED = "ran to SUCCEEDED"
CREATED = "study created"
TRAINING = "was training when its time was over"
REFUSED_AS_THERE = "refused as the service would"
LIMIT = "not here, for a reason that is said"
NETWORK = "its program needs the network"
OWN_FAULT = "its program fails, there too"
UNKNOWN = "refused or failed; reason unknown"
#: Verdicts on the notebook: nothing came to Local Vertex.
NOT_REACHED = "not reached"


@dataclass(frozen=True)
class Reason:
    """What is found in an error or a log, and what follows."""

    pattern: re.Pattern[str]
    verdict: str
    words: str
    source: str

    @classmethod
    def of(cls, pattern: str, verdict: str, words: str, source: str) -> "Reason":
        """Compile the pattern."""
        return cls(re.compile(pattern, re.DOTALL), verdict, words, source)


_FIDELITY = "docs/fidelity.md"
#: In the words of Local Vertex or of a replica's program.
JOB_REASONS = (
    Reason.of(
        r"(?:(\w+Service\.\w+)|/projects/[^/]+/locations/[^/]+/(\w+)\S*) is not emulated",
        LIMIT,
        "{0}{1} is not emulated",
        "docs/how-to/run-unmodified-programs.md",
    ),
    Reason.of(
        r"reads from BigQuery, which Local Vertex does not have",
        LIMIT,
        "a managed dataset of BigQuery's",
        _FIDELITY,
    ),
    Reason.of(r"Local Vertex has no (Reduction Server)", LIMIT, "{0} is not emulated", _FIDELITY),
    Reason.of(
        r"Not installed here: ([\w., -]+?) \(of",
        LIMIT,
        "its package requires {0}, which is not installed here",
        "docs/how-to/what-travels.md",
    ),
    Reason.of(
        r"nothing on this machine stands for the image",
        LIMIT,
        "an image that nothing stands for here",
        "docs/how-to/custom-container.md",
    ),
    Reason.of(
        r"(module 'tensorflow' has no attribute '(?!keras)\w+'|module 'numpy' has no attribute "
        r"'float'|BuilderConfig subwords8k not found|(?:decay|lr) is deprecated in the new)",
        LIMIT,
        "written for the libraries of its image; here newer ones are installed: {0}",
        _FIDELITY,
    ),
    Reason.of(
        r"[Aa]ccelerator \"?(\w+)\"? is not supported for machine type",
        REFUSED_AS_THERE,
        "{0} with that machine type",
        "page “Configure compute resources for custom training”",
    ),
    Reason.of(
        r"(persistent_resource_id) can only contain",
        REFUSED_AS_THERE,
        "{0}: a blank that the notebook leaves to its reader is no id",
        "PersistentResource proto; the text of the refusal is public, its source not named",
    ),
    Reason.of(
        r"(NVIDIA_TESLA_K80|NVIDIA_TESLA_P100)",
        REFUSED_AS_THERE,
        "{0} is retired",
        "page “Configure compute resources for custom training”",
    ),
    Reason.of(
        r"(?:gs://|bucket )(cloud-samples-data|cloud-training\S*|asl-public\S*|[\w-]*public[\w-]*)",
        NETWORK,
        "a public bucket: {0}",
        "docs/how-to/run-unmodified-programs.md",
    ),
    Reason.of(
        r"No files matched pattern|FileNotFoundError: b/|bucket does not exist|NotFound: 404.*/o/"
        r"|No such object",
        NETWORK,
        "its data: an earlier cell makes them, from the network or another service",
        "docs/how-to/run-unmodified-programs.md",
    ),
    Reason.of(
        r"No module named (trainer\.\w+)(?!.*No module named ')",
        OWN_FAULT,
        "its package, which pip installed, has no {0}: the notebook does not write it",
        "pip",
    ),
    Reason.of(
        r"No module named '([\w.]+)'",
        LIMIT,
        "{0} is in its image and not in this environment",
        "docs/how-to/custom-container.md",
    ),
    Reason.of(
        r"(?:URLError|ConnectionError|Error downloading|Name or service not known|"
        r"Failed to resolve|Temporary failure in name resolution|Could not resolve|"
        r"Max retries exceeded)",
        NETWORK,
        "a download",
        "the harness has no network",
    ),
)


def reason_for(text: str, reasons: tuple[Reason, ...] = JOB_REASONS) -> tuple[str, str, str] | None:
    """Return verdict, words and source of the first reason that is found; None without one."""
    for reason in reasons:
        if match := reason.pattern.search(text):
            found = [group or "" for group in match.groups()]
            return reason.verdict, reason.words.format(*found), reason.source
    return None
