"""Machines, accelerators, images, limits and prices of Vertex AI training, as data.

For the spec, preflight, cost estimates, the verb ``machines`` and the emulator's admission. The
tables are ``catalog.yaml`` and ``limits.yaml`` beside this file; every block there names its
source, and ``as_of`` is the date. What is unknown is None, never 0. It contacts nothing.
"""

from vertex_jobs.catalog.rows import (
    Accelerator,
    BootDisk,
    DistributionNames,
    Image,
    ImageAddresses,
    Limits,
    Machine,
    Price,
    RegionReport,
    TpuMachine,
)
from vertex_jobs.catalog.table import Catalog, load

__all__ = [
    "Accelerator",
    "BootDisk",
    "Catalog",
    "DistributionNames",
    "Image",
    "ImageAddresses",
    "Limits",
    "Machine",
    "Price",
    "RegionReport",
    "TpuMachine",
    "load",
]
