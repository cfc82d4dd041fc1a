"""Prices of one's own over the catalog's: from a file of the user's, and from the config.

A price is of a machine type, of an accelerator that is attached to a machine, or of a type of boot
disk, in US dollars per hour; of a disk per GB and month. It counts wherever a job runs, as it is:
without a margin.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vertex_jobs import catalog
from vertex_jobs.catalog import Catalog
from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.spec.spelling import suggestion
from vertex_jobs.spec.yaml_text import parse


def user_file(environ: Mapping[str, str] = os.environ) -> Path:
    """Return where the user's prices stand, a file that need not be there."""
    home = environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home, "vertex-jobs", "prices.yaml")


def priced_catalog(own: Mapping[str, float] | None = None, file: Path | None = None) -> Catalog:
    """Return the catalog with the user's prices, and over these a config's ``own``.

    Raises:
        InvalidJobError: If the user's file is no mapping of names to prices.
    """
    of_user = _read(file or user_file())
    return catalog.load().with_prices({**of_user, **(own or {})})


def price_faults(own: Mapping[str, Any], path: str = "prices.") -> Iterator[Fault]:
    """Yield the faults of prices: names that are no item's, and what is no price."""
    known = catalog.load()
    priced = known.priced_names
    for name, usd in own.items():
        accelerator = known.accelerators.get(name)
        if accelerator is not None and accelerator.bundled:
            rule = "is part of the price of its machine"
            yield Fault(f"{path}{name}", usd, rule, "give the price of the machine type")
        elif name not in priced:
            rule = "is no machine type, accelerator or boot disk"
            remedy = suggestion(name, priced, "see vertex-jobs machines for the names")
            yield Fault(f"{path}{name}", usd, rule, remedy)
        elif isinstance(usd, bool) or not isinstance(usd, (int, float)) or not 0 <= usd < 1e9:
            rule = "is no price"
            yield Fault(f"{path}{name}", usd, rule, "write US dollars per hour, as 4.40")


def _read(file: Path) -> dict[str, float]:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        fault = Fault("prices", str(file), f"cannot be read: {error}", "make it readable")
        raise InvalidJobError([fault], str(file)) from error
    own, repeated, _ = parse(text, str(file))
    if own is None:
        return {}
    if not isinstance(own, dict):
        rule = "must be a mapping of names to prices"
        raise InvalidJobError([Fault("prices", own, rule, "write g2-standard-4: 0.71")], str(file))
    faults = [*repeated, *price_faults(own, "")]
    if faults:
        raise InvalidJobError(faults, str(file))
    return own
