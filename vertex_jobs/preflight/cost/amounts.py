"""A range of US dollars, with the prices that are missing in it.

For the modules of this package and whoever shows an amount.
"""

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["CostRange"]


@dataclass(frozen=True)
class CostRange:
    """From ``low`` to ``high`` US dollars, plus whatever the unknown prices are.

    Attributes:
        low: If every price is at the low end of what its confidence leaves open.
        high: If every price is at the high end.
        unknown: What has no known price; the range is then only a part of the cost.
    """

    low: float = 0.0
    high: float = 0.0
    unknown: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every price is known."""
        return not self.unknown

    def times(self, factor: float) -> "CostRange":
        """That many times this; what is unknown stays so unless nothing is used of it."""
        return CostRange(self.low * factor, self.high * factor, self.unknown if factor > 0 else ())

    @classmethod
    def total(cls, parts: Iterable["CostRange"]) -> "CostRange":
        """The sum, every unknown price named once."""
        parts = list(parts)
        unknown = dict.fromkeys(name for part in parts for name in part.unknown)
        return cls(
            sum(part.low for part in parts), sum(part.high for part in parts), tuple(unknown)
        )

    def __str__(self) -> str:
        """``1.57 to 1.92 USD``; ``at least … plus X (price unknown)`` where one is missing."""
        low, high = _amount(self.low), _amount(self.high)
        known = f"{high} USD" if low == high else f"{low} to {high} USD"
        if self.is_complete:
            return known
        missing = f"{', '.join(self.unknown)} (price unknown)"
        return missing if self.high == 0 else f"{known} plus {missing}"


def _amount(usd: float) -> str:
    """Cents, and more digits only below a dollar."""
    return f"{usd:,.2f}" if usd >= 1 or usd == 0 else f"{usd:.3f}"
