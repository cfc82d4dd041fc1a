"""How the report's charts write texts and numbers.

plotly reads some HTML in the texts it draws, in titles, ticks and labels under the pointer, so
a study's own texts are escaped for it. The values on an axis of categories are drawn by their tick
texts and stay as they are.

Source: plotly's "Text formatting": b, br, i, sub, sup and others are read as HTML.
"""

from html import escape
from typing import Any

__all__ = ["parameters_text", "plain", "short", "tick_text", "value_text"]


def plain(text: str) -> str:
    """A text that plotly shows as it is; it does not know the escapes of quotes."""
    return escape(text, quote=False)


def short(text: str, longest: int = 16) -> str:
    """A text with its middle left out where it is long; names often differ at their ends."""
    if len(text) <= longest:
        return text
    end = longest // 2 - 1
    return f"{text[: longest - end - 1]}…{text[-end:]}"


def tick_text(value: float) -> str:
    """A number beside an axis: a whole one with more digits, 1024 and not 1.02e+03."""
    return f"{value:.6g}" if value == round(value) else f"{value:.3g}"


def value_text(value: object) -> str:
    """A parameter's value in a label under the pointer, escaped for plotly."""
    return f"{value:.6g}" if isinstance(value, float) else plain(str(value))


def parameters_text(parameters: dict[str, Any]) -> str:
    """One line for each parameter, for the label under the pointer."""
    return "<br>".join(f"{plain(key)} = {value_text(value)}" for key, value in parameters.items())
