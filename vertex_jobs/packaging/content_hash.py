"""The hash that a file is kept by."""

import hashlib
from typing import BinaryIO

_BLOCK_BYTES = 1 << 20


def hash_file(file: BinaryIO, name: str = "") -> str:
    """Return the SHA-256 of a file's content, and of a name where that belongs to the content."""
    total = hashlib.sha256(f"{name}\0".encode() if name else b"")
    while block := file.read(_BLOCK_BYTES):
        total.update(block)
    return total.hexdigest()
