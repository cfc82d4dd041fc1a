"""A training script or package, as a reproducible source distribution that Vertex AI can run.

``describe`` reads and hashes, ``write`` writes, ``verify`` proves the result in a clean folder.
Equal content gives equal names on every machine. No setuptools and no build tool is needed.
"""

from vertex_jobs.packaging.brought_modules import (
    Brought,
    brought_by,
    distributions_of,
    installed_version,
    is_known,
    required_versions,
    stands_for,
)
from vertex_jobs.packaging.clean_environments import clean_environment
from vertex_jobs.packaging.content_hash import hash_file
from vertex_jobs.packaging.distribution import Package, PackageFile, describe, write
from vertex_jobs.packaging.image_files import ImageFiles, write_image
from vertex_jobs.packaging.imports import third_party_imports
from vertex_jobs.packaging.known_layouts import lay_out
from vertex_jobs.packaging.needed_modules import NeededModule, needed_modules
from vertex_jobs.packaging.proof import Proof, seen_libraries, verify
from vertex_jobs.packaging.requirement_sources import expand
from vertex_jobs.packaging.resolution import resolve
from vertex_jobs.packaging.runtime_wheel import write_runtime_wheel
from vertex_jobs.packaging.unpacking import ArchiveError, extract, unpack
from vertex_jobs.packaging.wheels import Wheel, is_wheel_file

__all__ = [
    "ArchiveError",
    "Brought",
    "ImageFiles",
    "NeededModule",
    "Package",
    "PackageFile",
    "Proof",
    "Wheel",
    "brought_by",
    "clean_environment",
    "describe",
    "distributions_of",
    "expand",
    "extract",
    "hash_file",
    "installed_version",
    "is_known",
    "is_wheel_file",
    "lay_out",
    "needed_modules",
    "required_versions",
    "resolve",
    "seen_libraries",
    "stands_for",
    "third_party_imports",
    "unpack",
    "verify",
    "write",
    "write_image",
    "write_runtime_wheel",
]
