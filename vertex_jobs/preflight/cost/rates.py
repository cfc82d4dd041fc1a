"""The price of machines per hour, item by item.

For estimates and for running jobs. Prices are list prices of one region, each with its date and
confidence; the margin for a confidence is a rule of our own.

Source: the catalog; documentation page "Create and use Spot VMs" for the discount.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from vertex_jobs.catalog import Catalog, Price
from vertex_jobs.catalog.machine_rules import MachineUse
from vertex_jobs.wording import number

#: How far a true price may differ from a listed one, by confidence. Our own rule: nothing is
#: published, and people copied the prices.
_MARGINS = {"high": 0.0, "medium": 0.10, "low": 0.30}
_HOURS_PER_MONTH = 730


@dataclass(frozen=True)
class CostRange:
    """A range of US dollars: every price at the low end of its margin, and at the high end.

    Where items have an unknown price, the range is a part of the cost only.
    """

    low: float = 0.0
    high: float = 0.0
    unknown: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """True when every price is known."""
        return not self.unknown

    def times(self, factor: float) -> "CostRange":
        """Return a multiple; what is unknown stays unknown unless the factor is 0."""
        return CostRange(self.low * factor, self.high * factor, self.unknown if factor > 0 else ())

    @classmethod
    def total(cls, parts: Iterable["CostRange"]) -> "CostRange":
        """Return the sum, with every unknown item named once."""
        parts = list(parts)
        unknown = dict.fromkeys(name for part in parts for name in part.unknown)
        return cls(
            sum(part.low for part in parts), sum(part.high for part in parts), tuple(unknown)
        )

    def __str__(self) -> str:
        """Return ``1.57 to 1.92 USD``, with ``plus X (price unknown)`` where a price is missing."""
        low, high = _amount(self.low), _amount(self.high)
        known = f"{high} USD" if low == high else f"{low} to {high} USD"
        if self.is_complete:
            return known
        missing = f"{', '.join(self.unknown)} (price unknown)"
        return missing if self.high == 0 else f"{known} plus {missing}"


@dataclass(frozen=True)
class PriceLine:
    """One item of an hour's price.

    Attributes:
        quantity: How many run at once.
        region: Where the price holds; empty for a price of one's own.
        usd_per_hour: Of one, before any discount; None when unknown.
        confidence: ``high``, ``medium`` or ``low``; None when unknown.
        date: When the price was checked; None if it never was.
        basis: ``checked``, ``computed``, ``recalled``; empty when unknown.
    """

    item: str
    quantity: float
    usd_per_hour: float | None
    confidence: str | None
    date: date | None
    basis: str
    region: str

    def __str__(self) -> str:
        """``n1-standard-4: 0.2185 USD/h in us-central1 (high confidence, checked 2026-09-08)``."""
        item = f"{number(float(self.quantity))} x {self.item}"
        if self.usd_per_hour is None:
            return f"{item}: price unknown; give yours under prices: in the config"
        if self.basis == "own":
            return f"{item}: {self.usd_per_hour:.4g} USD/h (a price of your own)"
        when = f" {self.date}" if self.date else ", no date"
        sure = f"{self.confidence} confidence, {self.basis}{when}"
        return f"{item}: {self.usd_per_hour:.4g} USD/h in {self.region} ({sure})"


@dataclass(frozen=True)
class Rate:
    """The price of some machines together per hour, its items, and restrictions, a clause each."""

    hourly: CostRange
    lines: tuple[PriceLine, ...]
    notes: tuple[str, ...]


def rate(
    uses: Iterable[MachineUse], *, location: str, strategy: str | None, catalog: Catalog
) -> Rate:
    """Return the price of some machines, their disks and accelerators included.

    The strategy is ``spot``, ``flex_start``, ``standard`` or None. List prices are known for one
    region; a price of one's own counts as it is.
    """
    lines = tuple(line for use in uses for line in _lines(use, catalog))
    notes = []
    away = bool(location) and location != catalog.price_region
    if away and any(line.region for line in lines):
        notes.append(f"prices are those of {catalog.price_region}; {location} may differ")
    discount = 0.0
    if strategy == "spot":
        discount = catalog.spot_max_discount
        notes.append(
            f"spot machines cost up to {discount:.0%} less, at a price that changes; "
            "the high end is the standard price"
        )
    elif strategy == "flex_start":
        notes.append("what flex_start costs is not known; the standard price is counted")
    parts = (_range(line, "low" if away else line.confidence, discount) for line in lines)
    return Rate(CostRange.total(parts), lines, tuple(notes))


def _range(line: PriceLine, confidence: str | None, discount: float) -> CostRange:
    if line.usd_per_hour is None:
        return CostRange(unknown=(line.item,))
    usd = line.usd_per_hour * line.quantity
    if line.basis == "own":
        return CostRange(usd, usd)
    margin = _MARGINS[confidence or "low"]
    disk = line.item.endswith(" GB")  # a spot machine's disk is paid in full
    low = usd * (1 - margin) * (1.0 if disk else 1 - discount)
    return CostRange(low, usd * (1 + margin))


def _lines(use: MachineUse, catalog: Catalog) -> Iterator[PriceLine]:
    tpu = catalog.tpu_machines.get(use.machine_type)
    machine = catalog.machines.get(use.machine_type)
    if tpu is not None:
        price = tpu.prices.get(use.accelerator_type)
        boards = use.replica_count * use.accelerator_count / (tpu.board_cores or 1)
        machines = use.replica_count * tpu.virtual_machines.get(use.tpu_topology, 1)
        item = use.machine_type
        if use.accelerator_type:
            item = f"{use.accelerator_type} ({tpu.board_cores} cores)"
        yield _line(item, boards or machines, price, catalog)
    else:
        price = machine.price if machine else None
        yield _line(use.machine_type, use.replica_count, price, catalog)
        accelerator = catalog.accelerators.get(use.accelerator_type)
        if use.accelerator_type and (accelerator is None or not accelerator.bundled):
            price = accelerator.price if accelerator else None
            count = use.replica_count * use.accelerator_count
            yield _line(use.accelerator_type, count, price, catalog)
    if use.boot_disk_size_gb:
        yield _disk(use, catalog)


def _line(item: str, quantity: float, price: Price | None, catalog: Catalog) -> PriceLine:
    if price is None:
        return PriceLine(item, quantity, None, None, None, "", "")
    region = "" if price.basis == "own" else catalog.price_region
    return PriceLine(
        item, quantity, price.usd_per_hour, price.confidence, price.date, price.basis, region
    )


def _disk(use: MachineUse, catalog: Catalog) -> PriceLine:
    name = use.boot_disk_type or catalog.boot_disk_of(use.machine_type)
    item = f"{name} {use.boot_disk_size_gb} GB"
    disk = catalog.boot_disks.get(name)
    if disk is None or disk.usd_per_gb_month is None:
        return PriceLine(item, use.replica_count, None, None, None, "", "")
    hourly = disk.usd_per_gb_month * use.boot_disk_size_gb / _HOURS_PER_MONTH
    price = Price(hourly, disk.confidence or "low", None, disk.basis or "recalled")
    return _line(item, use.replica_count, price, catalog)


def _amount(usd: float) -> str:
    """Return an amount in cents, with a third digit below a dollar."""
    return f"{usd:,.2f}" if usd >= 1 or usd == 0 else f"{usd:.3f}"
