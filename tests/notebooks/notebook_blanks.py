"""What a notebook asks its reader to fill in, and what stands there here.

Only assignments of an empty or plainly made-up text to a name of the table are filled in; all
else is executed as it stands.
"""

import re

PROJECT = "local-project"
BUCKET = "notebook-bucket"
REGION = "us-central1"

_ASSIGNMENT = re.compile(
    r"""^(?P<head>[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*=[ \t]*)"""
    r"""(?P<quote>["'])(?P<value>[^"'\n]*)(?P=quote)(?=[ \t]*(?:\#.*)?$)""",
    re.MULTILINE,
)
#: A value that a reader is to replace.
_BLANK = re.compile(
    r"^$|\[.*\]|<.*>|your|YOUR|qwiklabs|replace|TODO|UNSET|^(?:gs://)?\.*$",
)
#: Names, in capitals, to what is filled in; the first that matches.
_TABLE = (
    (re.compile(r"SERVICE_ACCOUNT"), f"trainer@{PROJECT}.iam.gserviceaccount.com"),
    (re.compile(r"PROJECT_NUMBER"), "123456789012"),
    (re.compile(r"PROJECT"), PROJECT),
    (re.compile(r"BUCKET|STAGING"), BUCKET),
    (re.compile(r"REGION|LOCATION"), REGION),
    (re.compile(r"^REPOSITORY|_REPO\b|ARTIFACT"), "notebook-images"),
)


def fill_in(cell: str) -> str:
    """Return a cell with the reader's blanks filled in."""
    return _ASSIGNMENT.sub(_filled, cell)


def _filled(match: re.Match[str]) -> str:
    value, name = match["value"], match["name"].upper()
    if not _BLANK.search(value) and value.upper() != name:
        return match[0]
    for pattern, text in _TABLE:
        if pattern.search(name):
            scheme = "gs://" if value.startswith("gs://") or name.endswith("_URI") else ""
            return f"{match['head']}{match['quote']}{scheme}{text}{match['quote']}"
    return match[0]
