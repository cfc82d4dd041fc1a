"""Texts and numbers as the report's charts write them.

plotly reads some HTML in the texts it draws, in titles, ticks and hover labels, so a study's own
texts are escaped for it. Values on an axis of categories stay as they are: plotly draws their tick
texts.

Source: plotly's "Text formatting": b, br, i, sub, sup and others are read as HTML.
"""

from html import escape
from typing import Any

from vertex_jobs.wording import number


def plain(text: str) -> str:
    """Return a text that plotly shows as it is; it does not know the escapes of quotes."""
    return escape(text, quote=False)


def short(text: str, longest: int = 16) -> str:
    """Return a text without its middle where it is long; names often differ at their ends."""
    if len(text) <= longest:
        return text
    end = longest // 2 - 1
    return f"{text[: longest - end - 1]}…{text[-end:]}"


def tick_text(value: float) -> str:
    """Return a number for an axis; a whole one has more digits: 1024 and not 1.02e+03."""
    return f"{value:.6g}" if value == round(value) else f"{value:.3g}"


def value_text(value: object) -> str:
    """Return a parameter's value for a hover label, escaped for plotly."""
    return plain(number(value))


def parameters_text(parameters: dict[str, Any]) -> str:
    """Return one line for each parameter, for a hover label."""
    return "<br>".join(f"{plain(key)} = {value_text(value)}" for key, value in parameters.items())
