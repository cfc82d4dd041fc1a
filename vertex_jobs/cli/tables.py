"""Results in the form that was asked for: a table, JSON, YAML, CSV or a file.

For the verbs that print results. It lays out rows; what is in them the verbs decide.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vertex_jobs.cli.options import option_error
from vertex_jobs.cli.terminal import print_result, say

if TYPE_CHECKING:
    from rich.table import Table


def as_yaml(value: Any, *, sort_keys: bool = False) -> str:
    """Return block style YAML, keys in their own order or sorted."""
    import yaml

    text: str = yaml.safe_dump(value, sort_keys=sort_keys, allow_unicode=True, width=100)
    return text.rstrip("\n")


def print_structured(
    value: Any,
    form: str,
    columns: Sequence[str] = (),
    rows: Iterable[Iterable[object]] = (),
) -> None:
    """Print the value as ``json`` or ``yaml``, keys in their own order, or its rows as ``csv``.

    ``columns`` are the header of CSV; absent values are empty.
    """
    if form == "yaml":
        print_result(as_yaml(value))
    elif form == "json":
        print_result(json.dumps(value, indent=2, ensure_ascii=False))
    else:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
        print_result(text.getvalue().rstrip("\n"))


def table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], bold: Sequence[int] = ()
) -> "Table":
    """Return plain columns under a header, nothing cut off where nobody looks.

    A column whose name starts with ``>`` is of numbers, aligned to the right; ``bold`` are the
    indices of rows that stand out.
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


def write_file(output: Path | None, name: str, suffix: str, write: Callable[[Path], str]) -> None:
    """Write to ``--output``, else to a file of that name here, and print its path.

    The name may have any characters, the suffix has its dot; ``write`` writes the file and says
    something about it.

    Raises:
        InvalidJobError: If the file cannot be written.
    """
    # A display name holds any character, and a path must not be led astray by them.
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "study"
    path = output or Path(f"{plain}{suffix}")
    try:
        said = write(path)
    except OSError as error:
        rule = f"cannot be written: {error.strerror}"
        raise option_error("--output", str(path), rule, "name another file") from error
    say(said)
    print_result(str(path))
