"""The libraries that a package declares: the runtime's own and the job's, checked line by line.

Only the form is checked; pip says whether a version exists.
"""

import re
from collections.abc import Iterable

from vertex_jobs.errors import PackagingError

#: Libraries that ``vertex_jobs.runtime`` imports late; the same lines as in this project's
#: metadata.
RUNTIME_REQUIREMENTS = ("argparse-dataclass>=2.0.0", "cloudml-hypertune==0.1.0.dev6")

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_EXTRAS = r"(?:\s*\[[A-Za-z0-9._,\s-]*\])?"
_VERSION = r"(?:===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9._*+!-]+"
_REQUIREMENT = re.compile(
    rf"(?P<name>{_NAME}){_EXTRAS}"
    rf"(?:\s*@\s*\S+|\s*\(?\s*{_VERSION}(?:\s*,\s*{_VERSION})*\s*\)?)?"
    r"(?:\s*;[^\r\n]+)?"
)
#: ``https://USER:PASSWORD@host`` or ``https://TOKEN@host``; in ``git@host`` it is a user's name.
_PASSWORD = re.compile(r"https?://[^/\s@]+@")


def declare_requirements(requirements: Iterable[str]) -> tuple[str, ...]:
    """Return the runtime's and the job's requirements, sorted; the job's replace the runtime's.

    Raises:
        PackagingError: If a line is not a requirement as in "Dependency specifiers" (PEP 508).
    """
    own = {_name(line): line for line in RUNTIME_REQUIREMENTS}
    wanted = [line.strip() for line in requirements]
    for line in wanted:
        own.pop(_name(line), None)
    return tuple(sorted({*own.values(), *wanted}))


def _name(line: str) -> str:
    """Return the distribution's name as pip compares it."""
    match = _REQUIREMENT.fullmatch(line)
    if match is None:
        raise PackagingError(
            f"requirement {line!r} is not one that a package can declare; write NAME, "
            "NAME>=VERSION or NAME @ URL, e.g. mylib @ git+https://host/mylib, or the path of a "
            "wheel; of a folder build one with: python -m pip wheel --no-deps FOLDER"
        )
    if _PASSWORD.search(line):
        raise PackagingError(
            f"the requirement of {match['name']} holds a password, and a package is readable by "
            "all who can read the staging bucket; let a private wheel travel instead"
        )
    return re.sub(r"[-_.]+", "-", match["name"]).lower()
