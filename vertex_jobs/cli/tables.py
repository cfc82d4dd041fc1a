"""Results in the form that was asked for: a table, JSON, YAML or CSV.

For the verbs that print results. It lays out rows; what is in them the verbs decide.
"""

import csv
import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["as_csv", "as_json", "as_yaml", "print_structured", "table"]


def as_json(value: Any) -> str:
    """Indented JSON, keys in their own order."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def as_yaml(value: Any) -> str:
    """Block style YAML, keys in their own order."""
    import yaml

    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100)
    return text.rstrip("\n")


def as_csv(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A header and the rows; absent values are empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([["" if cell is None else cell for cell in row] for row in rows])
    return text.getvalue().rstrip("\n")


def print_structured(value: Any, form: str) -> None:
    """Print as ``json`` or ``yaml`` on stdout."""
    from vertex_jobs.cli.terminal import print_result

    print_result(as_yaml(value) if form == "yaml" else as_json(value))


def table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], bold: Sequence[int] = ()
) -> "Table":
    """Plain columns under a header, nothing cut off where nobody looks.

    Args:
        columns: The header; a name that starts with ``>`` is of numbers, aligned to the right.
        rows: The cells.
        bold: Numbers of the rows that stand out.
    """
    from rich.table import Table

    laid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for index, name in enumerate(columns):
        laid.add_column(
            name.removeprefix(">"),
            justify="right" if name.startswith(">") else "left",
            overflow="fold",
            no_wrap=index == 0,  # what a row is called is copied
        )
    for index, row in enumerate(rows):
        laid.add_row(*row, style="bold" if index in bold else None)
    return laid
