"""The rules of model versions: which one a reference means, who bears which alias.

Source: Model proto (version_aliases), MergeVersionAliasesRequest, UploadModelRequest; "Model
versioning with Model Registry".
"""

import re
from collections.abc import Sequence

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.status import ApiError

#: The alias of the version that a reference without one means.
DEFAULT = "default"
#: Source: UploadModelRequest proto, model_id: up to 63 characters, the first no digit or hyphen.
MODEL_ID = re.compile(r"[a-z_][a-z0-9_-]{0,62}")
#: Source: Model proto, version_aliases: cannot be mistaken for a version number.
_ALIAS = re.compile(r"[a-z][a-zA-Z0-9-]{0,126}[a-z0-9-]")


def check_alias(alias: str) -> None:
    """Refuse a text that cannot be an alias, with INVALID_ARGUMENT."""
    if _ALIAS.fullmatch(alias) is None:
        raise ApiError(
            "INVALID_ARGUMENT",
            f"The version alias {alias!r} is not valid; expected [a-z][a-zA-Z0-9-]{{0,126}}"
            "[a-z0-9-].",
        )


def find_version(versions: Sequence[protos.Message], reference: str) -> protos.Message | None:
    """Return the version of that number or alias; the default one for an empty reference."""
    wanted = reference or DEFAULT
    for version in versions:
        if version.version_id == wanted or wanted in version.version_aliases:
            return version
    return None


def give_alias(
    versions: Sequence[protos.Message], target: protos.Message, alias: str
) -> list[protos.Message]:
    """Let the target alone bear the alias, if it can be one; return the versions that changed."""
    check_alias(alias)
    changed = []
    for version in versions:
        if alias in version.version_aliases and version.version_id != target.version_id:
            version.version_aliases.remove(alias)
            changed.append(version)
    if alias not in target.version_aliases:
        target.version_aliases.append(alias)
    return [*changed, target]


def take_alias(target: protos.Message, alias: str) -> None:
    """Take an alias from a version.

    Raises:
        ApiError: FAILED_PRECONDITION for ``default``, which some version must bear.
    """
    if alias == DEFAULT:
        raise ApiError(
            "FAILED_PRECONDITION",
            "The alias 'default' cannot be removed; give it to another version instead.",
        )
    if alias in target.version_aliases:
        target.version_aliases.remove(alias)
