"""A notebook as the script that its code cells make.

If a cell begins with ``#| export``, as nbdev writes it, only such cells travel; else every code
cell does, in order. A cell that is Python travels as it is. Lines that only a notebook understands
are left out and listed: ``%magic``, ``!command`` and ``?help`` lines, and cells that begin with a
``%%magic``, except those magics that only run the cell's Python. A value that comes from a magic or
a command is refused, since later code depends on it.
"""

import io
import json
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging.imports import parse

_EXPORT = re.compile(r"\s*#\s*\|\s*export\b")
#: Cell magics around Python that also runs without them.
#: Source: IPython's built-in magic commands.
_TRANSPARENT = ("%%capture", "%%prun", "%%time", "%%timeit")
_LINE = re.compile(r"(?P<indent>\s*)[%!?]|(?P<help>[\w.]+\?{1,2}\s*$)")
_VALUE = re.compile(r"\s*[\w.,\s\[\]'\"]+=\s*[%!](?!=)")


def notebook_script(path: Path) -> tuple[bytes, dict[str, str]]:
    """Return the script of a notebook, and the lines left out by their place in the notebook.

    Raises:
        PackagingError: If it is no notebook, holds no Python code, or uses the value of a magic.
    """
    cells = _code_cells(path)
    chosen = [(number, text) for number, text in cells if _EXPORT.match(text)] or cells
    left_out: dict[str, str] = {}
    parts = []
    for number, text in chosen:
        place = f"{path.name}, cell {number}"
        code = _python(text, f"{path}, cell {number}", place, left_out)
        parse(code.encode(), Path(f"{path}, cell {number}"))
        parts.append(f"# Cell {number}.\n{code.rstrip()}\n")
    if not parts:
        raise PackagingError(f"{path}: it has no code cell, so there is nothing to run")
    return "\n".join(parts).encode(), left_out


def _code_cells(path: Path) -> list[tuple[int, str]]:
    """Return number, counted from 1 over all cells, and text of each code cell with content."""
    try:
        form: Any = json.loads(path.read_text(encoding="utf-8"))
        cells = [
            (number, "".join(cell["source"]))
            for number, cell in enumerate(form["cells"], start=1)
            if cell["cell_type"] == "code"
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise PackagingError(
            f"{path}: it is no notebook of format 4 ({type(error).__name__}: {error}); save it "
            "with Jupyter, or export a script"
        ) from error
    return [(number, text) for number, text in cells if text.strip()]


def _python(text: str, where: str, place: str, left_out: dict[str, str]) -> str:
    """Return a cell without the lines that only a notebook understands; line numbers stay."""
    first, _, rest = text.partition("\n")
    if first.startswith("%%"):
        left_out[place] = first
        if first.split()[0] not in _TRANSPARENT:
            return f"# {first}"
        text = f"#\n{rest}"
    kept: list[str] = []
    lines = iter(enumerate(text.splitlines(), start=1))
    for number, line in lines:
        if _VALUE.match(line) and _starts_statement(kept, ""):
            raise PackagingError(
                f"{where}, line {number}: {line.strip()!r} takes a value from the notebook, which "
                "a job does not have; compute it in Python"
            )
        match = _LINE.match(line)
        if match is None or not _starts_statement(kept, match["indent"] or ""):
            kept.append(line)
            continue
        left_out[f"{place}, line {number}"] = line.strip()
        kept.append(f"{match['indent'] or ''}pass  # {line.strip()}")
        kept += [f"# {more}" for more in _continuation(line, lines)]
    return "\n".join(kept)


def _continuation(line: str, lines: Iterator[tuple[int, str]]) -> Iterator[str]:
    """Yield the lines that a backslash adds to this one."""
    while line.rstrip().endswith("\\"):
        line = next(lines, (0, ""))[1]
        yield line


def _starts_statement(before: list[str], indent: str) -> bool:
    """Return whether a statement can start after these lines: no bracket or text is open."""
    text = "\n".join([*before, f"{indent}pass", ""])
    try:
        for _ in tokenize.generate_tokens(io.StringIO(text).readline):
            pass
    except (tokenize.TokenError, SyntaxError):
        return False
    return not (before and before[-1].rstrip().endswith("\\"))
