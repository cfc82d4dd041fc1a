"""Numbers and amounts as short text, for whatever a person reads."""


def number(value: object) -> str:
    """Return six significant digits: enough to tell trials apart, short enough to read."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def count(amount: int, noun: str) -> str:
    """Return ``1 trial``, ``2 trials``."""
    return f"{amount} {noun}" if amount == 1 else f"{amount} {noun}s"
