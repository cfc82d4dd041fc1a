"""What never travels with training code: build leftovers are passed over, secrets are refused.

A package is readable by everyone who can read the staging bucket, and lies there for long.
"""

import fnmatch
import os
from collections.abc import Iterator
from pathlib import Path

from vertex_jobs.errors import PackagingError

__all__ = ["walk_files"]

_LEFTOVER_FOLDERS = (
    "*.egg-info", ".git", ".hg", ".idea", ".ipynb_checkpoints", ".mypy_cache", ".nox",
    ".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode", "__pycache__",
    "node_modules",
)  # fmt: skip
_LEFTOVER_FILES = ("*.pyc", "*.pyo", ".DS_Store", ".coverage", ".gitignore", "*.swp", "*~")
_SECRET_FILES = (
    "*.jks", "*.key", "*.p12", "*.pem", "*.pfx", ".env", ".env.*", ".netrc", ".pypirc",
    "application_default_credentials.json", "credentials.json", "id_dsa", "id_ecdsa",
    "id_ed25519", "id_rsa",
)  # fmt: skip
#: Larger JSON files are data: a key of a service account has about 2,400 bytes.
_LARGEST_KEY_BYTES = 16_384


def walk_files(directory: Path) -> Iterator[Path]:
    """Every file of a folder that travels, sorted by path.

    Raises:
        PackagingError: If a file is a secret, a link leads to a folder or to nothing, or something
            is no file at all.
    """
    for above, folders, names in os.walk(directory):
        folders[:] = sorted(name for name in folders if not _matches(name, _LEFTOVER_FOLDERS))
        # A virtual environment by any name has this file at its top.
        folders[:] = [name for name in folders if not Path(above, name, "pyvenv.cfg").is_file()]
        for name in folders:
            if Path(above, name).is_symlink():
                raise PackagingError(
                    f"{Path(above, name)}: it is a link to a folder, which a package cannot hold; "
                    "put a copy in its place, or move it out of the package"
                )
        for name in sorted(names):
            path = Path(above, name)
            if _matches(name, _LEFTOVER_FILES):
                continue
            if not path.is_file():
                what = "link to nothing" if path.is_symlink() else "socket, pipe or device"
                raise PackagingError(f"{path}: it is a {what}; move it out of the package")
            _refuse_secret(path)
            yield path


def _refuse_secret(path: Path) -> None:
    if _matches(path.name, _SECRET_FILES) or _is_service_account_key(path):
        raise PackagingError(
            f"{path}: it looks like a secret, and a package is readable by all who can read the "
            "staging bucket; move it out of the package and read it from Secret Manager"
        )


def _is_service_account_key(path: Path) -> bool:
    """Whether a JSON file is a service account's private key, by its two telling fields."""
    if path.suffix != ".json" or path.stat().st_size > _LARGEST_KEY_BYTES:
        return False
    content = path.read_bytes()
    return b'"service_account"' in content and b'"private_key"' in content


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
